// A recorder updates the record of one call that outlives its request, while the call passes
// through the pipeline. The layer task/ implements the interface Recorder. The functions of
// Recorder are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string_view>

#include "base/result.h"

namespace host::tool {

struct Call;

class Recorder {
 public:
  virtual ~Recorder() = default;
  // is_accepted() returns when the store contains the record, so that the call is accepted. No step
  // with an effect outside the host starts before is_accepted() has returned. If is_accepted()
  // returns an Error, the call ends.
  virtual boost::asio::awaitable<Result<void>> is_accepted() = 0;
  // Reports why the call waits: for an approval, a one-time code, an answer, or the client that
  // executes the call. `reason` has a value of Record::reason, and `approval` is the id of the
  // approval request. An empty `reason` means that the call no longer waits. An empty `approval`
  // does not change the record's approval.
  virtual void waits(std::string_view reason, std::string_view approval) = 0;
  // The pipeline calls waits_for_room() for a call for which there is no room: the queue for a slot
  // is full, or the principal has too many pending approval requests. waits_for_room() returns true
  // when the pipeline can try again to queue the call or to request its approval. The call keeps
  // its receipts while waits_for_room() waits. If waits_for_room() returns false, the host refuses
  // the call.
  virtual boost::asio::awaitable<bool> waits_for_room() = 0;
  // Reports that the provider is about to start the call. The function begins() returns when the
  // store contains the new state of the record. If begins() returns an Error, the call ends, and
  // the provider does not start.
  virtual boost::asio::awaitable<Result<void>> begins(const Call& call) = 0;
  // Returns true if a client has executed the call already. If a client has executed the call, the
  // pipeline skips the run of the call and all steps before the run.
  virtual bool was_executed() const = 0;
};

}  // namespace host::tool
