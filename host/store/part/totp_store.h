// The one-time code enrolments of principals. The secret is needed to check a code, so a record has
// it as plain text. The database has it sealed (secret_box.h). Every call blocks; one thread at a
// time.
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
  std::uint64_t last_step = 0;  // of the newest accepted code; it and older codes are used up
  std::uint32_t failures = 0;   // since `failing_since`
  WallTime failing_since{};
  WallTime locked_until{};
  std::vector<Sha256> recovery;  // digests of the unused codes
};

class TotpStore {
 public:
  virtual ~TotpStore() = default;

  // Replaces the principal's record.
  virtual Result<void> put(const TotpRecord& record) = 0;
  // False: there is none.
  virtual Result<bool> remove(std::string_view principal) = 0;
  virtual Result<std::optional<TotpRecord>> find(std::string_view principal) = 0;
  virtual Result<std::vector<TotpRecord>> list() = 0;  // by name
  // Reads the record, lets `act` change it, and stores it, as one transaction. False: there is no
  // record.
  virtual Result<bool> change(std::string_view principal,
                              const std::function<void(TotpRecord&)>& act) = 0;
};

}  // namespace host::store
