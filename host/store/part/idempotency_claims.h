// The claims of idempotency keys of one store, and an index in memory of the keys that have stored
// results. With the index, the I/O thread can claim a new key without waiting for the store.
//
// The index is used only while no other host has the store open: other hosts store results that are
// not in the index. The index is built in steps, because a store can have many keys. Keys are in
// the index by the first bytes of their digest. If a different key has the same bytes, the store
// decides, as it does without an index.
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
  // What a principal has in the store.
  struct Used {
    std::uint64_t keys = 0;
    std::uint64_t bytes = 0;
  };
  // A stored result.
  struct Stored {
    IdempotencyKey key;
    std::uint64_t bytes = 0;
  };
  // The most keys in the index, of all principals. With more keys there is no index. A key takes
  // about 40 bytes of memory.
  static constexpr std::uint64_t kMostIndexed = 250'000;

  // `database`: the file of the store.
  IdempotencyClaims(const std::filesystem::path& database, const IdempotencyBounds& bounds);

  // Any thread can call claim_new(). It does not wait for transactions of the store. True: the key
  // has no stored result, the principal has room for one more, and this host has the claim. False:
  // the caller must ask the store.
  bool claim_new(const IdempotencyKey& key, const Sha256& arguments);

  // The other functions are called on the thread of the store.

  // The arguments of the call in this host that has the claim of the key.
  std::optional<Sha256> arguments_of(const IdempotencyKey& key) const;
  // nullopt: a different host has the claim. The claim ends with the returned object, unless add()
  // takes it.
  Result<std::optional<ClaimFile::Claim>> claim(const IdempotencyKey& key);
  void add(const IdempotencyKey& key, const Sha256& arguments, ClaimFile::Claim claim);
  // Moves the claims to the file of claims that is there now. Call it before a result is stored,
  // and before the claim of the stored result ends: a host that has opened a new file meanwhile
  // must not take the key for new.
  void stay_in_place();
  // The calls of this host that have claims.
  std::uint64_t running(const std::string& principal) const;
  // Ends the claim, if there is one. `stored` is the size of the result that is in the store now.
  void end(const IdempotencyKey& key, std::optional<std::uint64_t> stored);

  // The functions of the index. next() returns the key after which the next keys of the store must
  // be read, in the order of the keys. The first key is after a key of three empty texts. nullopt:
  // nothing must be read. `mark` is the mark of the last claim.
  std::optional<IdempotencyKey> next(const ClaimFile::Mark& mark);
  // `keys` are the next keys of the store. `is_end`: there are no more.
  void read(const std::vector<IdempotencyKey>& keys, bool is_end);
  // `used` is what the principal has in the store.
  void note(const std::string& principal, const Used& used);
  // `removed` were removed from the store.
  void forget(const std::vector<Stored>& removed);
  // The store has more keys than the index can have. The index is begun again after a forget().
  void too_many();
  // It is not known whether a result was stored. The index is begun again.
  void doubt();

 private:
  // A call that this host runs.
  struct OwnCall {
    Sha256 arguments;
    ClaimFile::Claim claim;
  };
  enum class Index : std::uint8_t { Absent, Begun, Whole, TooLarge };

  bool has_index() const { return index_ == Index::Begun || index_ == Index::Whole; }
  bool was_read(const IdempotencyKey& key) const;
  bool may_be_stored(const IdempotencyKey& key, std::uint64_t number) const;
  void end_claim(std::map<IdempotencyKey, OwnCall>::iterator own);
  void put(const IdempotencyKey& key, const Sha256& arguments, ClaimFile::Claim claim);
  void drop_index(Index state);

  const IdempotencyBounds bounds_;
  ClaimFile file_;
  mutable std::mutex mutex_;  // guards what is below it
  std::map<IdempotencyKey, OwnCall> claims_;
  std::map<std::string, std::uint64_t> running_;  // claims, by principal
  Index index_ = Index::Absent;
  ClaimFile::Mark mark_;  // under which the index was begun
  IdempotencyKey last_;   // the last key that was read
  std::unordered_multiset<std::uint64_t> known_;
  std::unordered_multiset<std::uint64_t> dropped_;  // next() frees it, not the I/O thread
  std::map<std::string, Used> used_;                // of principals for which note() was called
};

}  // namespace host::store
