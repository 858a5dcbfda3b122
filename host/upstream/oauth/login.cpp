#include "upstream/oauth/login.h"

#include <boost/asio/as_tuple.hpp>
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
    return Error{ErrorKind::Io, "the authorization server sent no valid code"};
  return std::string(code);
}

}  // namespace

std::string as_json(const Login::Begun& begun) {
  std::string out = "{";
  json::add_text(out, "id", begun.id);
  json::add_text(out, "url", begun.url);
  json::add_text(out, "callback", begun.callback);
  json::add_text(out, "expires", to_rfc3339(begun.expires));
  return out + "}";
}

Login::Login(asio::any_io_executor io, LoginSettings settings, std::shared_ptr<outbound::Gate> gate,
             std::shared_ptr<store::Desk> desk, const Clock& clock,
             std::shared_ptr<Secrets> secrets)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      requests_(std::make_shared<Requests>(std::move(gate))),
      access_(std::make_shared<Access>(io_, settings_, requests_,
                                       Vault(std::move(desk), settings_.name), clock,
                                       std::move(secrets))),
      clock_(clock),
      attempt_end_(io_) {}

void Login::prepare() {
  auto read = [access = access_, name = settings_.name]() -> awaitable<void> {
    const auto loaded = co_await access->load();
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
  if (!answer || (answer->status != 401 && answer->status != 403)) co_return Challenge();
  co_return challenge_in(answer->headers).value_or(Challenge());
}

// Refresh tokens are asked for where the authorization server has a scope for them.
std::vector<std::string> Login::scopes_for(const Discovered& found) const {
  std::vector<std::string> out = settings_.scopes.empty() ? found.scopes : settings_.scopes;
  const LoginRecord& record = access_->record();
  if (!record.wanted.empty()) {
    unite(out, record.scopes);
    unite(out, record.wanted);
  }
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
  const LoginRecord& record = access_->record();
  const bool is_alive =
      record.client.secret_expires == WallTime() || record.client.secret_expires > clock_.wall();
  const bool is_registered = record.issuer == server.issuer && record.client.redirect == redirect;
  if (is_registered && is_alive) co_return record.client;
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
  HOST_CO_TRY(co_await access_->load());
  Challenge demanded = co_await challenge();
  HOST_CO_TRY_ASSIGN(Discovered found, co_await discover(*requests_, settings_.url, demanded));
  replace_attempt(nullptr, "a later login took its place");
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
  HOST_CO_TRY_ASSIGN(
      attempt->client,
      co_await client_for(attempt->found.server, attempt->callback->url(), attempt->scopes));
  if (is_stopped_) co_return Error{ErrorKind::Unavailable, "the host stops"};
  Begun begun{attempt->id, authorization_url(*attempt), attempt->callback->url(),
              clock_.wall() + kForThePerson};
  replace_attempt(std::move(attempt), "a later login took its place");
  expire_later();
  co_return begun;
}

void Login::replace_attempt(std::unique_ptr<Attempt> attempt, const std::string& why) {
  attempt_end_.cancel();
  if (const auto old = std::exchange(attempt_, std::move(attempt))) {
    Callback::end(io_, std::move(old->callback));
    ended(old->id, Error{ErrorKind::Cancelled, why});
  }
  if (attempt_) running_ = attempt_->id;
}

void Login::expire_later() {
  attempt_end_.expires_after(kForThePerson);
  attempt_end_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto there = weak.lock();
    if (there && !error) there->replace_attempt(nullptr, "nobody agreed to it within 10 minutes");
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
  if (!attempt_ || !equal_constant_time(attempt_->state, value_of(query, "state"))) {
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
  ended(attempt->id, outcome);
  Callback::end(io_, std::move(attempt->callback));
  co_return outcome;
}

awaitable<Result<void>> Login::finish(const Attempt& attempt, std::string code) const {
  Form form = {{"grant_type", "authorization_code"},
               {"code", std::move(code)},
               {"redirect_uri", attempt.callback->url()},
               {"code_verifier", attempt.verifier},
               {"resource", attempt.found.resource}};
  const ServerMetadata& server = attempt.found.server;
  auto answer = co_await request_tokens(*requests_, server.token_endpoint, attempt.client,
                                        std::move(form), clock_);
  if (!answer) co_return answer.error();
  if (!answer->refusal.empty()) {
    co_return Error{ErrorKind::Denied,
                    "the authorization server gave no token: " + answer->refusal};
  }
  LoginRecord record;
  record.url = settings_.url;
  record.issuer = server.issuer;
  record.client = attempt.client;
  if (!settings_.client_id.empty()) record.client.secret.clear();  // the configuration has it
  record.resource = attempt.found.resource;
  record.token_endpoint = server.token_endpoint;
  record.revocation_endpoint = server.revocation_endpoint;
  record.access_token = answer->tokens.access_token;
  record.refresh_token = answer->tokens.refresh_token;
  record.obtained = clock_.wall();
  record.expires = answer->tokens.expires;
  record.scopes = answer->tokens.has_scopes ? answer->tokens.scopes : attempt.scopes;
  auto stored = co_await access_->replace(std::move(record));
  if (!stored) co_return stored.error().within("it is logged in until the host ends");
  co_return Result<void>();
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
  if (is_stopped_) co_return Error{ErrorKind::Unavailable, "the host stops"};
  if (last_ == id) co_return last_outcome_;
  co_return Error{ErrorKind::NotFound, "there is no such login: begin it again"};
}

void Login::stop() {
  is_stopped_ = true;
  attempt_end_.cancel();
  requests_->stop();
  attempt_.reset();
  for (const auto& waiting : std::exchange(waiting_, {})) waiting->cancel();
}

// ---- logout

awaitable<Result<void>> Login::log_out() {
  const auto self = shared_from_this();
  HOST_CO_TRY(co_await access_->load());
  replace_attempt(nullptr, "it was logged out");
  LoginRecord old = access_->record();
  if (old.access_token.empty() && old.refresh_token.empty())
    co_return Error{ErrorKind::NotFound, "upstream \"" + settings_.name + "\" has no login"};
  LoginRecord next;  // the registration is still valid
  next.url = old.url;
  next.issuer = old.issuer;
  next.client = old.client;
  HOST_CO_TRY(co_await access_->replace(std::move(next)));
  log::info("upstream", "logged out", {{"upstream", settings_.name}});
  if (on_change_) on_change_();
  const auto revoked = co_await revoke(std::move(old));
  if (!revoked) {
    co_return Error{ErrorKind::Io, "its tokens are forgotten, but could not be revoked: " +
                                       revoked.error().message};
  }
  co_return Result<void>();
}

// RFC 7009. To revoke a refresh token ends the access tokens that came with it, at most servers.
awaitable<Result<void>> Login::revoke(LoginRecord record) const {
  if (record.revocation_endpoint.empty()) co_return Result<void>();
  HOST_CO_TRY_ASSIGN(const Client client, access_->with_secret(record.client));
  const std::vector<std::pair<std::string, std::string>> tokens = {
      {"refresh_token", record.refresh_token}, {"access_token", record.access_token}};
  for (const auto& [kind, token] : tokens) {
    if (token.empty()) continue;
    Form form = {{"token", token}, {"token_type_hint", kind}};
    outbound::Headers headers;
    add_client(client, form, headers);
    const std::string endpoint = record.revocation_endpoint;
    const auto answer = co_await requests_->post_form(endpoint, std::move(form), headers);
    if (!answer) co_return answer.error().within(endpoint);
    if (answer->status != 200 && answer->status != 204) {
      co_return Error{ErrorKind::Io, endpoint + ": HTTP status " + std::to_string(answer->status)};
    }
  }
  co_return Result<void>();
}

}  // namespace host::upstream::oauth
