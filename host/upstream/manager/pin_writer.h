// Writes the definitions of one upstream to the store. At most one write is in progress. Changes
// that arrive during a write are collected for the next write. So an upstream whose definitions
// change all the time does not fill the store's queue. The functions are called on the I/O thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/desk.h"

namespace host::upstream {

class PinWriter : public std::enable_shared_from_this<PinWriter> {
 public:
  explicit PinWriter(std::shared_ptr<store::Desk> desk) : desk_(std::move(desk)) {}
  // Passes the remaining changes to the store.
  ~PinWriter();
  PinWriter(const PinWriter&) = delete;
  PinWriter& operator=(const PinWriter&) = delete;

  void put(std::vector<store::PinRecord> records);

 private:
  void write();
  std::vector<store::PinRecord> take_waiting();

  const std::shared_ptr<store::Desk> desk_;
  std::map<std::string, store::PinRecord> waiting_;  // by the tool's name
  bool writing_ = false;
};

}  // namespace host::upstream
