// Calls with an idempotency key. Decides which call runs, and stores the tool's result, so that a
// repeated call gets this result and does not run. Every call blocks; one thread at a time. A
// change survives the process once its call has returned.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "tool/call/result.h"

namespace host::store {

struct IdempotencyKey {
  std::string principal;
  std::string tool;
  std::string key;  // chosen by the client

  auto operator<=>(const IdempotencyKey&) const = default;
};

// The limits of time and size.
struct IdempotencyBounds {
  std::chrono::milliseconds keep = std::chrono::hours(24);  // from the end of the call
  // A host must renew its claims within this time. Otherwise its calls are considered lost.
  std::chrono::milliseconds lease{10'000};
  // Of one principal.
  std::uint32_t keys = 10'000;
  std::uint64_t bytes = 64u << 20u;  // of stored results
};

struct IdempotencyMeeting {
  enum class State : std::uint8_t {
    Claimed,  // the caller must run it; keep() or give_up() ends the claim
    Running,  // a different host runs it
    Kept,     // `result` is the stored result
    Clash,    // the key was used with different arguments
    Full,     // the principal has too many keys: IdempotencyBounds
  };
  State state = State::Claimed;
  tool::CallResult result = {};
};

class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;

  // `holder` identifies the calling host.
  virtual Result<IdempotencyMeeting> meet(const IdempotencyKey& key, const Sha256& arguments,
                                          std::string_view holder) = 0;
  // Ends the claim. Ignored if the claim was lost to a different host.
  virtual Result<void> keep(const IdempotencyKey& key, std::string_view holder,
                            const tool::CallResult& result) = 0;
  virtual Result<void> give_up(const IdempotencyKey& key, std::string_view holder) = 0;
  // Renews all claims of this host.
  virtual Result<void> renew(std::string_view holder) = 0;
};

}  // namespace host::store
