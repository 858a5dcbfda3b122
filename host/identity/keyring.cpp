#include "identity/keyring.h"

#include <algorithm>

#include "identity/secret.h"

namespace host::identity {
namespace {

std::string_view bytes_of(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

void Keyring::set(const std::vector<store::KeyRecord>& keys,
                  const std::vector<store::LoginRecord>& logins) {
  keys_.clear();
  for (const store::KeyRecord& key : keys) {
    if (!key.revoked) keys_.emplace(key.id, key);
  }
  logins_.clear();
  for (const store::LoginRecord& login : logins) add(login);
}

void Keyring::add(const store::LoginRecord& login) {
  logins_.insert_or_assign(login.secret, login);
}

void Keyring::end_login(const Sha256& secret) {
  logins_.erase(secret);
}

const store::KeyRecord* Keyring::find_key(std::string_view text) const {
  const auto id = id_of(text);
  if (!id) return nullptr;
  const auto at = keys_.find(*id);
  if (at == keys_.end()) return nullptr;
  const Sha256 digest = digest_of_secret(text);
  return equal_constant_time(bytes_of(digest), bytes_of(at->second.secret)) ? &at->second : nullptr;
}

// Looked up by the digest: how long that takes tells nothing about the secret.
const store::LoginRecord* Keyring::find_login(std::string_view secret) const {
  const auto at = logins_.find(digest_of_secret(secret));
  if (at == logins_.end() || at->second.expires <= clock_.wall()) return nullptr;
  return &at->second;
}

bool Keyring::has_key_with(Scope scope) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [scope](const auto& entry) { return Scopes(entry.second.scopes).has(scope); });
}

bool Keyring::lets_call(std::string_view principal, std::string_view agent) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& entry) {
    const store::KeyRecord& key = entry.second;
    return key.principal == principal && (key.agent.empty() || key.agent == agent);
  });
}

std::set<std::string> Keyring::losers(const Keyring& before) const {
  std::set<std::string> names;
  for (const auto& [id, key] : before.keys_) {
    if (!keys_.contains(id)) names.insert(key.principal);
  }
  return names;
}

}  // namespace host::identity
