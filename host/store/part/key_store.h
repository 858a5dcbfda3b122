// Stores credentials and their scopes: keys, one-time login links and logins to the console. The
// store contains only the digests of secrets. Every function blocks. Only one thread at a time may
// use the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"

namespace host::store {

// The record of one API key. `scopes` has one bit for each scope. identity/scopes.h defines the
// number of each scope.
struct KeyRecord {
  std::string id;  // is not secret
  std::string principal;
  std::uint32_t scopes = 0;
  Sha256 secret{};
  WallTime created{};
  bool revoked = false;
  std::string agent = {};                // the agent to which the key belongs; empty: no agent
  std::optional<WallTime> expires = {};  // nullopt: never
  std::optional<WallTime> used = {};     // the last use, to within about a minute; nullopt: never
  std::string successor = {};            // the id of the key that replaces this key; empty: none

  bool is_valid_at(WallTime now) const { return !revoked && (!expires || *expires > now); }
};

struct LinkRecord {
  Sha256 secret{};
  std::string principal;
  std::uint32_t scopes = 0;
  WallTime expires{};
};

// The record of one login to the console. HTTP requests that use the login must contain both
// secrets of the login: one in the cookie, one in a header (identity/page_login.h). A login that
// was made with a key ends when the key ends.
struct LoginRecord {
  std::string id;        // the login's id, which is not secret
  Sha256 secret{};       // the digest of the secret in the cookie
  Sha256 page_secret{};  // the digest of the secret in the header
  std::string principal;
  std::uint32_t scopes = 0;
  std::string key;  // the id of the key that made the login; empty: a login link made it
  WallTime created{};
  WallTime expires{};
};

struct Rotation {
  KeyRecord fresh;
  WallTime old_expires{};  // when the replaced key expires
};

class KeyStore {
 public:
  virtual ~KeyStore() = default;

  virtual Result<void> add_key(const KeyRecord& key) = 0;
  // Returns all keys, the newest first, including revoked keys.
  virtual Result<std::vector<KeyRecord>> keys() = 0;
  // Revokes a key, and ends the logins that were made with it. Returns false if the key was already
  // revoked before. The Error NotFound means that there is no such key.
  virtual Result<bool> revoke(std::string_view id) = 0;
  // Adds `fresh` with the principal, scopes and agent of the key `id`, and returns the completed
  // record. The old key expires at `until`, or at its expiry if that is earlier. If `fresh` has no
  // expiry, it gets the same lifetime as the old key. The Error InvalidArgument means that the old
  // key is no longer valid, or was already replaced.
  virtual Result<Rotation> rotate(std::string_view id, const KeyRecord& fresh, WallTime until) = 0;

  virtual Result<void> add_link(const LinkRecord& link) = 0;

  // Only the two functions log_in_by_link() and log_in_by_key() make logins. Each of the two
  // functions checks the link or key and makes the login in one transaction. log_in_by_link() and
  // log_in_by_key() return nullopt if the link or key is not valid. log_in_by_link() uses up the
  // link. At most `most` logins made with one key can exist, and at most `most` logins made with
  // links of one principal. If a new login would exceed `most`, the function ends the oldest login.
  virtual Result<std::optional<LoginRecord>> log_in_by_link(const Sha256& link,
                                                            const LoginRecord& fresh,
                                                            std::size_t most) = 0;
  virtual Result<std::optional<LoginRecord>> log_in_by_key(std::string_view key,
                                                           const Sha256& secret,
                                                           const LoginRecord& fresh,
                                                           std::size_t most) = 0;

  // Ends a login. Returns false if there is no such login.
  virtual Result<bool> end_login(std::string_view id) = 0;
  // Ends the principal's logins whose scopes are all in `scopes`. Returns the number of ended
  // logins.
  virtual Result<std::size_t> end_logins(std::string_view principal, std::uint32_t scopes) = 0;
  // Lists the logins that have not expired and whose key is valid, the newest first.
  virtual Result<std::vector<LoginRecord>> logins() = 0;

  // Stores the last use of keys, by the key's id, and deletes expired logins and links.
  virtual Result<void> tidy(const std::map<std::string, WallTime>& uses) = 0;

  // Returns true if a different process has written to the database since the last call.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
