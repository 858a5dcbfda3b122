// Stores the results of calls with an idempotency key, and decides which of these calls run. A
// repeated call does not run and gets the stored result. Every function blocks. Only one thread may
// use the store at a time. A stored result survives the end of the process and a loss of power. A
// call claims its idempotency key while it runs, and the claim ends when the host's process ends,
// so that the next host can run the call immediately. If a task has asked its client questions, the
// task's record (tool/call/record.h) keeps the claim until the record has ended or has expired.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// The limits on the time and the size of stored results.
struct IdempotencyBounds {
  std::chrono::milliseconds keep = std::chrono::hours(24);  // how long results are stored
  // The limits on the stored results of one principal.
  std::uint32_t keys = 10'000;       // maximum number of keys of stored results and running calls
  std::uint64_t bytes = 64u << 20u;  // maximum size of the stored results
};

struct IdempotencyMeeting {
  enum class State : std::uint8_t {
    Claimed,  // the caller of meet() must run the call; keep() or give_up() ends the claim
    // The call already runs, in this host or in a different host. If `task` is set, it is the id of
    // a detached call whose host may have been killed.
    Running,
    Waiting,  // `task` has the claim, and has asked its client; possibly none of its calls runs now
    Kept,     // an earlier call with this key and these arguments has ended with `result`
    Clash,    // the key was used earlier with different arguments
    Full,     // the principal has too many keys, see IdempotencyBounds
  };
  State state = State::Claimed;
  tool::CallResult result = {};
  std::string task = {};
};

class IdempotencyClaims;

class IdempotencyStore {
 public:
  struct Ended {
    IdempotencyKey key;
    tool::CallResult result;
  };
  virtual ~IdempotencyStore() = default;

  // Returns the object that manages the claims of idempotency keys in this store. For an unused
  // key, IdempotencyClaims::claim_new() has the same effect as meet(). The returned object can be
  // used after the store was destroyed.
  virtual std::shared_ptr<IdempotencyClaims> claims() = 0;

  // `task` is the id of the task to which the call belongs. A call can use an idempotency key that
  // its own task has claimed. If the call belongs to no task, the id `task` is empty or unknown.
  virtual Result<IdempotencyMeeting> meet(const IdempotencyKey& key, const Sha256& arguments,
                                          std::string_view task = {}) = 0;
  // Stores the results of the calls with one sync of the disk, and ends their claims. Returns one
  // Result for each call, in the order of `ended`. If the Result is an Error, the call's claim
  // remains. If a call has no claim, keep() stores no result for the call. The failure of one call
  // has no effect on the other calls of `ended`.
  virtual std::vector<Result<void>> keep(const std::vector<Ended>& ended) = 0;
  virtual Result<void> give_up(const IdempotencyKey& key) = 0;
  // Stores an error as the result of a call whose host ended while the call ran. Each later call
  // with `key` gets the error, whatever its arguments are. If the key already has a stored result,
  // the function does nothing.
  virtual Result<void> keep_interrupted(const IdempotencyKey& key) = 0;
};

}  // namespace host::store
