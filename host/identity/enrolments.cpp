#include "identity/enrolments.h"

#include <utility>

#include "base/on_executor.h"

namespace host::identity {
namespace {

using boost::asio::awaitable;
using store::TotpRecord;
using store::TotpStore;

}  // namespace

// The store: on its thread alone.
class Enrolments::Keeper {
 public:
  explicit Keeper(std::filesystem::path file) : file_(std::move(file)) {}

  Result<TotpStore*> store() {
    if (!store_) {
      HOST_TRY_ASSIGN(store_, store::open_sqlite_totp_store(file_));
    }
    return store_.get();
  }

 private:
  const std::filesystem::path file_;
  std::unique_ptr<TotpStore> store_;
};

Enrolments::Enrolments(std::filesystem::path file, const Clock& clock)
    : clock_(clock), keeper_(std::make_shared<Keeper>(std::move(file))) {}

Enrolments::~Enrolments() {
  if (thread_) thread_->join();
}

template <class T>
awaitable<Result<T>> Enrolments::on_store(Act<T> act) {
  if (!thread_) thread_.emplace(1);
  std::function<Result<T>()> work = [keeper = keeper_, act = std::move(act)]() -> Result<T> {
    HOST_TRY_ASSIGN(TotpStore * store, keeper->store());
    return act(*store);
  };
  auto result = co_await on_executor<Result<T>>(thread_->get_executor(), std::move(work));
  co_return result;
}

awaitable<Result<Enrolments::MaybeRecord>> Enrolments::find(std::string principal) {
  Act<MaybeRecord> act = [principal = std::move(principal)](TotpStore& store) {
    return store.find(principal);
  };
  auto found = co_await on_store<MaybeRecord>(std::move(act));
  co_return found;
}

awaitable<Result<std::vector<TotpRecord>>> Enrolments::list() {
  Act<std::vector<TotpRecord>> act = [](TotpStore& store) { return store.list(); };
  auto records = co_await on_store<std::vector<TotpRecord>>(std::move(act));
  co_return records;
}

awaitable<Result<std::optional<Enrolment>>> Enrolments::enroll(std::string principal) {
  Act<std::optional<Enrolment>> act = [principal = std::move(principal),
                                       now = clock_.wall()](TotpStore& store) {
    return enroll_first(store, principal, now);
  };
  auto made = co_await on_store<std::optional<Enrolment>>(std::move(act));
  co_return made;
}

awaitable<Result<Enrolments::Codes>> Enrolments::confirm(std::string principal, std::string code) {
  Act<Codes> act = [principal = std::move(principal), code = std::move(code),
                    now = clock_.wall()](TotpStore& store) {
    return confirm_with_recovery(store, principal, code, now);
  };
  auto codes = co_await on_store<Codes>(std::move(act));
  co_return codes;
}

awaitable<Result<Enrolments::Codes>> Enrolments::renew(std::string principal, std::string code) {
  Act<Codes> act = [principal = std::move(principal), code = std::move(code), now = clock_.wall()](
                       TotpStore& store) { return renew_recovery(store, principal, code, now); };
  auto codes = co_await on_store<Codes>(std::move(act));
  co_return codes;
}

awaitable<Result<void>> Enrolments::remove(std::string principal, std::string code) {
  Act<bool> act = [principal = std::move(principal), code = std::move(code),
                   now = clock_.wall()](TotpStore& store) -> Result<bool> {
    HOST_TRY(remove_by_code(store, principal, code, now));
    return true;
  };
  HOST_CO_TRY(co_await on_store<bool>(std::move(act)));
  co_return Result<void>();
}

awaitable<Result<bool>> Enrolments::unlock(std::string principal) {
  Act<bool> act = [principal = std::move(principal)](TotpStore& store) {
    return identity::unlock(store, principal);
  };
  auto done = co_await on_store<bool>(std::move(act));
  co_return done;
}

awaitable<Result<bool>> Enrolments::forget(std::string principal) {
  Act<bool> act = [principal = std::move(principal)](TotpStore& store) {
    return store.remove(principal);
  };
  auto done = co_await on_store<bool>(std::move(act));
  co_return done;
}

}  // namespace host::identity
