// tp.http/1 on the host's side: the service parses a plugin's request, adds the plugin's allowed
// origins, and passes the request to the outbound gate. The functions are called on the I/O thread.
#pragma once

#include <map>
#include <string>

#include "config/config.h"
#include "outbound/gate.h"
#include "plugin/services/service_table.h"

namespace host::plugin {

class HttpService {
 public:
  HttpService(outbound::Gate& gate, const config::Plugins& plugins);

  void offer_in(ServiceTable& table);

 private:
  void send(const std::shared_ptr<ServiceCall>& asked);

  outbound::Gate& gate_;
  std::map<std::string, outbound::AllowList> allowed_;  // the key is the plugin's name
};

}  // namespace host::plugin
