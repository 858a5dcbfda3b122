// The host's side of tp.history/1. The service checks whether the plugin may read the session's
// calls, and reads the calls. The functions of this header are called on the I/O thread.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "config/config.h"
#include "plugin/services/service_table.h"
#include "tool/call/peer.h"

namespace host::plugin {

class HistoryService {
 public:
  struct Page {
    std::string json;  // JSON in the form of ext/history.h
    bool more = false;
  };
  // Reads the calls of a session and principal that are older than the call with the number
  // `before`. If `before` is 0, the function reads the newest calls.
  using Read = std::function<Page(const tool::Peer& who, std::uint64_t before, std::uint32_t most)>;

  HistoryService(const config::Plugins& plugins, Read read);

  void offer_in(ServiceTable& table);

 private:
  void list(const std::shared_ptr<ServiceCall>& asked) const;

  std::set<std::string> allowed_;  // the plugins that may read the history
  const Read read_;
};

}  // namespace host::plugin
