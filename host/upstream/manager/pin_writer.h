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
  // Gets the records that the store has of the upstream, see store::PinStore::put_first().
  using FirstDone = std::function<void(const Result<std::vector<store::PinRecord>>&)>;

  PinWriter(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
            std::chrono::milliseconds retry = std::chrono::seconds(5))
      : desk_(std::move(desk)), retry_(retry), timer_(std::move(io)) {}
  // Passes the remaining changes to the store.
  ~PinWriter();
  PinWriter(const PinWriter&) = delete;
  PinWriter& operator=(const PinWriter&) = delete;

  // Calls `done` with the outcome of the first write that includes the records. `done` can be null.
  void put(std::vector<store::PinRecord> records, Done done);
  // Stores the records of the upstream's first list, unless another host was first. If a write
  // fails, the next write follows after a pause. `done` is called after each write, until one
  // succeeds. A later call of put_first() replaces the records and `done` of the earlier call. Do
  // not call put() before a write of put_first() has succeeded.
  void put_first(std::string upstream, std::vector<store::PinRecord> records, FirstDone done);
  // Call stop() when the host stops: stop() ends the attempts to repeat failed writes after pauses.
  // Callers that wait for a repeated write get the Error Unavailable. The destructor tries once
  // more to store the records of put(), but not those of put_first().
  void stop();

 private:
  struct First {
    std::string upstream;
    std::vector<store::PinRecord> records;
    FirstDone done;
  };

  void add(store::PinRecord record);
  void write();
  void write_first();
  void write_later();
  void give_up();
  void write_again(const std::vector<store::PinRecord>& records);
  std::vector<store::PinRecord> take_waiting();

  const std::shared_ptr<store::Desk> desk_;
  const std::chrono::milliseconds retry_;
  std::map<std::string, std::vector<store::PinRecord>> waiting_;  // by the tool, the oldest first
  std::shared_ptr<const First> first_;                            // null: no first list waits
  std::vector<Done> waiters_;  // the `done` of the records in `waiting_`
  bool writing_ = false;
  bool is_stopped_ = false;
  boost::asio::steady_timer timer_;
};

}  // namespace host::upstream
