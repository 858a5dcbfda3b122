#include "upstream/oauth/login.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "json/object_text.h"
#include "upstream/oauth/token_request.h"

namespace host::upstream::oauth {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr std::chrono::minutes kForThePerson{10};
constexpr std::size_t kSecretBytes = 32;  // of state and code_verifier
constexpr std::size_t kMostCodeBytes = 4096;
// A request that no server carries out without a login; an older one does not know it at all.
constexpr const char* kQuestion =
    R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}})";

std::vector<std::string> without(std::vector<std::string> all, std::string_view one) {
  std::erase(all, one);
  return all;
}

// A secret of the operator is for one authorization server, whichever the upstream names.
Result<void> check_configured_issuer(const std::string& found, const std::string& configured) {
  if (configured.empty() || found == configured) return {};
  return Error{ErrorKind::Denied, "it names the authorization server " + found +
                                      ", but its `issuer` in the configuration is " + configured};
}

// RFC 9207: an answer of a different server than the one that was asked is refused. Names are
// compared byte by byte.
Result<void> check_issuer(const ServerMetadata& server, const Form& query) {
  const std::string_view issuer = value_of(query, "iss");
  if (issuer.empty() && server.sends_issuer) {
    return Error{ErrorKind::Denied,
                 "the answer does not say which authorization server it is from (`iss`)"};
  }
  if (!issuer.empty() && issuer != server.issuer) {
    return Error{ErrorKind::Denied,
                 "the answer is from a different authorization server than " + server.issuer};
  }
  return {};
}

Result<std::string> code_in(const ServerMetadata& server, const Form& query) {
  HOST_TRY(check_issuer(server, query));
  const std::string_view error = value_of(query, "error");
  if (!error.empty()) {
    return Error{ErrorKind::Denied,
                 "the authorization server refused the login: " +
                     (is_error_code(error) ? std::string(error) : std::string("no valid reason"))};
  }
  const std::string_view code = value_of(query, "code");
  if (code.empty() || code.size() > kMostCodeBytes)
    return Error{ErrorKind::Unavailable, "the authorization server sent no valid code"};
  return std::string(code);
}

}  // namespace

std::string as_json(const Login::Begun& begun) {
  std::string out = "{";
  json::add_text(out, "id", begun.id);
  json::add_text(out, "url", begun.url);
  json::add_text(out, "issuer", begun.issuer);
  json::add_text(out, "former_issuer", begun.former_issuer);
  json::add_text(out, "callback", begun.callback);
  json::add_text(out, "expires", to_rfc3339(begun.expires));
  return out + "}";
}

Login::Login(asio::any_io_executor io, LoginSettings settings, std::shared_ptr<outbound::Gate> gate,
             std::shared_ptr<store::Desk> desk, const Clock& clock,
             std::shared_ptr<Secrets> secrets)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      requests_(std::make_shared<Requests>(gate)),
      access_(std::make_shared<Access>(io_, settings_, std::make_shared<Requests>(gate),
                                       std::move(desk), clock, std::move(secrets))),
      clock_(clock),
      attempt_end_(io_) {}

void Login::prepare() {
  auto read = [access = access_, name = settings_.name]() -> awaitable<void> {
    const auto loaded = co_await access->ledger()->load();
    if (!loaded) {
      log::warning("upstream", "the login could not be read",
                   {{"upstream", name}, {"error", loaded.error().message}});
    }
  };
  spawn(io_, {"upstream", "reads a login"}, std::move(read));
}

// ---- the beginning

// The last challenge, because it names the rights that a call needed. Otherwise that of a request
// without a token; a server that sends none has its metadata at a well-known URL.
awaitable<Challenge> Login::challenge() const {
  if (access_->challenge()) co_return *access_->challenge();
  const outbound::Headers headers = {{"Accept", "application/json, text/event-stream"},
                                     {"MCP-Protocol-Version", "2025-11-25"}};
  const auto answer = co_await requests_->post_json(settings_.url, kQuestion, headers);
  if (!answer || answer->status != 401) co_return Challenge();
  co_return challenge_in(answer->headers).value_or(Challenge());
}

// Refresh tokens are asked for where the authorization server has a scope for them.
std::vector<std::string> Login::scopes_for(const Discovered& found) const {
  std::vector<std::string> out = settings_.scopes.empty() ? found.scopes : settings_.scopes;
  const LoginRecord& record = access_->ledger()->record();
  // What the login had before the operator changed `scopes` does not count any more.
  const bool is_changed =
      record.configured && join_scopes(*record.configured) != join_scopes(settings_.scopes);
  const bool has_ended = record.issuer == found.server.issuer && !access_->reason().empty();
  if (!is_changed && (has_ended || !record.wanted.empty())) unite(out, record.scopes);
  unite(out, wanted_with(record, settings_.scopes));
  constexpr const char* kOffline = "offline_access";
  out = without(std::move(out), kOffline);
  if (is_in(found.server.scopes, kOffline) || is_in(settings_.scopes, kOffline))
    out.emplace_back(kOffline);
  return out;
}

awaitable<Result<Client>> Login::client_for(ServerMetadata server, std::string redirect,
                                            std::vector<std::string> scopes) const {
  Client client;
  if (!settings_.client_id.empty()) {
    client.id = settings_.client_id;
    if (settings_.client_secret) client.method = method_for_secret(server.auth_methods);
    co_return access_->with_secret(std::move(client));
  }
  if (!settings_.client_metadata_url.empty() && server.reads_client_documents) {
    client.id = settings_.client_metadata_url;
    co_return client;
  }
  const LoginRecord& record = access_->ledger()->record();
  const bool is_alive =
      record.client.secret_expires == WallTime() || record.client.secret_expires > clock_.wall();
  const bool is_registered = record.issuer == server.issuer && record.client.redirect == redirect;
  if (is_registered && is_alive && !registers_anew_) co_return record.client;
  if (server.registration_endpoint.empty()) {
    co_return Error{ErrorKind::NotFound,
                    server.issuer + " registers no clients by itself: register one there for " +
                        redirect + ", and set `client_id` of the upstream" +
                        (settings_.port == 0 ? " and `upstreams.login_port`" : "")};
  }
  const std::string endpoint = server.registration_endpoint;
  const std::string body = registration_request(server, redirect, scopes);
  const outbound::Headers headers = {{"Accept", "application/json"}};
  const auto answer = co_await requests_->post_json(endpoint, body, headers);
  if (!answer) co_return answer.error().within(endpoint);
  if (answer->status != 200 && answer->status != 201) {
    const std::string code = error_code_in(answer->body);
    co_return Error{ErrorKind::Denied, endpoint + ": HTTP status " +
                                           std::to_string(answer->status) +
                                           (code.empty() ? "" : ", " + code)};
  }
  auto registered = read_registration(answer->body, redirect);
  if (!registered) co_return registered.error().within(endpoint);
  co_return registered;
}

std::string Login::authorization_url(const Attempt& attempt) const {
  Form query = {{"response_type", "code"},
                {"client_id", attempt.client.id},
                {"redirect_uri", attempt.callback->url()},
                {"state", attempt.state},
                {"code_challenge", code_challenge(attempt.verifier)},
                {"code_challenge_method", "S256"}};
  if (!attempt.scopes.empty()) query.emplace_back("scope", join_scopes(attempt.scopes));
  if (is_in(attempt.scopes, "offline_access")) query.emplace_back("prompt", "consent");
  if (!attempt.found.resource.empty()) query.emplace_back("resource", attempt.found.resource);
  return with_query(attempt.found.server.authorization_endpoint, query);
}

awaitable<Result<Login::Begun>> Login::begin() {
  const auto self = shared_from_this();
  auto begun = co_await begin_attempt();
  if (!begun) co_return access_->secrets().hide(begun.error());
  co_return begun;
}

awaitable<Result<Login::Begun>> Login::begin_attempt() {
  const auto self = shared_from_this();
  HOST_CO_TRY(co_await access_->ledger()->load());
  co_await access_->ledger()->look();  // a different host may know of missing rights
  Challenge demanded = co_await challenge();
  HOST_CO_TRY_ASSIGN(Discovered found, co_await discover(*requests_, settings_.url, demanded));
  HOST_CO_TRY(check_configured_issuer(found.server.issuer, settings_.issuer));
  replace_attempt(nullptr, "a later login took its place");
  closing_.clear();  // their port may be the same
  auto attempt = std::make_unique<Attempt>();
  attempt->id = random_id();
  attempt->state = random_id(kSecretBytes);
  attempt->verifier = random_id(kSecretBytes);
  attempt->found = std::move(found);
  // The server has no metadata, so it is named by its URL. The query may have a secret.
  if (attempt->found.resource.empty())
    attempt->found.resource = settings_.url.substr(0, settings_.url.find('?'));
  attempt->scopes = scopes_for(attempt->found);
  auto take = [weak = weak_from_this()](Form query) -> awaitable<Callback::Page> {
    const auto there = weak.lock();
    if (!there) co_return Callback::Page{503, "The host stops."};
    Callback::Page page = co_await there->show_answer(std::move(query));
    co_return page;
  };
  HOST_CO_TRY_ASSIGN(attempt->callback, Callback::listen(io_, settings_.port, std::move(take)));
  const std::string redirect = attempt->callback->url();
  HOST_CO_TRY_ASSIGN(attempt->client,
                     co_await client_for(attempt->found.server, redirect, attempt->scopes));
  if (is_stopped_) co_return stopped();
  attempt->expires = clock_.wall() + kForThePerson;
  Begun begun{attempt->id,
              authorization_url(*attempt),
              attempt->found.server.issuer,
              access_->ledger()->record().issuer,
              redirect,
              attempt->expires};
  replace_attempt(std::move(attempt), "a later login took its place");
  expire_later();
  co_return begun;
}

void Login::replace_attempt(std::unique_ptr<Attempt> attempt, const std::string& why) {
  attempt_end_.cancel();
  if (const auto old = std::exchange(attempt_, std::move(attempt))) {
    old->callback.reset();  // no request of it is at work: its login would be in progress
    ended(old->id, Error{ErrorKind::Cancelled, why});
  }
  // A login whose browser came back already does not end here: keep() finds that it is outdated.
  running_ = attempt_ ? attempt_->id : std::string();
}

// The last page is still on its way to the browser.
void Login::close(std::unique_ptr<Callback> callback) {
  if (is_stopped_)  // later, because it is at work here
    return asio::post(io_, [gone = std::shared_ptr<Callback>(std::move(callback))] {});
  Callback* const one = callback.get();
  closing_.push_back(std::move(callback));
  one->stop([io = io_, weak = weak_from_this(), one] {
    asio::post(io, [weak, one] {
      const auto there = weak.lock();
      if (there)
        std::erase_if(there->closing_, [one](const auto& each) { return each.get() == one; });
    });
  });
}

void Login::expire_later() {
  attempt_end_.expires_after(kForThePerson);
  attempt_end_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto there = weak.lock();
    if (!there || error) return;
    there->registers_anew_ = true;
    there->replace_attempt(nullptr, "nobody agreed to it within 10 minutes");
  });
}

// ---- the end

awaitable<Callback::Page> Login::show_answer(Form query) {
  const auto self = shared_from_this();
  const auto outcome = co_await take_answer(std::move(query));
  if (!outcome) {
    co_return Callback::Page{
        400, "The login at " + settings_.name + " failed: " + outcome.error().message + "."};
  }
  co_return Callback::Page{
      200, "Toolpost is logged in at " + settings_.name + ". You can close this window."};
}

awaitable<Result<void>> Login::answer(std::string address) {
  const std::size_t query = address.find('?');
  const std::size_t end = std::min(address.find('#'), address.size());
  const bool has_query = query != std::string::npos && query < end;
  auto form = read_form(has_query ? address.substr(query + 1, end - query - 1) : std::string());
  if (!form) co_return Error{ErrorKind::InvalidArgument, "the address is not valid"};
  auto outcome = co_await take_answer(*std::move(form));
  co_return outcome;
}

awaitable<Result<void>> Login::take_answer(Form query) {
  const auto self = shared_from_this();
  if (!attempt_ || clock_.wall() >= attempt_->expires ||
      !equal_constant_time(attempt_->state, value_of(query, "state"))) {
    co_return Error{ErrorKind::InvalidArgument,
                    "it belongs to no login in progress: begin it again"};
  }
  const std::unique_ptr<Attempt> attempt = std::move(attempt_);  // its state is used once
  attempt_end_.cancel();
  Result<std::string> code = code_in(attempt->found.server, query);
  Result<void> outcome;
  if (code) {
    outcome = co_await finish(*attempt, *code);
  } else {
    outcome = code.error();
  }
  if (!outcome) outcome = access_->secrets().hide(outcome.error());
  ended(attempt->id, outcome);
  close(std::move(attempt->callback));
  co_return outcome;
}

awaitable<Result<void>> Login::finish(const Attempt& attempt, std::string code) {
  access_->work_began();
  const std::shared_ptr<void> work(nullptr, [access = access_](void*) { access->work_ended(); });
  Form form = {{"grant_type", "authorization_code"},
               {"code", std::move(code)},
               {"redirect_uri", attempt.callback->url()},
               {"code_verifier", attempt.verifier},
               {"resource", attempt.found.resource}};
  const ServerMetadata& server = attempt.found.server;
  auto answer = co_await request_tokens(access_->requests(), server.token_endpoint, attempt.client,
                                        std::move(form), clock_);
  if (!answer) co_return answer.error();
  if (!answer->refusal.empty()) {
    const bool is_unknown =
        answer->refusal == "invalid_client" || answer->refusal == "unauthorized_client";
    if (is_unknown) registers_anew_ = true;
    co_return Error{ErrorKind::Denied,
                    "the authorization server gave no token: " + answer->refusal};
  }
  LoginRecord fresh;
  fresh.login = attempt.id;
  fresh.url = settings_.url;
  fresh.issuer = server.issuer;
  fresh.client = attempt.client;
  if (!settings_.client_id.empty()) fresh.client.secret.clear();  // the configuration has it
  fresh.resource = attempt.found.resource;
  fresh.token_endpoint = server.token_endpoint;
  fresh.revocation_endpoint = server.revocation_endpoint;
  fresh.access_token = answer->tokens.access_token;
  fresh.refresh_token = answer->tokens.refresh_token;
  fresh.obtained = clock_.wall();
  fresh.expires = answer->tokens.expires;
  fresh.configured = settings_.scopes;
  fresh.scopes = answer->tokens.has_scopes ? answer->tokens.scopes : attempt.scopes;
  auto outcome = co_await keep(std::move(fresh), attempt.id);
  co_return outcome;
}

// A later login or a logout may have begun meanwhile. Then these tokens are nobody's.
awaitable<Result<void>> Login::keep(LoginRecord fresh, std::string id) {
  Ledger::Change put = [this, &fresh, &id](LoginRecord& record) {
    if (running_ != id) return false;
    const std::uint64_t version = record.version;
    record = fresh;
    record.version = version;
    return true;
  };
  const bool kept = co_await access_->ledger()->change(std::move(put));
  if (kept) {
    registers_anew_ = false;
    co_return Result<void>();
  }
  const auto revoked = co_await access_->revoke(std::move(fresh));
  co_return Error{ErrorKind::Cancelled,
                  std::string("a later login or a logout took its place") +
                      (revoked ? "" : ", and its tokens could not be revoked")};
}

void Login::ended(const std::string& id, Result<void> outcome) {
  last_ = id;
  last_outcome_ = std::move(outcome);
  if (running_ == id) running_.clear();
  if (last_outcome_) {
    log::info("upstream", "logged in", {{"upstream", settings_.name}});
  } else {
    log::warning("upstream", "the login failed",
                 {{"upstream", settings_.name}, {"reason", last_outcome_.error().message}});
  }
  for (const auto& waiting : std::exchange(waiting_, {})) waiting->cancel();
  if (last_outcome_ && on_change_) on_change_();
}

awaitable<Result<void>> Login::wait(std::string id) {
  const auto self = shared_from_this();
  while (running_ == id && !is_stopped_) {
    auto timer = std::make_shared<asio::steady_timer>(io_, asio::steady_timer::time_point::max());
    waiting_.push_back(timer);
    co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (is_stopped_) co_return stopped();
  if (last_ == id) co_return last_outcome_;
  co_return Error{ErrorKind::NotFound, "there is no such login: begin it again"};
}

Error Login::stopped() const {
  return {ErrorKind::Unavailable, "the login ended, because the upstream ends: " + stop_reason_};
}

void Login::stop(std::string why) {
  is_stopped_ = true;
  stop_reason_ = std::move(why);
  attempt_end_.cancel();
  requests_->stop();
  attempt_.reset();
  closing_.clear();
  for (const auto& waiting : std::exchange(waiting_, {})) waiting->cancel();
}

// ---- logout

awaitable<Result<void>> Login::log_out() {
  const auto self = shared_from_this();
  HOST_CO_TRY(co_await access_->ledger()->load());
  replace_attempt(nullptr, "it was logged out");
  LoginRecord old;
  Ledger::Change forget = [&old](LoginRecord& record) {
    old = record;
    LoginRecord none;
    none.version = record.version;
    none.url = record.url;
    none.issuer = record.issuer;
    record = std::move(none);
    return !old.access_token.empty() || !old.refresh_token.empty() || !old.client.id.empty();
  };
  const bool forgotten = co_await access_->ledger()->change(std::move(forget));
  if (!forgotten)
    co_return Error{ErrorKind::NotFound, "upstream \"" + settings_.name + "\" has no login"};
  log::info("upstream", "logged out", {{"upstream", settings_.name}});
  if (on_change_) on_change_();
  const auto revoked = co_await access_->revoke(std::move(old));
  if (!revoked) {
    co_return access_->secrets().hide(
        Error{ErrorKind::Unavailable,
              "its tokens are forgotten, but could not be revoked: " + revoked.error().message});
  }
  co_return Result<void>();
}

}  // namespace host::upstream::oauth
