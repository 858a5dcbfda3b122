#include "store/part/idempotency_claims.h"

#include <utility>

#include "base/log.h"

namespace host::store {
namespace {

// Keys whose numbers are equal by chance would wait for each other.
std::uint64_t number_of(const IdempotencyKey& key) {
  std::string all;
  for (const std::string* const part : {&key.principal, &key.tool, &key.key})
    all.append(std::to_string(part->size())).append(":").append(*part);
  const Sha256 digest = sha256(all);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8u | digest[i];
  return number;
}

}  // namespace

IdempotencyClaims::IdempotencyClaims(const std::filesystem::path& database,
                                     const IdempotencyBounds& bounds)
    : bounds_(bounds), file_(database) {}

// A host ends a claim after it has stored the result. So once this host has the claim, whatever a
// different host has stored for the key was stored under the mark of the claim. Is that mark the
// mark of the index, and this host was alone then, no different host has stored anything since.
bool IdempotencyClaims::claim_new(const IdempotencyKey& key, const Sha256& arguments) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || index_ != Index::Whole) return false;
  const std::uint64_t number = number_of(key);
  if (may_be_stored(key, number)) return false;
  auto claim = file_.claim(number);
  if (!claim || !*claim) return false;
  if ((*claim)->mark() != mark_) {
    drop_index(Index::Absent);
    return false;
  }
  put(key, arguments, number, **std::move(claim));
  return true;
}

bool IdempotencyClaims::may_be_stored(const IdempotencyKey& key, std::uint64_t number) const {
  if (claims_.count(key) > 0 || known_.count(number) > 0) return true;
  const auto used = used_.find(key.principal);
  if (used == used_.end()) return true;
  const auto own = running_.find(key.principal);
  const std::uint64_t running = own == running_.end() ? 0 : own->second;
  return used->second.keys + running >= bounds_.keys || used->second.bytes >= bounds_.bytes;
}

std::optional<Sha256> IdempotencyClaims::arguments_of(const IdempotencyKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto own = claims_.find(key);
  if (own == claims_.end()) return std::nullopt;
  return own->second.arguments;
}

bool IdempotencyClaims::is_in_index(const IdempotencyKey& key) const {
  const std::lock_guard lock(mutex_);
  return !known_.empty() && known_.contains(number_of(key));
}

Result<std::optional<ClaimFile::Claim>> IdempotencyClaims::claim(const IdempotencyKey& key) {
  return file_.claim(number_of(key));
}

void IdempotencyClaims::stay_in_place() {
  if (const auto done = file_.stay_in_place(); !done) {
    log::warning("store", "the file of claims was replaced, and the new one cannot be used",
                 {{"reason", done.error().message}});
  }
}

void IdempotencyClaims::add(const IdempotencyKey& key, const Sha256& arguments,
                            ClaimFile::Claim claim) {
  const std::lock_guard lock(mutex_);
  put(key, arguments, number_of(key), std::move(claim));
}

void IdempotencyClaims::put(const IdempotencyKey& key, const Sha256& arguments,
                            std::uint64_t number, ClaimFile::Claim claim) {
  claims_.emplace(key, OwnCall{arguments, number, std::move(claim)});
  ++running_[key.principal];
}

std::uint64_t IdempotencyClaims::running(const std::string& principal) const {
  const std::lock_guard lock(mutex_);
  const auto own = running_.find(principal);
  return own == running_.end() ? 0 : own->second;
}

void IdempotencyClaims::end(const IdempotencyKey& key, std::optional<std::uint64_t> stored) {
  const std::lock_guard lock(mutex_);
  const auto own = claims_.find(key);
  if (own == claims_.end()) return;
  if (stored && was_read(key)) known_.insert(own->second.number);
  if (const auto used = used_.find(key.principal); stored && used != used_.end()) {
    ++used->second.keys;
    used->second.bytes += *stored;
  }
  end_claim(own);
  if (known_.size() > kMostIndexed) drop_index(Index::TooLarge);
}

void IdempotencyClaims::end_claim(std::map<IdempotencyKey, OwnCall>::iterator own) {
  const auto count = running_.find(own->first.principal);
  if (--count->second == 0) {
    running_.erase(count);
    const auto used = used_.find(own->first.principal);
    if (used != used_.end() && used->second.keys == 0) used_.erase(used);
  }
  claims_.erase(own);
}

// ---- the index

// A key after the last one is read later.
bool IdempotencyClaims::was_read(const IdempotencyKey& key) const {
  return index_ == Index::Whole || (index_ == Index::Begun && key <= last_);
}

std::optional<IdempotencyKey> IdempotencyClaims::next(const ClaimFile::Mark& mark) {
  const bool is_alone = file_.is_alone();
  std::unordered_multiset<std::uint64_t> freed;
  const std::lock_guard lock(mutex_);
  freed.swap(dropped_);
  if (has_index() && (mark != mark_ || !is_alone)) drop_index(Index::Absent);
  if (index_ == Index::Absent && is_alone) {
    index_ = Index::Begun;
    mark_ = mark;
  }
  if (index_ != Index::Begun) return std::nullopt;
  return last_;
}

void IdempotencyClaims::read(const std::vector<IdempotencyKey>& keys, bool is_end) {
  const std::lock_guard lock(mutex_);
  if (index_ != Index::Begun) return;
  for (const IdempotencyKey& key : keys) known_.insert(number_of(key));
  if (!keys.empty()) last_ = keys.back();
  if (is_end) index_ = Index::Whole;
  if (known_.size() > kMostIndexed) drop_index(Index::TooLarge);
}

void IdempotencyClaims::add_to_index(const std::vector<IdempotencyKey>& keys) {
  const std::lock_guard lock(mutex_);
  if (!has_index()) return;
  for (const IdempotencyKey& key : keys) known_.insert(number_of(key));
  if (known_.size() > kMostIndexed) drop_index(Index::TooLarge);
}

void IdempotencyClaims::note(const std::string& principal, const Used& used) {
  const std::lock_guard lock(mutex_);
  if (has_index()) used_[principal] = used;
}

void IdempotencyClaims::forget(const std::vector<Stored>& removed) {
  const std::lock_guard lock(mutex_);
  for (const Stored& one : removed) {
    const auto known = was_read(one.key) ? known_.find(number_of(one.key)) : known_.end();
    if (known != known_.end()) known_.erase(known);
    const auto used = used_.find(one.key.principal);
    if (used == used_.end()) continue;
    --used->second.keys;
    used->second.bytes -= one.bytes;
    if (used->second.keys == 0 && running_.count(one.key.principal) == 0) used_.erase(used);
  }
  if (index_ == Index::TooLarge && !removed.empty()) index_ = Index::Absent;
}

void IdempotencyClaims::too_many() {
  const std::lock_guard lock(mutex_);
  drop_index(Index::TooLarge);
}

void IdempotencyClaims::doubt() {
  const std::lock_guard lock(mutex_);
  if (has_index()) drop_index(Index::Absent);
}

void IdempotencyClaims::drop_index(Index state) {
  index_ = state;
  last_ = {};
  dropped_.swap(known_);
  known_.clear();
  used_.clear();
}

}  // namespace host::store
