// This step of the call pipeline looks for an earlier call that is the same as the current call. If
// there is an earlier call, the tool runs only once, and both calls get the same result. An earlier
// call counts as the same call if it has one of these:
// - the same idempotency key (idempotency.h);
// - the same arguments, if clients execute calls of the tool (tool/call/caller_work.h). The record
//   of the earlier call may still wait for the executing client, or have a result that no client
//   has fetched.
// Each call has one EarlierCall object. The call releases the idempotency key when end() was called
// and the tool has ended. After a cancel or a timeout, the tool can still run. The functions of
// this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>

#include "base/result.h"
#include "router/live/live_calls.h"
#include "router/step/attachments.h"
#include "router/step/idempotency.h"
#include "router/view/route.h"
#include "tool/call/call.h"
#include "tool/call/caller_work.h"
#include "tool/call/end_watcher.h"
#include "tool/call/result.h"
#include "tool/definition/tool.h"

namespace host::router {

class EarlierCall {
 public:
  struct Parts {
    Idempotency& idempotency;
    LiveCalls& live;
    tool::CallerWork* callers;  // null: no tool is executed by clients
    ResultFiles& files;         // renews the links of a stored result
    tool::EndWatcher* ends;     // null: the end of calls is not reported
  };
  // The result of the earlier call, or an error result. nullopt means that there is no earlier
  // call, and the current call continues.
  using Found = Result<std::optional<tool::CallResult>>;

  // `call` must outlive the EarlierCall.
  EarlierCall(const Parts& parts, tool::Call& call) : parts_(parts), call_(call) {}
  ~EarlierCall() { end(); }
  EarlierCall(const EarlierCall&) = delete;
  EarlierCall& operator=(const EarlierCall&) = delete;

  // The pipeline calls the functions below in this order. Call note_arguments() with the route of
  // the tool that runs, before a step changes the arguments.
  void note_arguments(const Route& route);
  // Call is_first_at_once() and find_by_key() after the arguments were prepared, and only if the
  // call has an idempotency key. is_first_at_once() returns true if no earlier call had the key. If
  // is_first_at_once() returns false, call find_by_key(), which waits while the earlier call runs.
  bool has_key() const { return !call_.idempotency_key.empty(); }
  bool is_first_at_once(const Route& route);
  boost::asio::awaitable<Found> find_by_key();
  // A twin is an earlier call with the same arguments. Call find_by_arguments() after the
  // permission decision, and only if the call is not denied and has_twin() returns true.
  bool has_twin(const Route& route) const;
  // find_by_arguments() waits for the end of the earlier call, but not longer than the client of
  // this call waits.
  boost::asio::awaitable<Found> find_by_arguments(const Route& route);
  // The webhooks to which the host reports the end of the current call. nullopt means that there
  // are none, or that the end was already reported.
  using Told = std::optional<tool::EndWatcher::Names>;
  // Stores the result for later calls with the same idempotency key. Call keep() only if this call
  // has an idempotency key. keep() reports the end of the call to webhooks before it stores the
  // result. The host does not report the end of a later call that gets the stored result.
  boost::asio::awaitable<void> keep(const Route& route, tool::CallResult& result, Told& told);
  // Stores the failure of a call that the tool began in an earlier round, and that must not run a
  // second time (Call::may_have_acted). Returns the failure for the client, which says that the key
  // is kept if the store has the failure.
  boost::asio::awaitable<Result<tool::CallResult>> keep_failure(Result<tool::CallResult> failure);
  // Releases the idempotency key, as the destructor does.
  void end();

  // The tool that runs; null: note_arguments() was not called.
  const tool::Tool* tool() const { return tool_.get(); }

 private:
  boost::asio::awaitable<bool> keep(tool::CallResult& result);

  const Parts parts_;
  tool::Call& call_;
  Idempotency::Asked asked_;
  std::shared_ptr<const tool::Tool> tool_;
  std::shared_ptr<Idempotency::Claim> claim_;  // null: the call has no idempotency key
};

}  // namespace host::router
