// Writes the lists of one upstream's resources, templates and prompts to the store. At most one
// write is in progress. If an older version of a list still waits to be written, the newest version
// replaces it. A pause follows each write to the store. The pause after a write doubles with each
// write, up to `Pauses::most`. After the time `Pauses::most` without a write, the pauses begin
// again with the shortest pause. If lists could not be written, they wait for the next write. The
// functions of OfferWriter are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "store/desk.h"

namespace host::upstream {

class OfferWriter : public std::enable_shared_from_this<OfferWriter> {
 public:
  using Record = std::shared_ptr<const store::OfferRecord>;
  using Done = std::function<void(const Result<void>&)>;
  struct Pauses {
    std::chrono::milliseconds least{1000};
    std::chrono::milliseconds most{std::chrono::minutes(5)};
  };
  // Stores the records together, then calls `done`. The destructor of OfferWriter calls Write with
  // a null `done`.
  using Write = std::function<void(std::vector<Record>, Done done)>;

  OfferWriter(boost::asio::any_io_executor io, Write write, Pauses pauses);
  // Passes lists that are not written yet to the store.
  ~OfferWriter();
  OfferWriter(const OfferWriter&) = delete;
  OfferWriter& operator=(const OfferWriter&) = delete;

  // A Fresh is a list that was read from the upstream, with the digest of its entries.
  struct Fresh {
    Record record;
    Sha256 digest;
  };
  // Stores the lists that changed since the last put() or loaded(). Returns false if none of the
  // lists changed.
  bool put(std::vector<Fresh> lists);
  // Records that the store contains this list, unless put() was called with a list of the same
  // name.
  void loaded(const Fresh& list);
  // Returns true if put() or loaded() was called with a list of this name.
  bool knows(const std::string& list) const { return marks_.contains(list); }
  // If a newer version of a list in `stored` is not written yet, add_unwritten() replaces the list
  // by the newer version.
  void add_unwritten(std::vector<Record>& stored) const;
  // Drops the lists that wait to be written. The caller of forget() removes the records from the
  // store.
  void forget();
  // Ends the pause after a write, because the host stops and the pause would delay the host's end.
  // The destructor passes the waiting lists to the store.
  void stop() { timer_.cancel(); }

 private:
  void write();
  void take_back(const std::vector<Record>& records);
  void rest();
  std::vector<Record> take_waiting();

  const Write write_;
  const Pauses pauses_;
  std::map<std::string, std::string> marks_;  // keys: list names; values identify the contents
  std::map<std::string, Record> waiting_;     // by the list's name
  std::vector<Record> writing_;               // records of the write in progress
  bool is_writing_ = false;
  std::uint64_t generation_ = 0;  // grows with forget()
  std::chrono::milliseconds pause_;
  SteadyTime last_write_{};
  bool rests_ = false;  // the pause after the last write has not ended
  boost::asio::steady_timer timer_;
};

// Returns the function with which an OfferWriter stores records. `desk` must not be null.
OfferWriter::Write offers_to(std::shared_ptr<store::Desk> desk);

}  // namespace host::upstream
