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
#include "identity/scopes.h"
#include "store/key_store.h"

namespace host::identity {

class Keyring {
 public:
  explicit Keyring(const Clock& clock) : clock_(clock) {}

  // In place of what was there.
  void set(const std::vector<store::KeyRecord>& keys,
           const std::vector<store::LoginRecord>& logins);
  void add(const store::LoginRecord& login);
  void end_login(const Sha256& secret);

  // Whose it is; nothing where it is unknown, revoked or over.
  const store::KeyRecord* find_key(std::string_view text) const;
  const store::LoginRecord* find_login(std::string_view secret) const;

  bool has_keys() const { return !keys_.empty(); }
  bool has_key_with(Scope scope) const;
  // Whether a key lets this principal call as this agent (empty: as none).
  bool lets_call(std::string_view principal, std::string_view agent) const;
  // Who had a key that holds no more.
  std::set<std::string> losers(const Keyring& before) const;

 private:
  const Clock& clock_;
  std::map<std::string, store::KeyRecord, std::less<>> keys_;  // by id, those that hold
  std::map<Sha256, store::LoginRecord> logins_;
};

}  // namespace host::identity
