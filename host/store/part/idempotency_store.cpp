#include "store/part/idempotency_store.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "store/part/idempotency_claims.h"
#include "store/part/sqlite_parts.h"
#include "store/sqlite/claim_file.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

using State = IdempotencyMeeting::State;

constexpr std::chrono::seconds kForgetEvery{1};  // old answers, so that no call pays for each
constexpr std::uint64_t kForgottenTogether = 2'000;

constexpr std::uint64_t kIndexedTogether = 256;
// The condition of the index call_claim.
#define TP_HAS_CLAIM "claim <> x'' AND asked > 0 AND state < 2"

// The condition of the index call_in_progress.
#define TP_IS_IN_PROGRESS "idempotency_key <> '' AND made_by = 1 AND executes = 0 AND state = 1"

// In place of the digest of a call's arguments, which is not known any more.
constexpr Sha256 kAnyArguments{};

// Where an index is worth to be begun. It has room for some more keys.
constexpr std::uint64_t kMostToBegin =
    IdempotencyClaims::kMostIndexed - IdempotencyClaims::kMostIndexed / 10;

class SqliteIdempotencyStore final : public IdempotencyStore {
 public:
  SqliteIdempotencyStore(Sqlite& database, const std::filesystem::path& file, const Clock& clock,
                         const IdempotencyBounds& bounds)
      : database_(database),
        clock_(clock),
        bounds_(bounds),
        claims_(std::make_shared<IdempotencyClaims>(file, bounds)) {}

  std::shared_ptr<IdempotencyClaims> claims() override { return claims_; }

  // A result that is stored needs no claim. Else the claim comes before the look: a host ends its
  // claim after it has stored its answer.
  Result<IdempotencyMeeting> meet(const IdempotencyKey& key, const Sha256& arguments,
                                  std::string_view task) override {
    if (const auto own = claims_->arguments_of(key))
      return IdempotencyMeeting{*own == arguments ? State::Running : State::Clash};
    IdempotencyMeeting met;
    if (claims_->is_in_index(key)) {
      HOST_TRY_ASSIGN(met, look(key, arguments));
    }
    if (met.state != State::Claimed) return met;
    HOST_TRY_ASSIGN(std::optional<ClaimFile::Claim> claim, claims_->claim(key));
    HOST_TRY_ASSIGN(met, look(key, arguments));
    if (met.state != State::Claimed) return met;
    HOST_TRY_ASSIGN(met, look_at_tasks(key, arguments, task));
    if (met.state != State::Claimed) return met;
    if (!claim) return IdempotencyMeeting{State::Running};
    HOST_TRY(extend_index(claim->mark()));
    HOST_TRY_ASSIGN(bool full, is_full(key.principal));
    if (full) {
      HOST_TRY(forget_old());
      HOST_TRY_ASSIGN(full, is_full(key.principal));
    }
    if (full) {
      HOST_TRY(forget_future(key.principal));
      HOST_TRY_ASSIGN(full, is_full(key.principal));
    }
    if (full) return IdempotencyMeeting{State::Full};
    claims_->add(key, arguments, *std::move(claim));
    return met;
  }

  std::vector<Result<void>> keep(const std::vector<Ended>& ended) override {
    const WallTime now = clock_.wall();
    if (now >= forget_at_ || forget_at_ - now > kForgetEvery) {  // the clock was set back
      if (const auto done = forget_old(); !done) {
        log::warning("store", "old results of calls with idempotency keys are not removed",
                     {{"reason", done.error().message}});
      }
    }
    claims_->stay_in_place();
    const Inserted inserted = insert_together(ended);
    claims_->stay_in_place();
    std::vector<Result<void>> outcomes;
    for (std::size_t i = 0; i < ended.size(); ++i) {
      if (inserted[i]) claims_->end(ended[i].key, *inserted[i]);
      outcomes.push_back(inserted[i] ? Result<void>() : inserted[i].error());
    }
    return outcomes;
  }

  Result<void> give_up(const IdempotencyKey& key) override {
    claims_->end(key, std::nullopt);
    return {};
  }

  Result<void> keep_interrupted(const IdempotencyKey& key) override {
    const auto own = claims_->arguments_of(key);
    using Claim = std::optional<ClaimFile::Claim>;  // tells the other hosts that the key is used
    const Result<Claim> claim = own ? Result<Claim>(Claim()) : claims_->claim(key);
    if (!claim) return claim.error();
    if (!own && !*claim) return {};  // a call with the key runs at another host
    HOST_TRY_ASSIGN(const IdempotencyMeeting met, look(key, own.value_or(kAnyArguments)));
    if (met.state != State::Claimed) return {};
    HOST_TRY(insert_row(key, interrupted(), own.value_or(kAnyArguments)));
    claims_->add_to_index({key});
    HOST_TRY_ASSIGN(const IdempotencyClaims::Used used, used_by(key.principal));
    claims_->note(key.principal, used);
    return {};
  }

 private:
  // For each call, the bytes that its result takes in the store.
  using Inserted = std::vector<Result<std::uint64_t>>;

  static std::uint64_t size_of(const tool::CallResult& result) {
    return result.content.size() + result.structured.size() + result.meta.size();
  }

  // If one of them cannot be stored, each is stored by itself.
  Inserted insert_together(const std::vector<Ended>& ended) {
    if (ended.size() > 1) {
      if (auto all = insert_all(ended)) return *std::move(all);
    }
    Inserted inserted;
    for (const Ended& one : ended) inserted.push_back(insert(one));
    return inserted;
  }

  // The outcomes of all of them; nullopt: one of them cannot be stored, so none is.
  std::optional<Inserted> insert_all(const std::vector<Ended>& ended) {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return Inserted(ended.size(), transaction.error());
    Inserted inserted;
    for (const Ended& one : ended) {
      inserted.push_back(insert(one));
      if (!inserted.back()) return std::nullopt;
    }
    const auto done = transaction->commit();
    if (done) return inserted;
    claims_->doubt();
    return Inserted(ended.size(), done.error());
  }

  Result<std::uint64_t> insert(const Ended& ended) {
    const auto arguments = claims_->arguments_of(ended.key);
    if (!arguments) return Error{ErrorKind::Internal, "this host does not have the claim"};
    auto put = insert_within_limit(ended, *arguments);
    if (!put) claims_->doubt();
    return put;
  }

  // Calls that run at the same moment all found room when they began. Small results pass the limit
  // by little. In place of a large one, a note keeps the tool from a second run.
  Result<std::uint64_t> insert_within_limit(const Ended& ended, const Sha256& arguments) {
    const std::uint64_t bytes = size_of(ended.result);
    bool has_room = bytes <= bounds_.bytes / 1024;
    if (!has_room) {
      HOST_TRY_ASSIGN(const IdempotencyClaims::Used used, used_by(ended.key.principal));
      has_room = used.bytes < bounds_.bytes;
    }
    if (!has_room) return insert_row(ended.key, without_room(), arguments);
    return insert_row(ended.key, ended.result, arguments);
  }

  static tool::CallResult interrupted() {
    return tool::CallResult::error(
        "The host ended while a call with this idempotency key ran, so it is unknown what that "
        "call did. Nothing ran now. Find out whether to run the tool again, and then use a new "
        "key.");
  }

  static tool::CallResult without_room() {
    return tool::CallResult::error(
        "A call with this idempotency key has run, but its result was not kept: the results of "
        "this principal's calls had reached limits.idempotency_bytes_per_principal. Nothing ran "
        "now. To run the tool again, use a new key.");
  }

  Result<std::uint64_t> insert_row(const IdempotencyKey& key, const tool::CallResult& result,
                                   const Sha256& arguments) {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT INTO idempotency (principal, tool, key, arguments, ended, bytes, "
                          "is_error, content, structured, meta) "
                          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"));
    put.bind(key.principal).bind(key.tool).bind(key.key);
    put.bind_blob(bytes_of(arguments)).bind(milliseconds_of(clock_.wall()));
    put.bind(size_of(result)).bind(std::uint64_t{result.is_error});
    HOST_TRY(put.bind(result.content).bind(result.structured).bind(result.meta).run());
    return size_of(result);
  }

  Result<IdempotencyMeeting> look(const IdempotencyKey& key, const Sha256& arguments) {
    IdempotencyMeeting met{State::Kept};
    std::uint64_t expired = 0;
    std::uint64_t bytes = 0;
    {
      HOST_TRY_ASSIGN(
          Statement row,
          database_.prepare(
              "SELECT arguments, is_error, content, structured, meta, ended, place, bytes "
              "FROM idempotency WHERE principal = ?1 AND tool = ?2 AND key = ?3"));
      row.bind(key.principal).bind(key.tool).bind(key.key);
      HOST_TRY_ASSIGN(const bool there, row.step());
      if (!there) return IdempotencyMeeting{State::Claimed};
      if (row.number(5) <= oldest()) {
        expired = row.number(6);
        bytes = row.number(7);
      } else if (row.blob(0) != bytes_of(arguments) && row.blob(0) != bytes_of(kAnyArguments)) {
        met.state = State::Clash;
      } else {
        met.result.is_error = row.number(1) != 0;
        met.result.content = row.text(2);
        met.result.structured = row.text(3);
        met.result.meta = row.text(4);
      }
    }
    if (expired == 0) return met;
    // A different host may have removed it meanwhile, and may have stored a result in its place.
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM idempotency WHERE place = ?1 "
                                                        "AND ended <= ?2"));
    HOST_TRY(forget.bind(expired).bind(oldest()).run());
    if (database_.changes() > 0) claims_->forget({{key, bytes}});
    return IdempotencyMeeting{State::Claimed};
  }

  Result<IdempotencyMeeting> look_at_tasks(const IdempotencyKey& key, const Sha256& arguments,
                                           std::string_view own) {
    HOST_TRY_ASSIGN(Statement row,
                    database_.prepare(
                        "SELECT id, claim FROM call_record WHERE principal = ?1 AND key_tool = ?2 "
                        "AND idempotency_key = ?3 AND " TP_HAS_CLAIM
                        " AND id <> ?4 AND (expires = 0 OR expires > ?5) LIMIT 1"));
    row.bind(key.principal).bind(key.tool).bind(key.key).bind(own);
    HOST_TRY_ASSIGN(const bool there, row.bind(milliseconds_of(clock_.wall())).step());
    if (!there) return look_at_calls_in_progress(key, own);
    const bool is_same = row.text(1) == bytes_of(arguments);
    return IdempotencyMeeting{
        is_same ? State::Waiting : State::Clash, {}, std::string(row.text(0))};
  }

  // A detached call whose host was killed has no claim any more. When that host starts again, it
  // stores that the call was interrupted. Until then nobody knows whether the call has run.
  Result<IdempotencyMeeting> look_at_calls_in_progress(const IdempotencyKey& key,
                                                       std::string_view own) {
    HOST_TRY_ASSIGN(
        Statement row,
        database_.prepare("SELECT id FROM call_record WHERE principal = ?1 AND key_tool = ?2 "
                          "AND idempotency_key = ?3 AND " TP_IS_IN_PROGRESS
                          " AND id <> ?4 AND updated > ?5 LIMIT 1"));
    row.bind(key.principal).bind(key.tool).bind(key.key).bind(own);
    HOST_TRY_ASSIGN(const bool there, row.bind(oldest()).step());
    if (!there) return IdempotencyMeeting{State::Claimed};
    return IdempotencyMeeting{State::Running, {}, std::string(row.text(0))};
  }

  Result<IdempotencyClaims::Used> used_by(const std::string& principal) {
    HOST_TRY_ASSIGN(
        Statement row,
        database_.prepare("SELECT keys, bytes FROM idempotency_used WHERE principal = ?1"));
    HOST_TRY_ASSIGN(const bool has_any, row.bind(principal).step());
    if (!has_any) return IdempotencyClaims::Used{};
    return IdempotencyClaims::Used{row.number(0), row.number(1)};
  }

  Result<bool> is_full(const std::string& principal) {
    HOST_TRY_ASSIGN(const IdempotencyClaims::Used used, used_by(principal));
    claims_->note(principal, used);
    return used.keys + claims_->running(principal) >= bounds_.keys || used.bytes >= bounds_.bytes;
  }

  // A call that had to ask the store reads some of the keys.
  Result<void> extend_index(const ClaimFile::Mark& mark) {
    const auto after = claims_->next(mark);
    if (!after) return {};
    if (*after == IdempotencyKey{}) {
      HOST_TRY_ASSIGN(Statement count, database_.prepare("SELECT COALESCE(SUM(keys), 0) "
                                                         "FROM idempotency_used"));
      HOST_TRY(count.step());
      if (count.number(0) > kMostToBegin) {
        claims_->too_many();
        return {};
      }
      HOST_TRY(index_claims_of_tasks());
    }
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT principal, tool, key FROM idempotency WHERE (principal, tool, "
                          "key) > (?1, ?2, ?3) ORDER BY principal, tool, key LIMIT ?4"));
    rows.bind(after->principal).bind(after->tool).bind(after->key).bind(kIndexedTogether);
    HOST_TRY_ASSIGN(const auto keys, keys_in(rows));
    claims_->read(keys, keys.size() < kIndexedTogether);
    return {};
  }

  // Those of other hosts, whose calls may have ended, and those of this host before its restart. A
  // key stays in the index when its task has ended: its next call asks the store.
  Result<void> index_claims_of_tasks() {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT principal, key_tool, idempotency_key FROM call_record "
                          "WHERE " TP_HAS_CLAIM " UNION ALL "
                          "SELECT principal, key_tool, idempotency_key FROM call_record "
                          "WHERE " TP_IS_IN_PROGRESS));
    HOST_TRY_ASSIGN(const auto keys, keys_in(rows));
    claims_->add_to_index(keys);
    return {};
  }

  static Result<std::vector<IdempotencyKey>> keys_in(Statement& rows) {
    std::vector<IdempotencyKey> keys;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return keys;
      keys.push_back(
          {std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2))});
    }
  }

  // Answers that ended by then were kept long enough.
  std::uint64_t oldest() const { return milliseconds_of(clock_.wall() - bounds_.keep); }
  // An answer that ended later was stored while the clock was ahead, or the clock is behind now.
  std::uint64_t latest() const { return milliseconds_of(clock_.wall() + bounds_.keep); }

  // The oldest answers have the lowest places, but for those of the future, which do not keep the
  // others.
  Result<void> forget_old() {
    forget_at_ = clock_.wall() + kForgetEvery;
    {
      HOST_TRY_ASSIGN(Statement first,
                      database_.prepare("SELECT ended FROM (SELECT ended FROM idempotency "
                                        "ORDER BY place LIMIT ?1) WHERE ended <= ?2 LIMIT 1"));
      HOST_TRY_ASSIGN(const bool has_any, first.bind(kForgottenTogether).bind(latest()).step());
      if (!has_any || first.number(0) > oldest()) return {};
    }
    HOST_TRY_ASSIGN(Transaction transaction,
                    Transaction::begin(database_, Transaction::Sync::Later));
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM idempotency WHERE place IN (SELECT place FROM "
                                      "(SELECT place, ended FROM idempotency ORDER BY place "
                                      "LIMIT ?2) WHERE ended <= ?1) "
                                      "RETURNING principal, tool, key, bytes"));
    forget.bind(oldest()).bind(kForgottenTogether);
    return forget_those(std::move(transaction), std::move(forget));
  }

  // Only where the principal needs the room: if it is the clock that is wrong now, they are needed.
  Result<void> forget_future(const std::string& principal) {
    HOST_TRY_ASSIGN(Transaction transaction,
                    Transaction::begin(database_, Transaction::Sync::Later));
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM idempotency WHERE place IN (SELECT place FROM "
                                      "idempotency WHERE principal = ?1 AND ended > ?2 LIMIT ?3) "
                                      "RETURNING principal, tool, key, bytes"));
    forget.bind(principal).bind(latest()).bind(kForgottenTogether);
    return forget_those(std::move(transaction), std::move(forget));
  }

  Result<void> forget_those(Transaction transaction, Statement forget) {
    std::vector<IdempotencyClaims::Stored> removed;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, forget.step());
      if (!row) break;
      removed.push_back(
          {{std::string(forget.text(0)), std::string(forget.text(1)), std::string(forget.text(2))},
           forget.number(3)});
    }
    HOST_TRY(transaction.commit());
    claims_->forget(removed);
    return {};
  }

  Sqlite& database_;
  const Clock& clock_;
  const IdempotencyBounds bounds_;
  const std::shared_ptr<IdempotencyClaims> claims_;
  WallTime forget_at_{};
};

#undef TP_IS_IN_PROGRESS
#undef TP_HAS_CLAIM

}  // namespace

std::unique_ptr<IdempotencyStore> idempotency_in(Sqlite& database,
                                                 const std::filesystem::path& file,
                                                 const Clock& clock,
                                                 const IdempotencyBounds& bounds) {
  return std::make_unique<SqliteIdempotencyStore>(database, file, clock, bounds);
}

}  // namespace host::store
