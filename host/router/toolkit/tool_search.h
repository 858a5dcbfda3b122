// Searches the tools that a client can call now, or could call if it activated one of their groups.
// Each view of the catalog has a separate index. The first search in a view builds its index, on a
// separate thread. The functions of this header are called on the I/O thread.
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
  // The constructor's arguments must outlive the ToolSearch.
  ToolSearch(Views& views, const Router& router) : views_(views), router_(router) {}
  ToolSearch(const ToolSearch&) = delete;
  ToolSearch& operator=(const ToolSearch&) = delete;
  ~ToolSearch();

  struct Found {
    std::shared_ptr<const tool::Tool> tool;
    // The name of an inactive group of the tool: the client can call the tool after its session has
    // activated the group. `group` is empty if the client can call the tool now.
    std::string group;
  };
  // Returns the tools that match the query best, at most `most`. The best match is first. find()
  // does not search the tools of the host itself.
  boost::asio::awaitable<Result<std::vector<Found>>> find(tool::Peer who, std::string query,
                                                          std::size_t most);
  // Returns true if the client may activate groups in its session.
  bool can_activate(const tool::Peer& who) const;

 private:
  struct Index;  // used only on the separate thread
  struct Kept {
    std::weak_ptr<const tool::Snapshot> snapshot;
    std::shared_ptr<Index> index;
  };
  static constexpr std::size_t kMostIndexes = 8;

  std::shared_ptr<Index> index_of(const View& view);

  Views& views_;
  const Router& router_;
  std::list<Kept> kept_;                            // the first is the most recently used index
  std::optional<boost::asio::thread_pool> thread_;  // the first search starts the thread
};

}  // namespace host::router
