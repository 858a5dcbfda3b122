// Stores the enrolments of principals for one-time codes. In a record the secret is plain text,
// because the host needs the plain text to check a code. In the database, the secret is sealed
// (secret_box.h). Every function blocks. Only one thread at a time may use the store.
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
  std::string secret;  // the bytes of the secret
  bool confirmed = false;
  WallTime enrolled{};
  // The time step of the newest accepted code. The host no longer accepts the codes of `last_step`
  // and of earlier time steps.
  std::uint64_t last_step = 0;
  std::uint32_t failures = 0;  // number of wrong codes since `failing_since`
  WallTime failing_since{};
  WallTime locked_until{};
  std::vector<Sha256> recovery;  // digests of the unused recovery codes
};

class TotpStore {
 public:
  virtual ~TotpStore() = default;

  // Adds the principal's record, or replaces it.
  virtual Result<void> put(const TotpRecord& record) = 0;
  // Returns false if the principal had no record.
  virtual Result<bool> remove(std::string_view principal) = 0;
  virtual Result<std::optional<TotpRecord>> find(std::string_view principal) = 0;
  virtual Result<std::vector<TotpRecord>> list() = 0;  // sorted by principal
  // Reads the record, lets `act` change it, and stores the result, in one transaction. Returns
  // false if the principal has no record.
  virtual Result<bool> change(std::string_view principal,
                              const std::function<void(TotpRecord&)>& act) = 0;
};

}  // namespace host::store
