// The Keyring has the valid keys and logins in memory, so that requests do not have to wait for the
// store. The functions of this header are called on the I/O thread.
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
#include "store/part/key_store.h"

namespace host::identity {

class Keyring {
 public:
  explicit Keyring(const Clock& clock) : clock_(&clock) {}

  // Replaces the keys and logins in the keyring.
  void set(const std::vector<store::KeyRecord>& keys,
           const std::vector<store::LoginRecord>& logins);
  bool has_expired() const;  // true if a key or login has expired
  void forget_expired();
  // `keys` are the keys in the store. Returns the keys in `keys` that were valid in this keyring
  // and have expired since.
  std::vector<store::KeyRecord> expired_of(const std::vector<store::KeyRecord>& keys) const;
  std::vector<store::KeyRecord> keys() const;

  // find_key() and find_login() return the record, or null if the key or login is unknown, revoked
  // or expired. A login is valid only while its key is valid.
  const store::KeyRecord* find_key(std::string_view text) const;
  const store::LoginRecord* find_login(const ShownLogin& shown) const;
  // Returns true if the key or login with this id is valid. Use has_key() and has_login() to check
  // whether a call or stream in progress may continue.
  bool has_key(std::string_view id) const;
  bool has_login(std::string_view id) const;

  std::vector<store::LoginRecord> logins() const;  // the newest first

  // Returns true if the store has or had any key, valid or not.
  bool has_keys() const { return had_keys_; }
  bool has_key_with(Scope scope) const;
  // Returns true if this principal has or had a key, valid or not.
  bool has_known(std::string_view principal) const { return known_.contains(principal); }
  // Returns true if a valid key of this principal has this scope.
  bool gives(std::string_view principal, Scope scope) const;
  // Returns true if a valid key with the scope `call` lets this principal call as this agent
  // (empty: without an agent).
  bool lets_call(std::string_view principal, std::string_view agent) const;
  // Returns the result of lets_call() without the keys that were made after `then`. A key that is
  // valid now was valid at each time since it was made.
  bool let_call(std::string_view principal, std::string_view agent, WallTime then) const;

  // Returns the principals of those keys in `before` that are no longer valid.
  std::set<std::string> losers(const Keyring& before) const;
  bool has_same_logins(const Keyring& other) const;

 private:
  const store::KeyRecord* key_by(std::string_view id) const;
  bool is_valid(const store::LoginRecord& login) const;

  const Clock* clock_;
  std::map<std::string, store::KeyRecord, std::less<>> keys_;  // keys that are not revoked, by id
  std::map<Sha256, store::LoginRecord> logins_;                // logins by the digest of the cookie
  std::set<std::string, std::less<>> known_;                   // principals that ever had a key
  bool had_keys_ = false;
};

}  // namespace host::identity
