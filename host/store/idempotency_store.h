// Calls that carry an idempotency key: which of them runs, and what the tool answered, so that a
// call that comes again gets that answer and does not run. Every call blocks; one thread at a time.
// What was kept survives the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "tool/result.h"

namespace host::store {

struct IdempotencyKey {
  std::string principal;
  std::string tool;
  std::string key;  // the caller's

  auto operator<=>(const IdempotencyKey&) const = default;
};

// How long and how much is kept.
struct IdempotencyBounds {
  std::chrono::milliseconds keep = std::chrono::hours(24);  // from the end of the call
  // A host that runs a call says so again within this time; else the call is taken for lost.
  std::chrono::milliseconds lease{10'000};
  // Of one principal.
  std::uint32_t keys = 10'000;
  std::uint64_t bytes = 64u << 20u;  // of kept answers
};

struct IdempotencyMeeting {
  enum class State : std::uint8_t {
    Claimed,  // the caller runs it: keep() or give_up() ends the claim
    Running,  // another host runs it
    Kept,     // `result` is its answer
    Clash,    // the key was used with other arguments
    Full,     // the principal has no room for another key: IdempotencyBounds
  };
  State state = State::Claimed;
  tool::CallResult result = {};
};

class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;

  // `holder` names the host that asks.
  virtual Result<IdempotencyMeeting> meet(const IdempotencyKey& key, const Sha256& arguments,
                                          std::string_view holder) = 0;
  // The claim's end. Does nothing where the claim was lost to another host.
  virtual Result<void> keep(const IdempotencyKey& key, std::string_view holder,
                            const tool::CallResult& result) = 0;
  virtual Result<void> give_up(const IdempotencyKey& key, std::string_view holder) = 0;
  // All claims of this host stand for another lease.
  virtual Result<void> renew(std::string_view holder) = 0;
};

}  // namespace host::store
