// Stores calls that have an idempotency key. The store decides which call runs, and keeps the
// tool's result, so that a repeated call gets this result and does not run. Every function blocks.
// Only one thread at a time must use the store. Once a function has returned, its changes survive
// the end of the process.
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

// The limits on time and size.
struct IdempotencyBounds {
  std::chrono::milliseconds keep = std::chrono::hours(24);  // from the end of the call
  // A host must renew its claims within this time. If a host does not renew them, its calls are
  // considered lost.
  std::chrono::milliseconds lease{10'000};
  // The limits that apply to one principal.
  std::uint32_t keys = 10'000;
  std::uint64_t bytes = 64u << 20u;  // of stored results
};

struct IdempotencyMeeting {
  enum class State : std::uint8_t {
    Claimed,  // the caller of meet() must run the call; keep() or give_up() ends the claim
    Running,  // a different host runs the call
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
  // Ends the claim and stores the result. The function changes nothing if a different host has
  // taken the claim over.
  virtual Result<void> keep(const IdempotencyKey& key, std::string_view holder,
                            const tool::CallResult& result) = 0;
  virtual Result<void> give_up(const IdempotencyKey& key, std::string_view holder) = 0;
  // Renews all claims of the host `holder`.
  virtual Result<void> renew(std::string_view holder) = 0;
};

}  // namespace host::store
