// The keys and logins that hold now, in memory, so that a request waits for no store. I/O thread
// only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "identity/page_login.h"
#include "identity/scopes.h"
#include "store/key_store.h"

namespace host::identity {

class Keyring {
 public:
  explicit Keyring(const Clock& clock) : clock_(&clock) {}

  // In place of what was there.
  void set(const std::vector<store::KeyRecord>& keys,
           const std::vector<store::LoginRecord>& logins);
  bool has_expired() const;  // some key or login
  void forget_expired();
  // Of `keys`, as the store has them: those that were valid in this one, and have expired.
  std::vector<store::KeyRecord> expired_of(const std::vector<store::KeyRecord>& keys) const;
  std::vector<store::KeyRecord> keys() const;

  // Whose it is; null where it is unknown, revoked or has expired. A login is checked with its key.
  const store::KeyRecord* find_key(std::string_view text) const;
  const store::LoginRecord* find_login(const ShownLogin& shown) const;
  // The same by id, for what a key or login has begun and still goes on.
  bool has_key(std::string_view id) const;
  bool has_login(std::string_view id) const;

  std::vector<store::LoginRecord> logins() const;  // the newest first

  // Whether there ever was a key here, valid or not.
  bool has_keys() const { return had_keys_; }
  bool has_key_with(Scope scope) const;
  // Whether a key lets this principal call as this agent (empty: as none).
  bool lets_call(std::string_view principal, std::string_view agent) const;

  // Who had a key that is not valid any more.
  std::set<std::string> losers(const Keyring& before) const;
  bool has_same_logins(const Keyring& other) const;

 private:
  const store::KeyRecord* key_by(std::string_view id) const;
  bool is_valid(const store::LoginRecord& login) const;

  const Clock* clock_;
  std::map<std::string, store::KeyRecord, std::less<>> keys_;  // by id, none that is revoked
  std::map<Sha256, store::LoginRecord> logins_;                // by the digest of the cookie
  bool had_keys_ = false;
};

}  // namespace host::identity
