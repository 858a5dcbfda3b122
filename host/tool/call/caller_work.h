// CallerWork handles calls whose tool a client executes instead of the host: external tools, and
// tools that the client of a session supplies. The layer task/ implements the interface CallerWork.
// The functions of CallerWork must be called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>

#include "base/result.h"
#include "tool/call/invocation.h"
#include "tool/call/result.h"

namespace host::tool {

struct Call;

class CallerWork {
 public:
  virtual ~CallerWork() = default;

  // The call pipeline uses the functions of CallerWork below.

  // Returns true if there is a record of an identical earlier call, and no call waits for that
  // record. The caller of has_twin() must set `call.twin` (see Record::twin) first.
  virtual bool has_twin(const Call& call, const Tool& tool) = 0;
  // Waits until the record that has_twin() found has ended, but not longer than the client of
  // `call` waits. If the record has not ended when the wait is over, the function sets
  // `call.outcome`.
  virtual boost::asio::awaitable<Result<CallResult>> join_twin(Call& call, const Tool& tool) = 0;
  // Makes the record of a call that the host is about to hand over to the executing client. If the
  // call has receipts (`call.receipts`), prepare() returns only when the store contains the record
  // with the approved arguments. So if the host is killed after prepare() has returned, the next
  // host continues the call and asks no reviewer again. If prepare() returns an Error, the host
  // does not hand the call over.
  virtual boost::asio::awaitable<Result<void>> prepare(Call& call, const Tool& tool) = 0;
  // Reports that the call's result has passed all checks and that the post_ tools run next. The
  // function checked() returns when the store contains the new state of the record.
  virtual boost::asio::awaitable<void> checked(const Call& call, const CallResult& result) = 0;
  // Reports that the pipeline of the call has ended. ended() does nothing if prepare() was not
  // called for the call. ended() also does nothing if the call has a Recorder, because the Recorder
  // ends the record itself. Returns true if prepare() made a record for the call. If prepare() made
  // a record, webhooks learn of the call's end from the record.
  virtual bool ended(const Call& call, const Result<CallResult>& result) = 0;

  // Providers use the functions of CallerWork below.

  // Announces the call to the client that executes it. prepare() must have made the call's record
  // before. invocation->finish() follows when the client has answered, when the record has ended,
  // or when the caller's waiting time is over.
  virtual void hand_over(std::shared_ptr<Invocation> invocation) = 0;
  // Reports that the invocation's cancel was requested. invocation->finish() follows.
  virtual void take_back(const std::shared_ptr<Invocation>& invocation) = 0;
};

}  // namespace host::tool
