#include "store/part/idempotency_store.h"

#include <map>
#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/claim_file.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

using State = IdempotencyMeeting::State;

constexpr std::chrono::seconds kForgetEvery{1};  // old answers, so that no call pays for each
constexpr std::uint64_t kForgottenTogether = 2'000;

// Keys whose numbers are equal by chance would wait for each other.
std::uint64_t claim_number(const IdempotencyKey& key) {
  std::string all;
  for (const std::string* const part : {&key.principal, &key.tool, &key.key})
    all.append(std::to_string(part->size())).append(":").append(*part);
  const Sha256 digest = sha256(all);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8u | digest[i];
  return number;
}

class SqliteIdempotencyStore final : public IdempotencyStore {
 public:
  SqliteIdempotencyStore(Sqlite& database, const std::filesystem::path& file, const Clock& clock,
                         const IdempotencyBounds& bounds)
      : database_(database), claim_file_(file), clock_(clock), bounds_(bounds) {}

  // The claim comes first: a host ends its claim after it has stored its answer.
  Result<IdempotencyMeeting> meet(const IdempotencyKey& key, const Sha256& arguments) override {
    if (const auto own = claims_.find(key); own != claims_.end())
      return IdempotencyMeeting{own->second.arguments == arguments ? State::Running : State::Clash};
    HOST_TRY_ASSIGN(std::optional<ClaimFile::Claim> claim, claim_file_.claim(claim_number(key)));
    HOST_TRY_ASSIGN(IdempotencyMeeting met, look(key, arguments));
    if (met.state != State::Claimed) return met;
    if (!claim) return IdempotencyMeeting{State::Running};
    HOST_TRY_ASSIGN(bool full, is_full(key.principal));
    if (full) {
      HOST_TRY(forget_old());
      HOST_TRY_ASSIGN(full, is_full(key.principal));
    }
    if (full) return IdempotencyMeeting{State::Full};
    claims_.emplace(key, OwnCall{arguments, *std::move(claim)});
    ++running_[key.principal];
    return met;
  }

  Result<void> keep(const IdempotencyKey& key, const tool::CallResult& result) override {
    const auto own = claims_.find(key);
    if (own == claims_.end()) return {};
    if (clock_.wall() >= forget_at_) HOST_TRY(forget_old());
    const std::uint64_t size =
        result.content.size() + result.structured.size() + result.meta.size();
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT INTO idempotency (principal, tool, key, arguments, ended, bytes, "
                          "is_error, content, structured, meta) "
                          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"));
    put.bind(key.principal).bind(key.tool).bind(key.key);
    put.bind_blob(bytes_of(own->second.arguments)).bind(milliseconds_of(clock_.wall()));
    put.bind(size).bind(std::uint64_t{result.is_error});
    HOST_TRY(put.bind(result.content).bind(result.structured).bind(result.meta).run());
    end(own);
    return {};
  }

  Result<void> give_up(const IdempotencyKey& key) override {
    if (const auto own = claims_.find(key); own != claims_.end()) end(own);
    return {};
  }

 private:
  // A call that this store runs.
  struct OwnCall {
    Sha256 arguments;
    ClaimFile::Claim claim;
  };
  using Claims = std::map<IdempotencyKey, OwnCall>;

  void end(Claims::iterator own) {
    const auto count = running_.find(own->first.principal);
    if (--count->second == 0) running_.erase(count);
    claims_.erase(own);
  }

  Result<IdempotencyMeeting> look(const IdempotencyKey& key, const Sha256& arguments) {
    IdempotencyMeeting met{State::Kept};
    std::uint64_t expired = 0;
    {
      HOST_TRY_ASSIGN(
          Statement row,
          database_.prepare("SELECT arguments, is_error, content, structured, meta, ended, place "
                            "FROM idempotency WHERE principal = ?1 AND tool = ?2 AND key = ?3"));
      row.bind(key.principal).bind(key.tool).bind(key.key);
      HOST_TRY_ASSIGN(const bool there, row.step());
      if (!there) return IdempotencyMeeting{State::Claimed};
      if (row.number(5) <= oldest()) {
        expired = row.number(6);
      } else if (row.blob(0) != bytes_of(arguments)) {
        met.state = State::Clash;
      } else {
        met.result.is_error = row.number(1) != 0;
        met.result.content = row.text(2);
        met.result.structured = row.text(3);
        met.result.meta = row.text(4);
      }
    }
    if (expired == 0) return met;
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM idempotency WHERE place = ?1"));
    HOST_TRY(forget.bind(expired).run());
    return IdempotencyMeeting{State::Claimed};
  }

  Result<bool> is_full(const std::string& principal) {
    HOST_TRY_ASSIGN(
        Statement used,
        database_.prepare("SELECT keys, bytes FROM idempotency_used WHERE principal = ?1"));
    HOST_TRY_ASSIGN(const bool has_any, used.bind(principal).step());
    const auto own = running_.find(principal);
    const std::uint64_t running = own == running_.end() ? 0 : own->second;
    if (!has_any) return running >= bounds_.keys;
    return used.number(0) + running >= bounds_.keys || used.number(1) >= bounds_.bytes;
  }

  // Answers that ended by then were kept long enough.
  std::uint64_t oldest() const { return milliseconds_of(clock_.wall() - bounds_.keep); }

  // The oldest answers have the lowest places.
  Result<void> forget_old() {
    forget_at_ = clock_.wall() + kForgetEvery;
    {
      HOST_TRY_ASSIGN(Statement first, database_.prepare("SELECT ended FROM idempotency "
                                                         "ORDER BY place LIMIT 1"));
      HOST_TRY_ASSIGN(const bool has_any, first.step());
      if (!has_any || first.number(0) > oldest()) return {};
    }
    HOST_TRY_ASSIGN(Transaction transaction,
                    Transaction::begin(database_, Transaction::Sync::Later));
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM idempotency WHERE place IN (SELECT place FROM "
                                      "(SELECT place, ended FROM idempotency ORDER BY place "
                                      "LIMIT ?2) WHERE ended <= ?1)"));
    HOST_TRY(forget.bind(oldest()).bind(kForgottenTogether).run());
    return transaction.commit();
  }

  Sqlite& database_;
  ClaimFile claim_file_;
  const Clock& clock_;
  const IdempotencyBounds bounds_;
  Claims claims_;
  std::map<std::string, std::uint64_t> running_;  // claims, by principal
  WallTime forget_at_{};
};

}  // namespace

std::unique_ptr<IdempotencyStore> idempotency_in(Sqlite& database,
                                                 const std::filesystem::path& file,
                                                 const Clock& clock,
                                                 const IdempotencyBounds& bounds) {
  return std::make_unique<SqliteIdempotencyStore>(database, file, clock, bounds);
}

}  // namespace host::store
