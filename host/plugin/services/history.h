// tp.history/1 on the host's side: checks whether the plugin may read the session's calls, and
// reads them. I/O thread only.
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
    std::string json;  // as ext/history.h says
    bool more = false;
  };
  // The calls of this session and principal that are older than `before`; 0: the newest.
  using Read = std::function<Page(const tool::Peer& who, std::uint64_t before, std::uint32_t most)>;

  HistoryService(const config::Plugins& plugins, Read read);

  void offer_in(ServiceTable& table);

 private:
  void list(const std::shared_ptr<ServiceCall>& asked) const;

  std::set<std::string> allowed_;  // plugins
  const Read read_;
};

}  // namespace host::plugin
