// Work that a caller does instead of the host: client-supplied and external tools. Implemented by
// task/. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>

#include "base/result.h"
#include "tool/invocation.h"
#include "tool/result.h"

namespace host::tool {

struct Call;

class CallerWork {
 public:
  virtual ~CallerWork() = default;

  // Of the call pipeline.

  // True: an earlier call that was the same has a record, and no call waits for it. `call.twin` is
  // set.
  virtual bool has_twin(const Call& call, const Tool& tool) = 0;
  // Waits for the end of that record as long as the client does. Sets `call.outcome` if there is no
  // end yet.
  virtual boost::asio::awaitable<Result<CallResult>> join_twin(Call& call, const Tool& tool) = 0;
  // Makes the record of a call that is about to be handed over. If something is used up when it
  // runs (`call.receipts`), the record is stored with the approved arguments on return. So a host
  // that is killed after that goes on with the call and asks nobody again. An Error: the call is
  // not handed over.
  virtual boost::asio::awaitable<Result<void>> prepare(Call& call, const Tool& tool) = 0;
  // All checks of the result have passed, and the post_ tools are next. Returns once that is
  // stored.
  virtual boost::asio::awaitable<void> checked(const Call& call, const CallResult& result) = 0;
  // The pipeline has ended. Ignored if the call was not prepared, or its record is kept by its
  // Recorder.
  virtual void ended(const Call& call, const Result<CallResult>& result) = 0;

  // Of the providers.

  // Announces a call that was prepared. invocation->finish() follows when a caller has answered,
  // when the record has ended, or when the client of the call should not wait longer.
  virtual void hand_over(std::shared_ptr<Invocation> invocation) = 0;
  // Its cancellation was requested. finish() follows.
  virtual void take_back(const std::shared_ptr<Invocation>& invocation) = 0;
};

}  // namespace host::tool
