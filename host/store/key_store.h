// Who may come in, and with what rights: keys, one-time links to the page, logins there. Of each
// secret its digest alone is kept. Every call blocks; one thread at a time.
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

// `scopes` are bits, numbered in identity/scopes.h.
struct KeyRecord {
  std::string id;  // of the key, not secret
  std::string principal;
  std::uint32_t scopes = 0;
  Sha256 secret{};
  WallTime created{};
  bool revoked = false;
  std::string agent = {};                // it calls as that one alone; empty: it is no agent's
  std::optional<WallTime> expires = {};  // nullopt: never
  std::optional<WallTime> used = {};     // the last time, by a minute or so; nullopt: never
  std::string successor = {};            // the key that replaces it; empty: none

  bool is_valid_at(WallTime now) const { return !revoked && (!expires || *expires > now); }
};

struct LinkRecord {
  Sha256 secret{};
  std::string principal;
  std::uint32_t scopes = 0;
  WallTime expires{};
};

// Both secrets are needed, see identity/page_login.h.
struct LoginRecord {
  std::string id;        // not secret
  Sha256 secret{};       // of the cookie
  Sha256 page_secret{};  // of the header beside it
  std::string principal;
  std::uint32_t scopes = 0;
  std::string key;  // it ends with that one; empty: by a link
  WallTime created{};
  WallTime expires{};
};

struct Rotation {
  KeyRecord fresh;
  WallTime old_expires{};  // of the key that it replaces
};

class KeyStore {
 public:
  virtual ~KeyStore() = default;

  virtual Result<void> add_key(const KeyRecord& key) = 0;
  // The newest first, revoked ones too.
  virtual Result<std::vector<KeyRecord>> keys() = 0;
  // Ends its logins too. False: it was revoked already. NotFound: there is none of this id.
  virtual Result<bool> revoke(std::string_view id) = 0;
  // Adds `fresh` with the principal, scopes and agent of the key `id`, and returns it whole. That
  // key, the old one, expires at `until`, or earlier if it did before. Without an expiry of its own
  // `fresh` is valid for as long as that key was. InvalidArgument: that key is not valid any more,
  // or was replaced before.
  virtual Result<Rotation> rotate(std::string_view id, const KeyRecord& fresh, WallTime until) = 0;

  virtual Result<void> add_link(const LinkRecord& link) = 0;

  // A login is made by what gives it its rights, in one transaction that checks it: there is no
  // other way to make one. nullopt: this gives none. Of one key, or of one principal's links, there
  // are at most `most` logins: the oldest make room.
  // Uses the link up.
  virtual Result<std::optional<LoginRecord>> log_in_by_link(const Sha256& link,
                                                            const LoginRecord& fresh,
                                                            std::size_t most) = 0;
  virtual Result<std::optional<LoginRecord>> log_in_by_key(std::string_view key,
                                                           const Sha256& secret,
                                                           const LoginRecord& fresh,
                                                           std::size_t most) = 0;

  // False: there is none of this id.
  virtual Result<bool> end_login(std::string_view id) = 0;
  // Those of a principal that have none but these scopes. How many there were.
  virtual Result<std::size_t> end_logins(std::string_view principal, std::uint32_t scopes) = 0;
  // That have not expired, and whose key is valid. The newest first.
  virtual Result<std::vector<LoginRecord>> logins() = 0;

  // Keeps when keys were used, by id, and deletes logins and links that have expired.
  virtual Result<void> tidy(const std::map<std::string, WallTime>& uses) = 0;

  // Whether another process has written since the last time that this was asked.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
