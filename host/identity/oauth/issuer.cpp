#include "identity/oauth/issuer.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "identity/oauth/issuer_metadata.h"

namespace host::identity {
namespace asio = boost::asio;
namespace {

using asio::awaitable;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kBetweenWishes{10};
constexpr seconds kFirstRetry{10};  // after a try that failed; doubles up to the interval
constexpr seconds kSoon{1};

}  // namespace

Issuer::Issuer(asio::any_io_executor io, Settings settings, const Clock& clock, Fetch fetch,
               OnKeys on_keys)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      clock_(clock),
      fetch_(std::move(fetch)),
      on_keys_(std::move(on_keys)),
      pause_(io_),
      first_try_(io_) {}

void Issuer::start() {
  trying_ = true;
  spawn(io_, {"identity", "follows the issuer's keys"}, follow(),
        [self = weak_from_this()](const Result<void>& ended) {
          if (const auto alive = self.lock(); alive && !ended) alive->broke_off();
        });
}

void Issuer::stop() {
  stopping_ = true;
  cancel_->request();
  pause_.cancel();
  first_try_.cancel();
}

// Nobody waits for a try that will not come, and the next one comes as if this one had failed.
void Issuer::broke_off() {
  trying_ = false;
  tried_ = true;
  first_try_.cancel();
  if (stopping_) return;
  pause_.expires_after(kFirstRetry);
  // look_again() ends the wait early.
  pause_.async_wait([self = weak_from_this()](boost::system::error_code) {
    if (const auto alive = self.lock(); alive && !alive->stopping_) alive->start();
  });
}

awaitable<void> Issuer::follow() {
  const auto self = shared_from_this();
  milliseconds wait = kFirstRetry;
  while (!stopping_) {
    const Result<void> done = co_await refresh();
    if (stopping_) break;
    wait = done ? milliseconds(kFirstRetry) : wait;
    co_await pause(done ? settings_.refresh : std::min(wait, settings_.refresh));
    if (!done) wait = std::min(wait * 2, settings_.refresh);
  }
}

awaitable<void> Issuer::pause(milliseconds length) {
  pause_.expires_after(length);
  boost::system::error_code ignored;
  co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

awaitable<void> Issuer::wait_for_first_try(milliseconds no_longer_than) {
  if (tried_ || stopping_) co_return;
  first_try_.expires_after(no_longer_than);
  boost::system::error_code ignored;
  co_await first_try_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

awaitable<Result<void>> Issuer::refresh() {
  trying_ = true;
  const Result<std::string> text = co_await read_keys();
  const Result<void> taken = text ? take(*text) : Result<void>(text.error());
  trying_ = false;
  tried_ = true;
  reached_ = taken.has_value();
  first_try_.cancel();
  if (!taken && !stopping_) {
    log::warning("identity", "the issuer's keys could not be had: those that are known hold on",
                 {{"issuer", settings_.issuer},
                  {"known", std::to_string(keys_)},
                  {"error", taken.error().message}});
  }
  co_return taken;
}

Result<void> Issuer::take(const std::string& text) {
  HOST_TRY_ASSIGN(KeySet fresh, KeySet::read(text));
  const Sha256 digest = sha256(text);
  if (digest == known_) return {};
  keys_ = fresh.size();
  for (const std::string& why : fresh.left_out())
    log::info("identity", "a key of the issuer is left out", {{"reason", why}});
  log::write(keys_ == 0 ? log::Level::Warning : log::Level::Info, "identity",
             "the issuer's keys were read",
             {{"issuer", settings_.issuer}, {"keys", std::to_string(keys_)}});
  on_keys_(std::move(fresh));
  known_ = digest;  // not before, because an exception may prevent that the keys are given on
  return {};
}

awaitable<Result<std::string>> Issuer::read_keys() {
  std::string url = settings_.jwks_url;
  if (url.empty()) {
    HOST_CO_TRY_ASSIGN(url, co_await find_jwks_url());
  }
  Result<Answer> answer = co_await get(url);
  if (!answer) co_return answer.error().within(url);
  if (answer->status != 200)
    co_return Error{ErrorKind::Io, url + ": status " + std::to_string(answer->status)};
  co_return std::move(answer->body);
}

awaitable<Result<std::string>> Issuer::find_jwks_url() {
  std::string seen;
  for (const std::string& url : metadata_urls(settings_.issuer)) {
    const Result<Answer> answer = co_await get(url);
    if (!answer) co_return answer.error().within(url);
    if (answer->status == 200) {
      Result<std::string> found = read_jwks_url(answer->body, settings_.issuer);
      if (!found) co_return found.error().within(url);
      co_return found;
    }
    seen += (seen.empty() ? "" : ", ") + url + ": status " + std::to_string(answer->status);
  }
  co_return Error{ErrorKind::NotFound, "the issuer's metadata are nowhere: " + seen};
}

awaitable<Result<Issuer::Answer>> Issuer::get(std::string url) {
  auto initiate = [this](auto handler, std::string what) {
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    fetch_(std::move(what), cancel_,
           [kept](Result<Answer> answer) { std::move (*kept)(std::move(answer)); });
  };
  Result<Answer> answer =
      co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<Answer>)>(
          initiate, asio::use_awaitable, std::move(url));
  co_return answer;
}

std::optional<seconds> Issuer::look_again() {
  if (trying_) return kSoon;
  const auto since = clock_.steady() - last_wish_;
  if (since >= kBetweenWishes) {
    last_wish_ = clock_.steady();
    trying_ = true;
    pause_.cancel();
    return kSoon;
  }
  if (reached_) return std::nullopt;
  return std::chrono::ceil<seconds>(kBetweenWishes - since);
}

}  // namespace host::identity
