// Work that a caller does instead of the host: client-supplied and external tools. Implemented by
// task/. I/O thread only.
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

  // Functions for the call pipeline.

  // True: an identical earlier call has a record, and no call waits for this record. `call.twin`
  // must be set.
  virtual bool has_twin(const Call& call, const Tool& tool) = 0;
  // Waits until that record has ended, but not longer than the client of `call` may wait. If the
  // record has not ended by then, sets `call.outcome`.
  virtual boost::asio::awaitable<Result<CallResult>> join_twin(Call& call, const Tool& tool) = 0;
  // Makes the record of a call that is about to be handed over. If the call has receipts
  // (`call.receipts`), the record is stored with the approved arguments on return. So if the host
  // is killed after that, the next host continues the call and asks nobody again. An Error: the
  // call is not handed over.
  virtual boost::asio::awaitable<Result<void>> prepare(Call& call, const Tool& tool) = 0;
  // The result has passed all checks, and the post_ tools are next. Returns once this state is
  // stored.
  virtual boost::asio::awaitable<void> checked(const Call& call, const CallResult& result) = 0;
  // The pipeline has ended. Ignored if the call was not prepared, or its record is kept by its
  // Recorder.
  virtual void ended(const Call& call, const Result<CallResult>& result) = 0;

  // Functions for the providers.

  // Announces a call that was prepared. invocation->finish() follows when a caller has answered,
  // when the record has ended, or when the client of the call should not wait longer.
  virtual void hand_over(std::shared_ptr<Invocation> invocation) = 0;
  // The cancellation of the invocation was requested. finish() follows.
  virtual void take_back(const std::shared_ptr<Invocation>& invocation) = 0;
};

}  // namespace host::tool
