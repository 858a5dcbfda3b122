// Stores the logins of this host at its upstreams: registrations and tokens. Callers get the logins
// as plain text, but the database contains only sealed logins (secret_box.h). Every function
// blocks. Only one thread at a time may use the store.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::store {

class UpstreamLoginStore {
 public:
  virtual ~UpstreamLoginStore() = default;

  // `login` is a text that the store does not interpret. put() replaces the upstream's earlier
  // login with the new login.
  virtual Result<void> put(std::string_view upstream, std::string_view login) = 0;
  // Returns nullopt if there is no login at this upstream.
  virtual Result<std::optional<std::string>> find(std::string_view upstream) = 0;
};

}  // namespace host::store
