// Learns of the end of calls, before their clients do. Implemented by app/. I/O thread only.
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
  // What a call is told by at its end, as its session says when it begins. nullopt: nobody wants to
  // know. Every call asks, so it is cheap.
  using Names = std::vector<std::string>;
  virtual std::optional<Names> begins(const Call& call) const = 0;
  // The client gets the answer once this has returned. It does not throw.
  virtual boost::asio::awaitable<void> ended(const Call& call, const Result<CallResult>& result,
                                             Names names) = 0;
};

}  // namespace host::tool
