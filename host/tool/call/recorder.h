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
  // Returns once the record is stored, and so the call is accepted. A step that people, plugins or
  // other processes notice waits for this. An Error ends the call.
  virtual boost::asio::awaitable<Result<void>> is_accepted() = 0;
  // The call waits for a person. `reason`: as in Record. Empty: the wait is over.
  virtual void waits(std::string_view reason) = 0;
  // The queue for a slot is full, or the principal has too many pending approval requests. Returns
  // true when the call may try again; it keeps its receipts. False: the call ends with the refusal.
  virtual boost::asio::awaitable<bool> waits_for_room() = 0;
  // The provider is about to start. Returns once that is stored. An Error ends the call, and the
  // provider does not start.
  virtual boost::asio::awaitable<Result<void>> begins(const Call& call) = 0;
  // True: a caller has executed the call already. Only the steps after the run are left; earlier
  // steps are not repeated.
  virtual bool was_executed() const = 0;
};

}  // namespace host::tool
