// Notified of the end of each call, before the call's client is. Implemented by app/. I/O thread
// only.
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
  // Called when a call begins. Returns the ids of the webhooks that the call's session names, for
  // ended(). nullopt: the end of this call is not reported to webhooks. The function must be cheap,
  // because every call uses it.
  using Names = std::vector<std::string>;
  virtual std::optional<Names> begins(const Call& call) const = 0;
  // The client gets its answer once this function has returned. The function does not throw.
  virtual boost::asio::awaitable<void> ended(const Call& call, const Result<CallResult>& result,
                                             Names names) = 0;
};

}  // namespace host::tool
