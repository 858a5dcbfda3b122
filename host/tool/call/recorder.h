// Keeps the record of one call that outlives its request, while the call passes the pipeline.
// Implemented by task/. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string_view>

#include "base/result.h"

namespace host::tool {

struct Call;

class Recorder {
 public:
  virtual ~Recorder() = default;
  // Returns once the record is stored: from then on the call is accepted. Each step with an effect
  // outside the host waits for this function, so that nothing happens for a call that is lost. An
  // Error ends the call.
  virtual boost::asio::awaitable<Result<void>> is_accepted() = 0;
  // The call waits for a person or a caller. `reason`: as Record::reason. An empty `reason` ends
  // the wait.
  virtual void waits(std::string_view reason) = 0;
  // The queue for a slot is full, or the principal has too many pending approval requests. Waits,
  // and returns true when the call may try again. The call keeps its receipts. False: the call ends
  // with the refusal.
  virtual boost::asio::awaitable<bool> waits_for_room() = 0;
  // The provider is about to start. Returns once the store knows that. An Error ends the call, and
  // the provider does not start.
  virtual boost::asio::awaitable<Result<void>> begins(const Call& call) = 0;
  // Returns true if a client has executed the call already. Then the pipeline skips the steps
  // before the run and the run itself.
  virtual bool was_executed() const = 0;
};

}  // namespace host::tool
