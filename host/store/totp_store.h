// What principals enrolled for one-time codes. The secret must be had again to check a code, so it
// stands here as it is: the file is its host's alone. Every call blocks; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"

namespace host::store {

struct TotpRecord {
  std::string principal;
  std::string secret;  // bytes
  bool confirmed = false;
  WallTime enrolled{};
  std::uint64_t last_step = 0;  // of the newest code that was good: that and older ones are used
  std::uint32_t failures = 0;   // since `failing_since`
  WallTime failing_since{};
  WallTime locked_until{};
  std::vector<Sha256> recovery;  // digests of the codes that are left
};

class TotpStore {
 public:
  virtual ~TotpStore() = default;

  // In place of what the principal had.
  virtual Result<void> put(const TotpRecord& record) = 0;
  // False: there is none.
  virtual Result<bool> remove(std::string_view principal) = 0;
  virtual Result<std::optional<TotpRecord>> find(std::string_view principal) = 0;
  virtual Result<std::vector<TotpRecord>> list() = 0;  // by name
  // Reads, lets `act` change it, and stores that, as one: no other process comes between. False:
  // there is none.
  virtual Result<bool> change(std::string_view principal,
                              const std::function<void(TotpRecord&)>& act) = 0;
};

}  // namespace host::store
