// The claims of idempotency keys of one store, and an index in memory of the keys that have stored
// results. The host that has the claim of a key can run the call with this key. With the index, the
// I/O thread can claim a new key without waiting for the store.
//
// The index is used only while no other host has the store open, because other hosts store results
// that are not in the index. The index is built in steps, because a store can have many keys. The
// index contains the first 8 bytes of the digest of each idempotency key. If two keys have the same
// first 8 bytes, the host reads the store, as it does without an index.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "store/part/idempotency_store.h"
#include "store/sqlite/claim_file.h"

namespace host::store {

class IdempotencyClaims {
 public:
  // The number and the size of a principal's results in the store.
  struct Used {
    std::uint64_t keys = 0;
    std::uint64_t bytes = 0;
  };
  // A stored result.
  struct Stored {
    IdempotencyKey key;
    std::uint64_t bytes = 0;
  };
  // The maximum number of idempotency keys in the index, of all principals together. If the store
  // contains more idempotency keys, there is no index. An idempotency key takes about 40 bytes of
  // memory in the index.
  static constexpr std::uint64_t kMostIndexed = 250'000;

  // `database` is the path of the store's file.
  IdempotencyClaims(const std::filesystem::path& database, const IdempotencyBounds& bounds);

  // Claims a key that has no stored result. Returns true if this host now has the claim. The
  // function returns true only if the index shows that the key has no result and that the principal
  // is below its limits. If the function returns false, the caller must call
  // IdempotencyStore::meet(). Any thread can call claim_new(), which does not wait for transactions
  // of the store.
  bool claim_new(const IdempotencyKey& key, const Sha256& arguments);

  // The following functions are called on the thread of the store.

  // Returns the digest of the arguments of the call that has the claim of the key in this host.
  // Returns nullopt if no call in this host has the claim.
  std::optional<Sha256> arguments_of(const IdempotencyKey& key) const;
  // Returns true if the index has the key, so the store probably has a result for the key. Returns
  // false if there is no index.
  bool is_in_index(const IdempotencyKey& key) const;
  // Claims a key. Returns nullopt if a different host has the claim. The claim of the key ends when
  // the returned object is destroyed, unless the caller passes the object to add().
  Result<std::optional<ClaimFile::Claim>> claim(const IdempotencyKey& key);
  void add(const IdempotencyKey& key, const Sha256& arguments, ClaimFile::Claim claim);
  // Call stay_in_place() before a result is stored, and again before the claim of the stored result
  // ends. If the claim file was replaced, stay_in_place() moves the claims to the new file, so that
  // a host with the new file cannot treat the key as unused.
  void stay_in_place();
  // Returns the number of the principal's calls in this host that have claims.
  std::uint64_t running(const std::string& principal) const;
  // Ends this host's claim of an idempotency key, if there is one. `stored` is the size of the
  // result that is in the store now, or nullopt if no result was stored.
  void end(const IdempotencyKey& key, std::optional<std::uint64_t> stored);

  // The functions from next() to doubt() build the index of the idempotency keys in the store. The
  // caller of next() must read the keys of the store that follow the returned key, in the order of
  // the keys. If the index is empty, next() returns a key of three empty texts, which sorts before
  // all other keys. next() returns nullopt if the index is complete, or if there can be no index.
  // `mark` is Claim::mark() of the last claim. If the mark has changed since the index was begun,
  // next() drops the index.
  std::optional<IdempotencyKey> next(const ClaimFile::Mark& mark);
  // Adds the next keys of the store to the index. `is_end` is true if the store contains no further
  // keys.
  void read(const std::vector<IdempotencyKey>& keys, bool is_end);
  // Adds keys that the store does not list, because the claims of these keys belong to tasks. If a
  // key stays in the index for too long, the only effect is that the next call with this key reads
  // the store.
  void add_to_index(const std::vector<IdempotencyKey>& keys);
  // Records the number and the size of the principal's results in the store.
  void note(const std::string& principal, const Used& used);
  // Reports that the results `removed` were removed from the store.
  void forget(const std::vector<Stored>& removed);
  // Reports that the store contains more keys than the index can have. The index of keys is
  // dropped, and is built again after forget() was called.
  void too_many();
  // Reports that it is unknown whether a result was stored. The index of keys is dropped and built
  // again.
  void doubt();

 private:
  // A call that has an idempotency key and runs in this host.
  struct OwnCall {
    Sha256 arguments;
    std::uint64_t number = 0;  // the key's number in the file of claims
    ClaimFile::Claim claim;
  };
  enum class Index : std::uint8_t { Absent, Begun, Whole, TooLarge };

  bool has_index() const { return index_ == Index::Begun || index_ == Index::Whole; }
  bool was_read(const IdempotencyKey& key) const;
  bool may_be_stored(const IdempotencyKey& key, std::uint64_t number) const;
  void end_claim(std::map<IdempotencyKey, OwnCall>::iterator own);
  void put(const IdempotencyKey& key, const Sha256& arguments, std::uint64_t number,
           ClaimFile::Claim claim);
  void drop_index(Index state);

  const IdempotencyBounds bounds_;
  ClaimFile file_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<IdempotencyKey, OwnCall> claims_;
  std::map<std::string, std::uint64_t> running_;  // number of claims of each principal
  Index index_ = Index::Absent;
  ClaimFile::Mark mark_;  // the mark when the index was begun
  IdempotencyKey last_;   // the last key that was read into the index
  std::unordered_multiset<std::uint64_t> known_;
  std::unordered_multiset<std::uint64_t> dropped_;  // next() frees it on the store's thread
  std::map<std::string, Used> used_;                // has only principals that note() has recorded
};

}  // namespace host::store
