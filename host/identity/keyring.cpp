#include "identity/keyring.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "identity/secret.h"

namespace host::identity {
namespace {

std::string_view bytes_of(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

void Keyring::set(const std::vector<store::KeyRecord>& keys,
                  const std::vector<store::LoginRecord>& logins) {
  had_keys_ = had_keys_ || !keys.empty();
  keys_.clear();
  for (const store::KeyRecord& key : keys) known_.insert(key.principal);
  for (const store::KeyRecord& key : keys) {
    if (key.is_valid_at(clock_->wall())) keys_.emplace(key.id, key);
  }
  logins_.clear();
  for (const store::LoginRecord& login : logins) logins_.emplace(login.secret, login);
}

bool Keyring::has_expired() const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [this](const auto& one) { return !one.second.is_valid_at(clock_->wall()); }) ||
         std::any_of(logins_.begin(), logins_.end(),
                     [this](const auto& one) { return !is_valid(one.second); });
}

void Keyring::forget_expired() {
  std::erase_if(keys_, [this](const auto& one) { return !one.second.is_valid_at(clock_->wall()); });
  std::erase_if(logins_, [this](const auto& one) { return !is_valid(one.second); });
}

std::vector<store::KeyRecord> Keyring::expired_of(const std::vector<store::KeyRecord>& keys) const {
  std::vector<store::KeyRecord> expired;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(expired),
               [this](const store::KeyRecord& key) {
                 return keys_.contains(key.id) && !key.revoked && !key.is_valid_at(clock_->wall());
               });
  return expired;
}

std::vector<store::KeyRecord> Keyring::keys() const {
  std::vector<store::KeyRecord> all;
  for (const auto& [id, key] : keys_) all.push_back(key);
  return all;
}

const store::KeyRecord* Keyring::key_by(std::string_view id) const {
  const auto at = keys_.find(id);
  if (at == keys_.end() || !at->second.is_valid_at(clock_->wall())) return nullptr;
  return &at->second;
}

bool Keyring::is_valid(const store::LoginRecord& login) const {
  return login.expires > clock_->wall() && (login.key.empty() || key_by(login.key));
}

const store::KeyRecord* Keyring::find_key(std::string_view text) const {
  const auto id = id_of(text);
  const store::KeyRecord* const key = id ? key_by(*id) : nullptr;
  if (!key) return nullptr;
  const Sha256 digest = digest_of_secret(text);
  return equal_constant_time(bytes_of(digest), bytes_of(key->secret)) ? key : nullptr;
}

// Looked up by the digest, so the time it takes reveals nothing about the secret.
const store::LoginRecord* Keyring::find_login(const ShownLogin& shown) const {
  if (!shown.is_whole()) return nullptr;
  const auto at = logins_.find(digest_of_secret(shown.cookie));
  if (at == logins_.end() || !is_valid(at->second)) return nullptr;
  const Sha256 beside = digest_of_secret(shown.page_secret);
  const bool same = equal_constant_time(bytes_of(beside), bytes_of(at->second.page_secret));
  return same ? &at->second : nullptr;
}

bool Keyring::has_key(std::string_view id) const {
  return key_by(id) != nullptr;
}

bool Keyring::has_login(std::string_view id) const {
  return std::any_of(logins_.begin(), logins_.end(),
                     [&](const auto& one) { return one.second.id == id && is_valid(one.second); });
}

std::vector<store::LoginRecord> Keyring::logins() const {
  std::vector<store::LoginRecord> valid;
  for (const auto& [secret, login] : logins_) {
    if (is_valid(login)) valid.push_back(login);
  }
  std::sort(valid.begin(), valid.end(), [](const auto& a, const auto& b) {
    return std::tie(b.created, a.id) < std::tie(a.created, b.id);
  });
  return valid;
}

bool Keyring::has_key_with(Scope scope) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& entry) {
    return Scopes(entry.second.scopes).has(scope) && entry.second.is_valid_at(clock_->wall());
  });
}

bool Keyring::lets_call(std::string_view principal, std::string_view agent) const {
  return let_call(principal, agent, WallTime::max());
}

bool Keyring::let_call(std::string_view principal, std::string_view agent, WallTime then) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& entry) {
    const store::KeyRecord& key = entry.second;
    return key.principal == principal && (key.agent.empty() || key.agent == agent) &&
           Scopes(key.scopes).has(Scope::Call) && key.created <= then &&
           key.is_valid_at(clock_->wall());
  });
}

bool Keyring::gives(std::string_view principal, Scope scope) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& entry) {
    const store::KeyRecord& key = entry.second;
    return key.principal == principal && Scopes(key.scopes).has(scope) &&
           key.is_valid_at(clock_->wall());
  });
}

std::set<std::string> Keyring::losers(const Keyring& before) const {
  std::set<std::string> names;
  for (const auto& [id, key] : before.keys_) {
    if (!keys_.contains(id)) names.insert(key.principal);
  }
  return names;
}

bool Keyring::has_same_logins(const Keyring& other) const {
  return std::equal(logins_.begin(), logins_.end(), other.logins_.begin(), other.logins_.end(),
                    [](const auto& a, const auto& b) { return a.first == b.first; });
}

}  // namespace host::identity
