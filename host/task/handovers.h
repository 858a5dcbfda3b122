// Calls that are handed over to callers. Each invocation waits here until its record has ended. A
// call that came over MCP waits as long as it would for an approval. Then it ends with a result
// that says so, its record stays, and the same call meets the record again. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "task/leases.h"
#include "task/records.h"
#include "task/room.h"
#include "tool/caller_work.h"

namespace host::task {

class Handovers final : public tool::CallerWork {
 public:
  // `wait`: how long the client of a call waits at most. References outlive it.
  Handovers(boost::asio::any_io_executor executor, Records& records, Leases& leases, Room& room,
            std::chrono::milliseconds wait);

  void hand_over(std::shared_ptr<tool::Invocation> invocation) override;
  void take_back(const std::shared_ptr<tool::Invocation>& invocation) override;

  // The records of an earlier host, once they are loaded.
  void take_over();
  // The host stops: calls stop waiting, and their records stay.
  void end_waits();

 private:
  struct Waiting {
    std::shared_ptr<tool::Invocation> invocation;
    bool own = false;                                  // the record is the call's own
    std::unique_ptr<boost::asio::steady_timer> timer;  // null: it waits as long as it takes
  };

  void announce(const RecordPtr& record, std::shared_ptr<tool::Invocation> invocation);
  void meet(std::shared_ptr<tool::Invocation> invocation);
  RecordPtr unanswered_twin_of(const tool::Invocation& invocation) const;
  void wait_for(const std::string& record, std::shared_ptr<tool::Invocation> invocation, bool own);
  void ended(const RecordPtr& record);
  void give_up(const std::string& record);

  const boost::asio::any_io_executor executor_;
  Records& records_;
  Leases& leases_;
  Room& room_;
  const std::chrono::milliseconds wait_;
  std::unordered_map<std::string, Waiting> waiting_;  // by record
  // Records whose call gave up waiting, so that the same call meets them.
  std::unordered_set<std::string> unanswered_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool stopping_ = false;
};

}  // namespace host::task
