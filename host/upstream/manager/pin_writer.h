// Writes the definitions of one upstream to the store. At most one write of the definitions is in
// progress. Changes that arrive during a write are collected for the next write. So an upstream
// whose definitions change all the time does not fill the store's queue. If a write fails, the next
// write follows after a pause, until the store contains the definitions. The functions of PinWriter
// are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/desk.h"

namespace host::upstream {

class PinWriter : public std::enable_shared_from_this<PinWriter> {
 public:
  using Done = std::function<void(const Result<void>&)>;

  PinWriter(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
            std::chrono::milliseconds retry = std::chrono::seconds(5))
      : desk_(std::move(desk)), retry_(retry), timer_(std::move(io)) {}
  // Passes the remaining changes to the store.
  ~PinWriter();
  PinWriter(const PinWriter&) = delete;
  PinWriter& operator=(const PinWriter&) = delete;

  // Calls `done` with the outcome of the first write that includes the records. `done` can be null.
  void put(std::vector<store::PinRecord> records, Done done);
  // Call stop() when the host stops: stop() ends the attempts to repeat failed writes after pauses.
  // A `done` that waits for a repeated write gets the Error Unavailable. The destructor passes the
  // records that are not stored to the store.
  void stop();

 private:
  void write();
  void give_up();
  void write_again(const std::vector<store::PinRecord>& records);
  std::vector<store::PinRecord> take_waiting();

  const std::shared_ptr<store::Desk> desk_;
  const std::chrono::milliseconds retry_;
  std::map<std::string, store::PinRecord> waiting_;  // by the tool's name
  std::vector<Done> waiters_;                        // the `done` of the records in `waiting_`
  bool writing_ = false;
  bool is_stopped_ = false;
  boost::asio::steady_timer timer_;
};

}  // namespace host::upstream
