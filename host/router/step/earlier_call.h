// The step of the call pipeline that looks for an earlier call which is the same as this one. Then
// the tool runs once, and both calls get one result. The earlier call has one of:
// - the same idempotency key (idempotency.h);
// - the same arguments, if clients execute calls of the tool (tool/call/caller_work.h). The record
//   of the earlier call may still wait for such a client, or have a result that nobody got.
// One object for each call. Its claim of the key ends with the object. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <optional>

#include "base/result.h"
#include "router/live/live_calls.h"
#include "router/step/attachments.h"
#include "router/step/idempotency.h"
#include "router/view/route.h"
#include "tool/call/call.h"
#include "tool/call/caller_work.h"
#include "tool/call/result.h"

namespace host::router {

class EarlierCall {
 public:
  struct Parts {
    Idempotency& idempotency;
    LiveCalls& live;
    tool::CallerWork* callers;  // null: no tool is executed by callers
    ResultFiles& files;         // renews the links of a stored result
  };
  // The result that this call gets from the earlier one, or an error result. nullopt: there is no
  // earlier call, and this call continues.
  using Found = Result<std::optional<tool::CallResult>>;

  // `call` must outlive the object.
  EarlierCall(const Parts& parts, tool::Call& call) : parts_(parts), call_(call) {}

  // The functions in the order of the pipeline. Call note_arguments() before a step changes the
  // arguments.
  void note_arguments(const Route& route);
  // Call find_by_key() when the arguments are prepared. Waits while the earlier call runs.
  boost::asio::awaitable<Found> find_by_key(const Route& route);
  // Call find_by_arguments() when the permission is decided, and only if the call is not denied.
  // Waits while the earlier call runs, as long as the client may wait.
  boost::asio::awaitable<Found> find_by_arguments(const Route& route);
  // Stores the result of this call for later calls with its key, if it has a key.
  boost::asio::awaitable<void> keep(const tool::CallResult& result);

 private:
  const Parts parts_;
  tool::Call& call_;
  Idempotency::Claim claim_;
};

}  // namespace host::router
