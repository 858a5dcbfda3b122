// Searches the tools that a client can call, or could call after activating one of their groups.
// Each catalog view that is searched has an index. The first search builds it, on a separate
// thread. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "router/view/router.h"
#include "router/view/views.h"
#include "tool/call/peer.h"

namespace host::router {

class ToolSearch {
 public:
  // Both arguments outlive the object.
  ToolSearch(Views& views, const Router& router) : views_(views), router_(router) {}
  ToolSearch(const ToolSearch&) = delete;
  ToolSearch& operator=(const ToolSearch&) = delete;
  ~ToolSearch();

  struct Found {
    std::shared_ptr<const tool::Tool> tool;
    std::string group;  // an inactive group that the session can activate; empty: it can be called
  };
  // The tools that match the query best, best first, without the host's own tools.
  boost::asio::awaitable<Result<std::vector<Found>>> find(tool::Peer who, std::string query,
                                                          std::size_t most);

 private:
  struct Index;  // used on the thread only
  struct Kept {
    std::weak_ptr<const tool::Snapshot> snapshot;
    std::shared_ptr<Index> index;
  };
  static constexpr std::size_t kMostIndexes = 8;

  std::shared_ptr<Index> index_of(const View& view);

  Views& views_;
  const Router& router_;
  std::list<Kept> kept_;                            // the last used first
  std::optional<boost::asio::thread_pool> thread_;  // started at the first use
};

}  // namespace host::router
