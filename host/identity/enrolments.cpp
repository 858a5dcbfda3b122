#include "identity/enrolments.h"

#include <utility>

namespace host::identity {
namespace {

using boost::asio::awaitable;
using store::Desk;
using store::Store;
using store::TotpRecord;

}  // namespace

Enrolments::Enrolments(std::shared_ptr<store::Desk> desk, const Clock& clock)
    : clock_(clock), desk_(std::move(desk)) {}

awaitable<Result<Enrolments::MaybeRecord>> Enrolments::find(std::string principal) {
  Desk::Act<MaybeRecord> act = [principal = std::move(principal)](Store& store) {
    return store.codes().find(principal);
  };
  auto found = co_await desk_->ask<MaybeRecord>(std::move(act));
  co_return found;
}

awaitable<Result<std::vector<TotpRecord>>> Enrolments::list() {
  Desk::Act<std::vector<TotpRecord>> act = [](Store& store) { return store.codes().list(); };
  auto records = co_await desk_->ask<std::vector<TotpRecord>>(std::move(act));
  co_return records;
}

awaitable<Result<std::optional<Enrolment>>> Enrolments::enroll(std::string principal) {
  Desk::Act<std::optional<Enrolment>> act = [principal = std::move(principal),
                                             now = clock_.wall()](Store& store) {
    return enroll_first(store.codes(), principal, now);
  };
  auto made = co_await desk_->ask<std::optional<Enrolment>>(std::move(act));
  co_return made;
}

awaitable<Result<Enrolments::Codes>> Enrolments::confirm(std::string principal, std::string code,
                                                         SharedJudgement judged) {
  Desk::Act<Codes> act = [principal = std::move(principal), code = std::move(code),
                          judged = std::move(judged), now = clock_.wall()](Store& store) {
    return confirm_with_recovery(store.codes(), principal, code, now, judged.get());
  };
  auto codes = co_await desk_->ask<Codes>(std::move(act));
  co_return codes;
}

awaitable<Result<Enrolments::Codes>> Enrolments::renew(std::string principal, std::string code,
                                                       SharedJudgement judged) {
  Desk::Act<Codes> act = [principal = std::move(principal), code = std::move(code),
                          judged = std::move(judged), now = clock_.wall()](Store& store) {
    return renew_recovery(store.codes(), principal, code, now, judged.get());
  };
  auto codes = co_await desk_->ask<Codes>(std::move(act));
  co_return codes;
}

awaitable<Result<void>> Enrolments::remove(std::string principal, std::string code,
                                           SharedJudgement judged) {
  Desk::Act<bool> act = [principal = std::move(principal), code = std::move(code),
                         judged = std::move(judged),
                         now = clock_.wall()](Store& store) -> Result<bool> {
    HOST_TRY(remove_by_code(store.codes(), principal, code, now, judged.get()));
    return true;
  };
  HOST_CO_TRY(co_await desk_->ask<bool>(std::move(act)));
  co_return Result<void>();
}

awaitable<Result<bool>> Enrolments::unlock(std::string principal) {
  Desk::Act<bool> act = [principal = std::move(principal)](Store& store) {
    return identity::unlock(store.codes(), principal);
  };
  auto done = co_await desk_->ask<bool>(std::move(act));
  co_return done;
}

awaitable<Result<bool>> Enrolments::forget(std::string principal) {
  Desk::Act<bool> act = [principal = std::move(principal)](Store& store) {
    return store.codes().remove(principal);
  };
  auto done = co_await desk_->ask<bool>(std::move(act));
  co_return done;
}

}  // namespace host::identity
