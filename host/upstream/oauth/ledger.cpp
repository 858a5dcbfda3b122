#include "upstream/oauth/ledger.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

#include "base/log.h"

namespace host::upstream::oauth {
namespace {

using boost::asio::awaitable;

// Other hosts change a record every few minutes.
constexpr int kMostTries = 8;

}  // namespace

awaitable<Result<void>> Ledger::load() {
  if (is_loaded_) co_return Result<void>();
  auto found = co_await vault_.read();
  if (is_loaded_) co_return Result<void>();  // meanwhile
  if (!found) co_return found.error().within("the login could not be read");
  is_loaded_ = true;
  if (*found) use(newest(**found));
  co_return Result<void>();
}

awaitable<void> Ledger::begin_turn() {
  if (!std::exchange(is_taken_, true)) co_return;
  auto turn = std::make_shared<boost::asio::steady_timer>(
      io_, boost::asio::steady_timer::time_point::max());
  waiting_.push_back(turn);
  co_await turn->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
}

// The next one has the turn at once, so that nobody comes between.
void Ledger::end_turn() {
  if (waiting_.empty()) {
    is_taken_ = false;
    return;
  }
  const auto next = std::move(waiting_.front());
  waiting_.pop_front();
  next->cancel();
}

awaitable<bool> Ledger::change(Change change) {
  const auto self = shared_from_this();
  co_await begin_turn();
  struct Turn {
    Ledger& of;
    ~Turn() { of.end_turn(); }
  } const turn{*this};
  const bool done = co_await change_in_turn(std::move(change));
  co_return done;
}

awaitable<void> Ledger::look() {
  Change nothing = [](LoginRecord&) { return false; };
  const bool ignored = co_await change(std::move(nothing));
  (void)ignored;
}

// What could not be stored is newer than what was stored before it, but not than what a different
// host has stored since. A record that does not fit the configuration is as good as none.
LoginRecord Ledger::newest(LoginRecord stored) const {
  if (is_unsaved_ && stored.version <= record_.version) return record_;
  if (around_.fits(stored)) return stored;
  LoginRecord out = none_;
  out.version = stored.version;
  return out;
}

awaitable<bool> Ledger::change_in_turn(Change change) {
  for (int i = 0; i < kMostTries; ++i) {
    LoginRecord next = record_;
    auto found = co_await vault_.read();
    const bool was_loaded = is_loaded_;
    if (found && vault_.stores()) {
      is_loaded_ = true;
      LoginRecord stored = none_;
      if (*found) stored = **found;
      const bool is_lost = !*found && record_.version > 0 && !is_unsaved_;
      next = is_lost ? none_ : newest(std::move(stored));
    }
    const bool is_other_login = was_loaded && next.login != record_.login;
    if (!(next == record_)) use(next);
    if (is_other_login) around_.on_login_elsewhere();
    const bool is_changed = change(next);
    if (!is_changed && !is_unsaved_) co_return false;
    if (!is_changed) next = record_;
    if (!found) {
      use(std::move(next));
      not_stored(found.error());
      co_return is_changed;
    }
    const auto written = co_await vault_.write(next);
    if (written && !*written) continue;  // a different host was first
    if (written && vault_.stores()) ++next.version;
    use(std::move(next));
    if (!written) not_stored(written.error());
    if (written) is_unsaved_ = false;
    co_return is_changed;
  }
  log::warning("upstream", "the login is changed all the time", {{"upstream", upstream_}});
  co_return false;
}

void Ledger::use(LoginRecord record) {
  const LoginRecord former = std::exchange(record_, std::move(record));
  around_.on_change(record_, former);
}

void Ledger::not_stored(const Error& why) {
  if (std::exchange(is_unsaved_, true)) return;
  log::warning("upstream", "the login was not stored, so it ends with the host",
               {{"upstream", upstream_}, {"error", why.message}});
}

}  // namespace host::upstream::oauth
