// Hands calls over to the clients that execute them. The pipeline of a call waits until the client
// that executes the call has answered. The answer does not end the call's record: the pipeline
// continues with the answer and then ends the record.
//
// A call over MCP waits for the client's answer for at most `approval.wait`, which is also the
// longest time that a call waits for an approval. If no answer arrives within `approval.wait`, the
// call ends, and the result of the call says that no answer has arrived yet. The store keeps the
// call's record. A later identical call finds the stored record and gets the record's result, also
// after a restart of the host. If a client sends its answer while no call is waiting, the function
// that was given to finish_by() passes the answer through the pipeline. The functions of Handovers
// are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/cancel.h"
#include "task/leases.h"
#include "task/records.h"
#include "task/room.h"
#include "tool/call/caller_work.h"

namespace host::task {

class Handovers final : public tool::CallerWork {
 public:
  // If the client of a call waits for the result, the call waits at most the time `wait` for the
  // answer of the executing client. The references that the constructor gets must outlive the
  // Handovers object.
  Handovers(boost::asio::any_io_executor executor, Records& records, Leases& leases, Room& room,
            std::chrono::milliseconds wait);

  bool has_twin(const tool::Call& call, const tool::Tool& tool) override;
  boost::asio::awaitable<Result<tool::CallResult>> join_twin(tool::Call& call,
                                                             const tool::Tool& tool) override;
  boost::asio::awaitable<Result<void>> prepare(tool::Call& call, const tool::Tool& tool) override;
  boost::asio::awaitable<void> checked(const tool::Call& call,
                                       const tool::CallResult& result) override;
  bool ended(const tool::Call& call, const Result<tool::CallResult>& result) override;
  void hand_over(std::shared_ptr<tool::Invocation> invocation) override;
  void take_back(const std::shared_ptr<tool::Invocation>& invocation) override;

  // Sets the function that is called when a client answers a record for which no call waits.
  using Finish = std::function<void(const RecordPtr& record)>;
  void finish_by(Finish finish) { finish_ = std::move(finish); }

  // Returns true if prepare() made the record, because the call had no record before, and the call
  // is still in the pipeline.
  bool has_call(const std::string& record) const;

  // Takes over the records of an earlier process. Call take_over() when the records are loaded.
  void take_over();
  // Ends the waits of all calls, because the host is stopping. The store keeps the records of the
  // calls whose waits were ended.
  void end_waits();

 private:
  // A Prepared object belongs to a call for which prepare() has made a record, because the call had
  // no record before. The Handovers object stores the Prepared object until ended() is called for
  // the call.
  struct Prepared {
    std::string record;
    Cancel::Registration unheard;
  };
  struct Waiting {
    std::shared_ptr<tool::Invocation> invocation;
    std::unique_ptr<boost::asio::steady_timer> timer;  // null: the call waits without a time limit
  };

  std::string record_of(const std::string& call) const;
  RecordPtr find(const std::string& id) const;
  Result<RecordPtr> take_own(const RecordPtr& own, const tool::Call& call, const tool::Tool& tool);
  Result<RecordPtr> make(const tool::Call& call, const tool::Tool& tool);
  Error refuse_gone(tool::Call& call, const RecordPtr& record, bool is_own);
  void drop(const RecordPtr& record, const tool::Call& call);
  void wait_for(const std::string& record, std::shared_ptr<tool::Invocation> invocation);
  void answered(const RecordPtr& record);
  void over(const RecordPtr& record);
  void end(RecordPtr record, const tool::Call& call, const Result<tool::CallResult>& result);
  void removed(const std::string& record);
  void give_up(const std::string& record);
  void cancel(const std::string& record);
  void can_be_met(const RecordPtr& record);
  RecordPtr take_twin(const std::string& key);

  const boost::asio::any_io_executor executor_;
  Records& records_;
  Leases& leases_;
  Room& room_;
  const std::chrono::milliseconds wait_;
  Finish finish_;
  std::unordered_map<std::string, Prepared> prepared_;                  // keys: ids of calls
  std::unordered_map<std::string, Waiting> waiting_;                    // keys: ids of records
  std::unordered_map<std::string, boost::asio::steady_timer*> joined_;  // keys: ids of records
  // `twins_` contains the ids of records that a later identical call can find. The key is
  // tool::Record::twin.
  std::unordered_multimap<std::string, std::string> twins_;
  // When `twins_` has `sweep_at_` entries, the entries of removed records are dropped.
  std::size_t sweep_at_ = 1024;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool stopping_ = false;
};

}  // namespace host::task
