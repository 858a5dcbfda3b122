#include "upstream/oauth/access.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "upstream/oauth/token_request.h"

namespace host::upstream::oauth {
namespace {

using boost::asio::awaitable;

// A token is renewed so long before it expires, but not before three quarters of its life.
constexpr std::chrono::seconds kMargin{30};
constexpr int kMarginOfLife = 4;
// Longer than a request and its write take.
constexpr std::chrono::seconds kForOneRenewal{15};
constexpr std::chrono::milliseconds kLookAgain{200};
// So long a host goes on with a login that another host with its store has ended.
constexpr std::chrono::seconds kLookEvery{5};
constexpr std::size_t kShownRights = 8;
// Access and refresh tokens of the last eight renewals.
constexpr std::size_t kFormerTokens = 16;

std::string more_rights(const std::vector<std::string>& scopes) {
  const bool is_cut = scopes.size() > kShownRights;
  std::vector<std::string> shown = scopes;
  if (is_cut) shown.resize(kShownRights);
  return "it needs more rights" +
         (shown.empty() ? std::string()
                        : " (scopes: " + join_scopes(shown) + (is_cut ? " ..." : "") + ")");
}

LoginRecord no_login_at(const std::string& url) {
  LoginRecord out;
  out.url = url;
  return out;
}

// Ends the work of an Access with its scope.
struct Working {
  explicit Working(Access& access) : of(access) { of.work_began(); }
  ~Working() { of.work_ended(); }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  Access& of;
};

}  // namespace

Access::Access(boost::asio::any_io_executor io, LoginSettings settings,
               std::shared_ptr<Requests> requests, std::shared_ptr<store::Desk> desk,
               const Clock& clock, std::shared_ptr<Secrets> secrets)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      requests_(std::move(requests)),
      clock_(clock),
      secrets_(std::move(secrets)),
      id_(random_id()),
      ledger_(std::make_shared<Ledger>(
          io_, settings_.name, no_login_at(settings_.url),
          Vault(std::move(desk), settings_.name, settings_.url),
          Ledger::Surroundings{
              [this](const LoginRecord& record) { return fits(record); },
              [this](const LoginRecord& now, const LoginRecord& former) { changed(now, former); },
              [this] { changed_elsewhere(); }})) {}

// ---- the record

// A token for one server, or of one client, is for no other.
bool Access::fits(const LoginRecord& record) const {
  if (record.url != settings_.url) return false;
  if (!settings_.issuer.empty() && record.issuer != settings_.issuer) return false;
  if (!settings_.client_id.empty()) return record.client.id == settings_.client_id;
  return !record.client.redirect.empty() || record.client.id.empty() ||
         record.client.id == settings_.client_metadata_url;
}

// The last former tokens are still hidden, those before them are forgotten.
void Access::changed(const LoginRecord& now, const LoginRecord& former) {
  if (now.access_token != former.access_token || now.refresh_token != former.refresh_token) {
    reason_.clear();
    is_refused_ = false;
    if (now.login != former.login) challenge_.reset();
    for (const std::string* const token : {&former.access_token, &former.refresh_token}) {
      std::erase(former_tokens_, *token);
      if (!token->empty()) former_tokens_.push_back(*token);
    }
  }
  while (former_tokens_.size() > kFormerTokens) {
    secrets_->remove(former_tokens_.front());
    former_tokens_.pop_front();
  }
  for (const std::string& token : former_tokens_) secrets_->add_issued(token);
  for (const std::string* const secret :
       {&now.access_token, &now.refresh_token, &now.client.secret})
    secrets_->add_issued(*secret);
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
  if (!reason_.empty() || !ledger_->is_loaded()) return reason_;
  const LoginRecord& record = ledger_->record();
  if (record.access_token.empty()) return "nobody has logged in";
  return record.wanted.empty() ? std::string() : more_rights(record.wanted);
}

Error Access::with_remedy(const std::string& why) const {
  return Error{ErrorKind::Denied,
               why + ": log in with `toolpost upstream login " + settings_.name + "`"};
}

void Access::log_need(const std::string& why) const {
  log::warning("upstream", "a person has to log in",
               {{"upstream", settings_.name},
                {"reason", secrets_->hide_in_words(why)},
                {"remedy", "toolpost upstream login " + settings_.name}});
}

Error Access::login_needed(const std::string& why) {
  if (reason_ != why) log_need(why);
  reason_ = why;
  return with_remedy(why);
}

// ---- work

void Access::work_ended() {
  if (--working_ > 0) return;
  for (const auto& act : std::exchange(when_idle_, {})) act();
}

void Access::when_idle(std::function<void()> act) {
  if (working_ == 0) return act();
  when_idle_.push_back(std::move(act));
}

// ---- tokens of requests

bool Access::is_due() const {
  const LoginRecord& record = ledger_->record();
  if (record.expires == WallTime()) return false;
  const auto life = record.expires - record.obtained;
  const auto margin = std::min<WallTime::duration>(kMargin, life / kMarginOfLife);
  return clock_.wall() >= record.expires - margin;
}

bool Access::is_over() const {
  const LoginRecord& record = ledger_->record();
  return record.expires != WallTime() && clock_.wall() >= record.expires;
}

void Access::later(Done done, Result<std::string> outcome) const {
  boost::asio::post(io_, [done = std::move(done), outcome = std::move(outcome)] { done(outcome); });
}

// `done` is called later, whenever the work ends.
void Access::answer_with(awaitable<Result<std::string>> work, Done done) {
  auto all = [](std::shared_ptr<Access> self, awaitable<Result<std::string>> first,
                Done then) -> awaitable<void> {
    auto outcome = co_await std::move(first);
    self->later(std::move(then), std::move(outcome));
  };
  spawn(io_, {"upstream", "finds an access token"}, all(shared_from_this(), std::move(work), done),
        [self = shared_from_this(), done](const Result<void>& ended) {
          if (!ended) self->later(done, ended.error());
        });
}

bool Access::is_look_due() const {
  return ledger_->is_shared() && clock_.steady() - looked_ >= kLookEvery;
}

// A store that cannot be read once the record is there changes nothing.
awaitable<Result<std::string>> Access::read_record() {
  if (ledger_->is_loaded()) {
    co_await ledger_->look();
  } else {
    HOST_CO_TRY(co_await ledger_->load());
  }
  co_return ledger_->record().access_token;
}

void Access::changed_elsewhere() {
  is_changed_elsewhere_ = true;
}

// The listener ends the connection, which is of the former account. The requests that wait for a
// token have their answer before.
void Access::tell_elsewhere() {
  if (std::exchange(is_changed_elsewhere_, false) && elsewhere_) boost::asio::post(io_, elsewhere_);
}

// The session with the upstream is of the login with which it began. A request that finds another
// login in the store gets no token: the next connection sends it.
Authorizer::Done Access::for_this_login(Done done) {
  if (!ledger_->is_loaded()) return done;
  return [self = shared_from_this(), done = std::move(done),
          login = ledger_->record().login](Result<std::string> token) {
    if (token && self->ledger_->record().login != login)
      token = Error{ErrorKind::Cancelled, "its login has changed at another host with this store"};
    done(std::move(token));
    self->tell_elsewhere();
  };
}

void Access::token(Done done) {
  done = for_this_login(std::move(done));
  if (!ledger_->is_loaded() || is_look_due()) {
    looked_ = clock_.steady();
    return answer_with(read_record(), [self = shared_from_this(), done](Result<std::string> read) {
      self->looked_ = self->clock_.steady();  // a store that is slow is not looked at at once again
      read ? self->token(done) : done(std::move(read));
    });
  }
  if (is_due() && !ledger_->record().refresh_token.empty()) return renew(std::move(done));
  later(std::move(done), ledger_->record().access_token);
}

bool Access::concerns(int status, const std::string& challenge) const {
  if (status == 401) return true;
  if (status != 403) return false;
  const auto found = read_challenge(challenge);
  return found && found->error == "insufficient_scope";
}

void Access::accepted(const std::string& token) {
  if (token.empty() || token != ledger_->record().access_token) return;
  reason_.clear();
  is_refused_ = false;
}

void Access::refused(Refusal refusal, Done done) {
  done = for_this_login(std::move(done));
  const auto challenge = read_challenge(refusal.challenge);
  if (refusal.status == 403 && challenge) {
    if (refusal.is_second)
      return later(std::move(done), with_remedy(more_rights(challenge->scopes)));
    return answer_with(step_up(std::move(refusal.token), challenge->scopes), std::move(done));
  }
  challenge_ = challenge.value_or(Challenge());
  const LoginRecord& record = ledger_->record();
  const char* const why =
      refusal.token.empty() ? "it requires a login" : "it refuses its access token";
  if (refusal.is_second) {
    is_refused_ = true;
    return later(std::move(done), login_needed(why));
  }
  if (!record.access_token.empty() && refusal.token != record.access_token)
    return later(std::move(done), record.access_token);
  if (refusal.token.empty() || record.refresh_token.empty() || is_refused_)
    return answer_with(logged_in_elsewhere(std::move(refusal.token), why), std::move(done));
  refused_ = refusal.token;
  renew([done = std::move(done), old = std::move(refusal.token)](Result<std::string> fresh) {
    const bool is_same = fresh && *fresh == old;
    done(is_same
             ? Result<std::string>(Error{ErrorKind::Unavailable,
                                         "it refuses its access token, which could not be renewed"})
             : fresh);
  });
}

// Another host with this store may have a newer login.
awaitable<Result<std::string>> Access::logged_in_elsewhere(std::string refused, std::string why) {
  co_await ledger_->look();
  const std::string& now = ledger_->record().access_token;
  if (!now.empty() && now != refused) co_return now;
  co_return login_needed(why);
}

awaitable<Result<std::string>> Access::step_up(std::string refused,
                                               std::vector<std::string> scopes) {
  bool is_new = false;
  Ledger::Change note = [&is_new, &refused, &scopes,
                         &configured = settings_.scopes](LoginRecord& record) {
    if (record.access_token != refused) return false;
    const LoginRecord before = record;
    record.wanted = wanted_with(before, configured);
    is_new = record.wanted.empty();
    unite(record.wanted, scopes);
    record.wanted_with = configured;
    return record != before;
  };
  const bool noted = co_await ledger_->change(std::move(note));
  const LoginRecord& record = ledger_->record();
  if (!record.access_token.empty() && record.access_token != refused) co_return record.access_token;
  const Error why = with_remedy(more_rights(scopes));
  if (noted && is_new) log_need(more_rights(scopes));
  co_return why;
}

// ---- renewal

void Access::renew(Done done) {
  renewals_.push_back(std::move(done));
  if (renewals_.size() > 1) return;
  spawn(
      io_, {"upstream", "renews an access token"},
      [self = shared_from_this()]() -> awaitable<void> {
        const Working work(*self);
        std::string refused = std::exchange(self->refused_, std::string());
        const auto outcome = co_await self->renew_once(std::move(refused));
        self->renewed(outcome);
      },
      [self = shared_from_this()](const Result<void>& ended) {
        if (!ended) self->renewed(ended.error());
      });
}

void Access::renewed(const Result<std::string>& outcome) {
  for (Done& done : std::exchange(renewals_, {})) later(std::move(done), outcome);
}

// `refused`: the token that was refused; empty: the current one expires.
awaitable<Result<std::string>> Access::renew_once(std::string refused) {
  const std::string old = ledger_->record().access_token;
  const SteadyTime end = clock_.steady() + kForOneRenewal;
  for (;;) {
    co_await ledger_->look();
    const LoginRecord asked = ledger_->record();
    const bool is_fresh = asked.access_token != old && asked.access_token != refused;
    if (is_fresh && !asked.access_token.empty() && !is_due()) co_return asked.access_token;
    if (asked.refresh_token.empty()) co_return login_needed("its login has ended");
    const Claim claimed = co_await claim(asked.refresh_token);
    if (claimed == Claim::Me) {
      auto outcome = co_await ask_for_tokens(asked);
      co_await release();
      co_return outcome;
    }
    if (clock_.steady() >= end)
      co_return Error{ErrorKind::Unavailable, "its access token is renewed by a different host"};
    if (claimed == Claim::Nobody) continue;  // it was renewed meanwhile
    boost::asio::steady_timer pause(io_, kLookAgain);
    co_await pause.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
}

// A refresh token may be used once: of the hosts with this store, one uses it.
awaitable<Access::Claim> Access::claim(std::string refresh_token) {
  Claim out = Claim::Nobody;
  Ledger::Change take = [&out, &refresh_token, id = id_, now = clock_.wall()](LoginRecord& record) {
    out = Claim::Nobody;
    if (record.refresh_token != refresh_token) return false;
    out = Claim::Other;
    // The clock of a host can have been ahead.
    const bool is_reserved =
        record.renewing_until > now && record.renewing_until <= now + 2 * kForOneRenewal;
    if (is_reserved && record.renewer != id) return false;
    out = Claim::Me;
    record.renewer = id;
    record.renewing_until = now + kForOneRenewal;
    return true;
  };
  const bool taken = co_await ledger_->change(std::move(take));
  if (!taken && out == Claim::Me) out = Claim::Other;
  co_return out;
}

awaitable<Result<std::string>> Access::ask_for_tokens(LoginRecord asked) {
  HOST_CO_TRY_ASSIGN(Client client, with_secret(asked.client));
  Form form = {{"grant_type", "refresh_token"}, {"refresh_token", asked.refresh_token}};
  if (!asked.resource.empty()) form.emplace_back("resource", asked.resource);
  const std::string endpoint = asked.token_endpoint;
  auto answer =
      co_await request_tokens(*requests_, endpoint, std::move(client), std::move(form), clock_);
  if (!answer) {
    const LoginRecord& now = ledger_->record();
    if (now.access_token != asked.access_token || !is_over()) co_return now.access_token;
    co_return Error{ErrorKind::Unavailable,
                    "its access token could not be renewed: " + answer.error().message};
  }
  if (!answer->refusal.empty()) {
    auto outcome = co_await give_up(std::move(asked), answer->refusal);
    co_return outcome;
  }
  auto outcome = co_await keep(std::move(asked), std::move(answer->tokens));
  co_return outcome;
}

// Else a host that is started again would have to wait.
awaitable<void> Access::release() {
  Ledger::Change end = [id = id_](LoginRecord& record) {
    if (record.renewer != id) return false;
    record.renewer.clear();
    record.renewing_until = {};
    return true;
  };
  const bool ignored = co_await ledger_->change(std::move(end));
  (void)ignored;
}

// The tokens belong to the login that they were asked for with. If that one has ended meanwhile, by
// a logout or a new login, they are nobody's.
awaitable<Result<std::string>> Access::keep(LoginRecord asked, Tokens tokens) {
  LoginRecord fresh = asked;
  fresh.access_token = tokens.access_token;
  if (!tokens.refresh_token.empty()) fresh.refresh_token = tokens.refresh_token;
  Ledger::Change put = [&asked, &fresh, &tokens, now = clock_.wall()](LoginRecord& record) {
    if (record.login != asked.login || record.refresh_token != asked.refresh_token) return false;
    record.access_token = fresh.access_token;
    record.refresh_token = fresh.refresh_token;
    record.obtained = now;
    record.expires = tokens.expires;
    if (tokens.has_scopes) record.scopes = tokens.scopes;
    record.renewer.clear();
    record.renewing_until = {};
    return true;
  };
  const bool kept = co_await ledger_->change(std::move(put));
  if (kept) {
    log::debug("upstream", "the access token was renewed", {{"upstream", settings_.name}});
    co_return fresh.access_token;
  }
  const auto revoked = co_await revoke(std::move(fresh));
  if (!revoked) {
    log::warning("upstream", "tokens of a login that ended were not revoked",
                 {{"upstream", settings_.name},
                  {"error", secrets_->hide_in_words(revoked.error().message)}});
  }
  co_return ledger_->record().access_token;
}

awaitable<Result<std::string>> Access::give_up(LoginRecord asked, std::string code) {
  const bool is_ended =
      code == "invalid_grant" || code == "invalid_client" || code == "unauthorized_client";
  if (!is_ended) {
    co_return Error{ErrorKind::Unavailable,
                    "the authorization server did not renew its access token: " + code};
  }
  Ledger::Change end = [&asked, &code](LoginRecord& record) {
    if (record.login != asked.login || record.refresh_token != asked.refresh_token) return false;
    record.access_token.clear();
    record.refresh_token.clear();
    record.renewer.clear();
    record.renewing_until = {};
    if (code != "invalid_grant" && !record.client.redirect.empty()) record.client = {};
    return true;
  };
  const bool ended = co_await ledger_->change(std::move(end));
  if (!ended && !ledger_->record().access_token.empty()) co_return ledger_->record().access_token;
  co_return login_needed("its login has ended (" + code + ")");
}

// Servers that revoke a refresh token end the access tokens that came with it. Not all do.
awaitable<Result<void>> Access::revoke(LoginRecord record) const {
  if (record.revocation_endpoint.empty()) co_return Result<void>();
  HOST_CO_TRY_ASSIGN(const Client client, with_secret(record.client));
  const std::vector<std::pair<std::string, std::string>> tokens = {
      {"refresh_token", record.refresh_token}, {"access_token", record.access_token}};
  Result<void> outcome;
  for (const auto& [kind, token] : tokens) {
    if (token.empty()) continue;
    Form form = {{"token", token}, {"token_type_hint", kind}};
    outbound::Headers headers;
    add_client(client, form, headers);
    const std::string endpoint = record.revocation_endpoint;
    const auto answer = co_await requests_->post_form(endpoint, std::move(form), headers);
    if (!answer) {
      outcome = answer.error().within(endpoint);
    } else if (answer->status != 200 && answer->status != 204) {
      outcome = Error{ErrorKind::Unavailable,
                      endpoint + ": HTTP status " + std::to_string(answer->status)};
    }
  }
  co_return outcome;
}

}  // namespace host::upstream::oauth
