// Calls that outlive their request, and the numbered rows of their state changes. Every call
// blocks; one thread at a time. A change survives the process once its call has returned.
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

// A heartbeat. It changes no state, so many are stored together.
struct Beat {
  std::string id;
  std::uint64_t lease = 0;
  WallTime at{};
  std::optional<std::uint64_t> client_clock;
};

// The new state of a record, and the version that the writer expects in the store.
struct RecordWrite {
  std::shared_ptr<const tool::Record> record;
  std::uint64_t expected = 0;  // the stored version; 0: the record is new
  std::vector<tool::Transition> transitions;
};

// The transitions with their numbers. nullopt: nothing was written, because the stored record has a
// different version or a newer lease.
using RecordWritten = std::optional<std::vector<tool::Transition>>;

class RecordStore {
 public:
  virtual ~RecordStore() = default;

  // Stores each record with its transitions, all in one transaction. `owner`: the address at which
  // they are served. The results are in the order of `writes`. Error: none was stored.
  virtual Result<std::vector<RecordWritten>> write(const std::vector<RecordWrite>& writes,
                                                   std::string_view owner) = 0;
  // Stores heartbeats of records that are still Processing under the same lease. Other heartbeats
  // are ignored.
  virtual Result<void> beat(const std::vector<Beat>& beats) = 0;

  virtual Result<std::optional<tool::Record>> find(std::string_view id) = 0;
  // The oldest first.
  virtual Result<std::vector<tool::Record>> list(std::string_view owner) = 0;
  struct Filter {
    std::string session;                     // empty: of all sessions, and without one
    std::optional<tool::RecordState> state;  // nullopt: in any state
  };
  // Records of all owners, newest first, at most `limit`.
  virtual Result<std::vector<tool::Record>> newest(const Filter& filter, std::uint32_t limit) = 0;

  // Transitions of a session after the number `seq`, in order, at most `limit`.
  virtual Result<std::vector<tool::Transition>> transitions_after(std::string_view session,
                                                                  std::uint64_t seq,
                                                                  std::uint32_t limit) = 0;
  // The same, only those to Complete and Error.
  virtual Result<std::vector<tool::Transition>> ends_after(std::string_view session,
                                                           std::uint64_t seq,
                                                           std::uint32_t limit) = 0;
  // The highest transition number of an ended call whose record was removed. 0: there is none. A
  // reader whose position is lower has missed results.
  virtual Result<std::uint64_t> last_lost(std::string_view session) = 0;

  // Removes records, with their transitions.
  virtual Result<void> forget(const std::vector<std::string>& ids) = 0;
  // Removes expired records of all owners.
  virtual Result<void> forget_expired(WallTime now) = 0;
};

}  // namespace host::store
