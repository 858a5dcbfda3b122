// The pipeline notifies the end watcher of the end of each call, before it notifies the call's
// client. The layer app/ implements the interface EndWatcher. The functions of EndWatcher are
// called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool/call/result.h"

namespace host::tool {

struct Call;

class EndWatcher {
 public:
  virtual ~EndWatcher() = default;
  // The pipeline calls begins() when a call begins. Returns the ids of the webhooks that the call's
  // session lists, and the pipeline passes these ids to ended(). If begins() returns nullopt, the
  // host does not report the end of this call to webhooks. The function begins() must be cheap,
  // because the pipeline calls it for every call.
  using Names = std::vector<std::string>;
  virtual std::optional<Names> begins(const Call& call) const = 0;
  // The client gets its response after ended() has returned. ended() does not throw.
  virtual boost::asio::awaitable<void> ended(const Call& call, const Result<CallResult>& result,
                                             Names names) = 0;
};

}  // namespace host::tool
