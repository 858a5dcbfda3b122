// Stores calls that outlive their request, and the changes of their state as numbered rows
// (transitions). Every function blocks. Only one thread at a time may use the store. Once a
// function has returned, its changes survive the end of the process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "tool/call/record.h"

namespace host::store {

// A Beat is a heartbeat of a running call, from the host or from the client that executes the call.
// A heartbeat changes no state, so the host stores many of them together.
struct Beat {
  std::string id;
  std::uint64_t lease = 0;
  WallTime at{};
  std::optional<std::uint64_t> client_clock;
};

// A RecordWrite contains the new state of a record, and the version that the writer expects in the
// store.
struct RecordWrite {
  std::shared_ptr<const tool::Record> record;
  std::uint64_t expected = 0;  // the stored version; 0: the record is new
  std::vector<tool::Transition> transitions;
};

// The transitions of one RecordWrite with their numbers. A RecordWritten is nullopt if the store
// did not write the record, because the stored record has a different version or a newer lease.
using RecordWritten = std::optional<std::vector<tool::Transition>>;

class RecordStore {
 public:
  virtual ~RecordStore() = default;

  // Stores each record with its transitions, all in one transaction. `owner` is the address of the
  // host that serves the records. The results are in the order of `writes`. If write() returns an
  // Error, the store has written no record.
  virtual Result<std::vector<RecordWritten>> write(const std::vector<RecordWrite>& writes,
                                                   std::string_view owner) = 0;
  // Stores the heartbeats of records that are still Processing and still have the lease of the
  // heartbeat. beat() ignores all other heartbeats.
  virtual Result<void> beat(const std::vector<Beat>& beats) = 0;

  virtual Result<std::optional<tool::Record>> find(std::string_view id) = 0;
  // Lists the records of one owner, the oldest first.
  virtual Result<std::vector<tool::Record>> list(std::string_view owner) = 0;
  struct Filter {
    std::string session;                     // empty: all records, also those without a session
    std::optional<tool::RecordState> state;  // nullopt: records in any state
  };
  // Lists records of all owners, the newest first, but not more than `limit`.
  virtual Result<std::vector<tool::Record>> newest(const Filter& filter, std::uint32_t limit) = 0;

  // Lists the transitions of a session that follow the number `seq`, in order, but not more than
  // `limit`.
  virtual Result<std::vector<tool::Transition>> transitions_after(std::string_view session,
                                                                  std::uint64_t seq,
                                                                  std::uint32_t limit) = 0;
  // Lists the transitions to Complete and Error that follow the number `seq`, like
  // transitions_after().
  virtual Result<std::vector<tool::Transition>> ends_after(std::string_view session,
                                                           std::uint64_t seq,
                                                           std::uint32_t limit) = 0;
  // Returns the highest transition number of the removed records of ended calls, or 0 if no record
  // of an ended call was removed. A reader whose position is lower than last_lost() has missed
  // results.
  virtual Result<std::uint64_t> last_lost(std::string_view session) = 0;

  // Removes records, with their transitions.
  virtual Result<void> forget(const std::vector<std::string>& ids) = 0;
  // Removes expired records of all owners that have ended. If an expired record has not ended,
  // the host that owns the record ends it. forget_expired() removes the record itself if it expired
  // more than a day ago and has an owner other than `owner`, because its host is gone.
  virtual Result<void> forget_expired(WallTime now, std::string_view owner) = 0;
};

}  // namespace host::store
