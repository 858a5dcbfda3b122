// The host's side of tp.http/1. The service parses a plugin's request, adds the plugin's allowed
// origins, and passes the request to the outbound gate. The functions of this header are called on
// the I/O thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "config/config.h"
#include "outbound/gate.h"
#include "plugin/services/service_table.h"

namespace host::plugin {

class HttpService {
 public:
  // The gate sends at most `concurrent` requests at the same time. Each plugin can send at most a
  // quarter of `concurrent` requests at the same time, but at least 4.
  HttpService(outbound::Gate& gate, const config::Plugins& plugins, std::uint32_t concurrent);

  void offer_in(ServiceTable& table);

 private:
  void send(const std::shared_ptr<ServiceCall>& asked);

  using Count = std::shared_ptr<std::uint32_t>;

  outbound::Gate& gate_;
  const std::uint32_t most_of_one_;
  std::map<std::string, outbound::AllowList> allowed_;  // by the plugin's name
  std::map<std::string, Count> open_;                   // number of running requests of each plugin
};

}  // namespace host::plugin
