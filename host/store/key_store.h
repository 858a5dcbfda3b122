// Who may come in, and with what rights: keys, one-time links to the page, logins there. Of each
// secret its digest alone is kept. Every call blocks; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"

namespace host::store {

// `scopes` are bits, numbered in identity/scopes.h.
struct KeyRecord {
  std::string id;  // of the key, not secret
  std::string principal;
  std::uint32_t scopes = 0;
  Sha256 secret{};
  WallTime created{};
  bool revoked = false;
  std::string agent = {};  // it calls as that one alone; empty: it is no agent's
};

struct LinkRecord {
  Sha256 secret{};
  std::string principal;
  std::uint32_t scopes = 0;
  WallTime expires{};
};

struct LoginRecord {
  Sha256 secret{};
  std::string principal;
  std::uint32_t scopes = 0;
  std::string key;  // it ends with that one; empty: by a link
  WallTime expires{};
};

class KeyStore {
 public:
  virtual ~KeyStore() = default;

  virtual Result<void> add_key(const KeyRecord& key) = 0;
  // The newest first, revoked ones too.
  virtual Result<std::vector<KeyRecord>> keys() = 0;
  // Ends its logins too. False: it was revoked already. NotFound: there is none of this id.
  virtual Result<bool> revoke(std::string_view id) = 0;

  virtual Result<void> add_link(const LinkRecord& link) = 0;
  // Uses the link up, for a login with its principal and scopes; nothing where it was used, has
  // expired or never was.
  virtual Result<std::optional<LoginRecord>> use_link(const Sha256& secret,
                                                      const LoginRecord& fresh) = 0;

  virtual Result<void> add_login(const LoginRecord& login) = 0;
  virtual Result<void> end_login(const Sha256& secret) = 0;
  virtual Result<std::vector<LoginRecord>> logins() = 0;  // that have not expired

  // Whether another process has written since the last time that this was asked.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
