#include "upstream/oauth/access.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "upstream/oauth/token_request.h"

namespace host::upstream::oauth {
namespace {

using boost::asio::awaitable;

// A token is renewed so long before it expires, but not before three quarters of its life.
constexpr std::chrono::seconds kMargin{30};
constexpr int kMarginOfLife = 4;

std::string more_rights(const std::vector<std::string>& scopes) {
  return "it needs more rights" +
         (scopes.empty() ? std::string() : " (scopes: " + join_scopes(scopes) + ")");
}

}  // namespace

Access::Access(boost::asio::any_io_executor io, LoginSettings settings,
               std::shared_ptr<Requests> requests, Vault vault, const Clock& clock,
               std::shared_ptr<Secrets> secrets)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      requests_(std::move(requests)),
      vault_(std::move(vault)),
      clock_(clock),
      secrets_(std::move(secrets)) {}

// ---- the record

// A token for one server, or of one client, is for no other.
bool Access::fits(const LoginRecord& record) const {
  if (record.url != settings_.url) return false;
  if (!settings_.client_id.empty()) return record.client.id == settings_.client_id;
  return !record.client.redirect.empty() || record.client.id == settings_.client_metadata_url;
}

awaitable<Result<std::optional<LoginRecord>>> Access::stored() const {
  auto found = co_await vault_.read();
  if (found && *found && !fits(**found)) co_return std::optional<LoginRecord>();
  co_return found;
}

awaitable<Result<void>> Access::load() {
  if (is_loaded_) co_return Result<void>();
  auto found = co_await stored();
  if (!found) co_return found.error().within("the login could not be read");
  if (is_loaded_) co_return Result<void>();  // meanwhile
  is_loaded_ = true;
  LoginRecord none;
  none.url = settings_.url;
  use(*found ? **found : std::move(none));
  co_return Result<void>();
}

void Access::use(LoginRecord record) {
  record_ = std::move(record);
  reason_.clear();
  is_refused_ = false;
  for (const std::string* const secret :
       {&record_.access_token, &record_.refresh_token, &record_.client.secret})
    secrets_->add(*secret);
}

awaitable<Result<void>> Access::replace(LoginRecord record) {
  // On the disk first: a refresh token that was used is worthless.
  auto written = co_await vault_.write(record);
  is_loaded_ = true;
  use(std::move(record));
  if (!written) {
    log::warning("upstream", "the login was not stored, so it ends with the host",
                 {{"upstream", settings_.name}, {"error", written.error().message}});
  }
  co_return written;
}

Result<Client> Access::with_secret(Client client) const {
  const bool is_configured = !settings_.client_id.empty() && client.id == settings_.client_id;
  if (!is_configured || !settings_.client_secret) return client;
  auto secret = settings_.client_secret();
  if (!secret) return secret.error().within("client_secret");
  client.secret = *std::move(secret);
  secrets_->add(client.secret);
  return client;
}

std::string Access::reason() const {
  if (!reason_.empty() || !is_loaded_) return reason_;
  if (record_.access_token.empty()) return "nobody has logged in";
  return record_.wanted.empty() ? std::string() : more_rights(record_.wanted);
}

Error Access::login_needed(const std::string& why) {
  if (reason_ != why) {
    log::warning("upstream", "a person has to log in",
                 {{"upstream", settings_.name},
                  {"reason", why},
                  {"remedy", "toolpost upstream login " + settings_.name}});
  }
  reason_ = why;
  return Error{ErrorKind::Denied,
               why + ": log in with `toolpost upstream login " + settings_.name + "`"};
}

// ---- tokens of requests

bool Access::is_due() const {
  if (record_.expires == WallTime()) return false;
  const auto life = record_.expires - record_.obtained;
  const auto margin = std::min<WallTime::duration>(kMargin, life / kMarginOfLife);
  return clock_.wall() >= record_.expires - margin;
}

bool Access::is_over() const {
  return record_.expires != WallTime() && clock_.wall() >= record_.expires;
}

void Access::later(Done done, Result<std::string> outcome) const {
  boost::asio::post(io_, [done = std::move(done), outcome = std::move(outcome)] { done(outcome); });
}

void Access::answer_with(awaitable<Result<std::string>> work, Done done) {
  auto all = [](std::shared_ptr<Access>, awaitable<Result<std::string>> first,
                Done then) -> awaitable<void> {
    const auto outcome = co_await std::move(first);
    then(outcome);
  };
  spawn(io_, {"upstream", "finds an access token"}, all(shared_from_this(), std::move(work), done),
        [done](const Result<void>& ended) {
          if (!ended) done(ended.error());
        });
}

awaitable<Result<std::string>> Access::load_first() {
  HOST_CO_TRY(co_await load());
  co_return record_.access_token;
}

void Access::token(Done done) {
  if (!is_loaded_) {
    return answer_with(load_first(), [self = shared_from_this(), done](Result<std::string> first) {
      first ? self->token(done) : done(std::move(first));
    });
  }
  if (is_due() && !record_.refresh_token.empty()) return renew(std::move(done));
  later(std::move(done), record_.access_token);
}

void Access::refused(Refusal refusal, Done done) {
  const auto challenge = read_challenge(refusal.challenge);
  if (refusal.status != 401) {
    const bool is_step = challenge && challenge->error == "insufficient_scope";
    if (!is_step)
      return later(std::move(done), Error{ErrorKind::Denied, "it answered with HTTP status 403"});
    challenge_ = challenge;
    return answer_with(step_up(challenge->scopes), std::move(done));
  }
  challenge_ = challenge.value_or(Challenge());
  const bool is_outdated = !record_.access_token.empty() && refusal.token != record_.access_token;
  if (is_outdated && !refusal.is_second) return later(std::move(done), record_.access_token);
  const bool may_renew = !refusal.token.empty() && !record_.refresh_token.empty() &&
                         !refusal.is_second && !is_refused_;
  if (may_renew) {
    return renew([self = shared_from_this(), done = std::move(done),
                  old = refusal.token](Result<std::string> fresh) {
      const bool is_same = fresh && *fresh == old;
      done(is_same ? Result<std::string>(
                         Error{ErrorKind::Unavailable,
                               "it refuses its access token, which could not be renewed"})
                   : fresh);
    });
  }
  const char* const why =
      refusal.token.empty() ? "it requires a login" : "it refuses its access token";
  if (refusal.is_second) {
    is_refused_ = true;
    return later(std::move(done), login_needed(why));
  }
  answer_with(logged_in_elsewhere(why), std::move(done));
}

awaitable<Result<std::string>> Access::logged_in_elsewhere(std::string why) {
  const bool is_fresh = co_await take_over();
  if (is_fresh && !record_.access_token.empty()) co_return record_.access_token;
  co_return login_needed(why);
}

awaitable<Result<std::string>> Access::step_up(std::vector<std::string> scopes) {
  LoginRecord next = record_;
  unite(next.wanted, scopes);
  if (next.wanted != record_.wanted) {
    const auto stored = co_await replace(std::move(next));  // an error was logged
    (void)stored;
  }
  co_return login_needed(more_rights(record_.wanted));
}

// ---- renewal

void Access::renew(Done done) {
  renewals_.push_back(std::move(done));
  if (renewals_.size() > 1) return;
  spawn(
      io_, {"upstream", "renews an access token"},
      [self = shared_from_this()]() -> awaitable<void> {
        const auto outcome = co_await self->renew_once();
        self->renewed(outcome);
      },
      [self = shared_from_this()](const Result<void>& ended) {
        if (!ended) self->renewed(ended.error());
      });
}

void Access::renewed(const Result<std::string>& outcome) {
  for (const Done& done : std::exchange(renewals_, {})) done(outcome);
}

// A different host with this store may have renewed it, or have logged out. True: there is a
// different access token now, or none.
awaitable<bool> Access::take_over() {
  if (!vault_.stores()) co_return false;
  auto found = co_await stored();
  if (!found) co_return false;
  LoginRecord none;
  none.url = settings_.url;
  LoginRecord now = *found ? **found : std::move(none);
  if (now.access_token == record_.access_token) co_return false;
  use(std::move(now));
  co_return true;
}

awaitable<Result<std::string>> Access::renew_once() {
  const bool is_fresh = co_await take_over();
  if (is_fresh && !is_due()) co_return record_.access_token;
  if (record_.refresh_token.empty()) co_return login_needed("its login has ended");
  HOST_CO_TRY_ASSIGN(Client client, with_secret(record_.client));
  Form form = {{"grant_type", "refresh_token"}, {"refresh_token", record_.refresh_token}};
  if (!record_.resource.empty()) form.emplace_back("resource", record_.resource);
  const std::string endpoint = record_.token_endpoint;
  auto answer =
      co_await request_tokens(*requests_, endpoint, std::move(client), std::move(form), clock_);
  if (!answer) {
    if (!is_over()) co_return record_.access_token;
    co_return Error{ErrorKind::Unavailable,
                    "its access token could not be renewed: " + answer.error().message};
  }
  if (!answer->refusal.empty()) {
    auto outcome = co_await give_up(answer->refusal);
    co_return outcome;
  }
  LoginRecord next = record_;
  Tokens& tokens = answer->tokens;
  next.access_token = tokens.access_token;
  if (!tokens.refresh_token.empty()) next.refresh_token = tokens.refresh_token;
  next.obtained = clock_.wall();
  next.expires = tokens.expires;
  if (tokens.has_scopes) next.scopes = tokens.scopes;
  const auto stored = co_await replace(std::move(next));  // an error was logged
  (void)stored;
  log::debug("upstream", "the access token was renewed", {{"upstream", settings_.name}});
  co_return record_.access_token;
}

awaitable<Result<std::string>> Access::give_up(std::string code) {
  const bool is_ended =
      code == "invalid_grant" || code == "invalid_client" || code == "unauthorized_client";
  if (!is_ended) {
    co_return Error{ErrorKind::Unavailable,
                    "the authorization server did not renew its access token: " + code};
  }
  // A different host may have been first.
  const bool is_fresh = co_await take_over();
  if (is_fresh && !record_.access_token.empty()) co_return record_.access_token;
  LoginRecord next = record_;
  next.access_token.clear();
  next.refresh_token.clear();
  if (code != "invalid_grant" && !next.client.redirect.empty()) next.client = {};
  const auto stored = co_await replace(std::move(next));  // an error was logged
  (void)stored;
  co_return login_needed("its login has ended (" + code + ")");
}

}  // namespace host::upstream::oauth
