#include "identity/authenticator.h"

#include <utility>

#include "base/encoding.h"
#include "identity/oauth/signed_token.h"
#include "identity/secret.h"
#include "transport/ascii.h"
#include "transport/json_answer.h"

namespace host::identity {
namespace {

using transport::HttpRefusal;
using transport::HttpRequest;

constexpr std::chrono::seconds kWindow{60};
constexpr std::uint32_t kMostTries = 20;      // that fail, of one address, in a window
constexpr std::size_t kMostAddresses = 4096;  // that are remembered

HttpRefusal refusal(int status, std::string_view kind, std::string_view message,
                    std::string challenge = {}) {
  HttpRefusal out{status, transport::error_json(kind, message), {{"Cache-Control", "no-store"}}};
  if (!challenge.empty()) out.headers.emplace_back("WWW-Authenticate", std::move(challenge));
  return out;
}

// Empty: there is none.
std::string_view bearer_of(const HttpRequest& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view authorization = request.header("Authorization");
  const bool bearer =
      transport::equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme);
  return bearer ? authorization.substr(kScheme.size()) : std::string_view();
}

// Nothing: there is no key. Another scheme than Bearer is a key that cannot hold.
std::optional<std::string_view> key_of(const HttpRequest& request) {
  if (request.header("Authorization").data()) return bearer_of(request);
  const std::string_view agent = request.header("X-Agent-API-Key");
  if (agent.data()) return agent;
  return std::nullopt;
}

bool changes_nothing(const HttpRequest& request) {
  return request.method() == "GET" || request.method() == "HEAD";
}

// A browser sends the cookie with whatever any page has it ask for.
bool is_meant(const HttpRequest& request, std::string_view secret) {
  if (!is_from_own_page(request)) return false;
  return changes_nothing(request) ||
         equal_constant_time(request.header(kCsrfHeader), csrf_of(secret));
}

}  // namespace

std::string_view login_of(const HttpRequest& request) {
  std::string_view cookies = request.header("Cookie");
  while (!cookies.empty()) {
    const std::size_t end = cookies.find(';');
    std::string_view one = cookies.substr(0, end);
    cookies.remove_prefix(end == std::string_view::npos ? cookies.size() : end + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == kLoginCookie) {
      return one.substr(equals + 1);
    }
  }
  return {};
}

std::string csrf_of(std::string_view login_secret) {
  const Sha256 token = hmac_sha256(login_secret, "toolpost: a request of the page");
  return base64url({reinterpret_cast<const char*>(token.data()), token.size()});
}

bool is_from_own_page(const HttpRequest& request) {
  const std::string_view site = request.header("Sec-Fetch-Site");
  if (!site.data() || site == "same-origin") return true;
  return site == "none" && changes_nothing(request);  // typed, or a bookmark
}

Authenticator::Authenticator(std::shared_ptr<const Identities> identities, Strangers strangers,
                             const Clock& clock)
    : identities_(std::move(identities)), strangers_(strangers), clock_(clock) {}

std::optional<Visitor> Authenticator::by_key(std::string_view key) const {
  if (!identities_) return std::nullopt;
  const store::KeyRecord* const found = identities_->keyring().find_key(key);
  if (!found) return std::nullopt;
  return Visitor{{found->principal, Scopes(found->scopes)}, Way::Key, found->agent};
}

void Authenticator::take_tokens(TokenCheck& check, const ProtectedResource& resource) {
  tokens_ = &check;
  resource_ = &resource;
}

std::variant<Visitor, HttpRefusal> Authenticator::identify(const HttpRequest& request) {
  return find(request, Scope::Call);
}

Authenticator::Found Authenticator::find(const HttpRequest& request, Scope needed) {
  if (const std::string_view token = bearer_of(request); tokens_ && looks_like_token(token))
    return by_token(token, request.remote(), needed);
  // Where nobody has a key none can be wrong: clients that were set up for another host just call.
  const bool has_keys = tokens_ || (identities_ && identities_->keyring().has_keys());
  constexpr std::string_view kDoesNotHold =
      "this key or login does not hold: unknown, revoked or over";
  if (const auto key = key_of(request); key && (has_keys || strangers_ == Strangers::Refused)) {
    if (auto visitor = by_key(*key)) return *std::move(visitor);
    return refused(request.remote(), kDoesNotHold, needed);
  }
  if (const std::string_view secret = login_of(request); !secret.empty() && identities_) {
    const store::LoginRecord* const login = identities_->keyring().find_login(secret);
    if (!login) return refused(request.remote(), kDoesNotHold, needed);
    if (!is_meant(request, secret)) {
      return refusal(403, "denied", "this request does not come from the page of this host");
    }
    return Visitor{{login->principal, Scopes(login->scopes)}, Way::Login, {}};
  }
  if (strangers_ == Strangers::Served) {
    return Visitor{{std::string(kLocal), Scopes(Scope::Call)}, Way::Anonymous, {}};
  }
  return refusal(401, "unauthorized",
                 tokens_ ? "this host serves who has a token of its issuer, or a key"
                         : "this host serves who has a key: `toolpost key new` makes one",
                 challenge("", needed));
}

std::variant<Visitor, HttpRefusal> Authenticator::admit(const HttpRequest& request, Scope needed) {
  auto found = find(request, needed);
  const auto* const visitor = std::get_if<Visitor>(&found);
  if (!visitor || visitor->principal.scopes.has(needed)) return found;
  const std::string scope(to_string(needed));
  const std::string asked = tokens_ ? "" : ", scope=\"" + scope + '"';
  if (visitor->way == Way::Anonymous) {
    return refusal(401, "unauthorized", "this needs a key with the scope \"" + scope + "\"",
                   challenge(asked, needed));
  }
  return refusal(403, "denied", "this key, token or login has no scope \"" + scope + "\"",
                 challenge(R"(, error="insufficient_scope")" + asked, needed));
}

// `said` and, where this host takes tokens, where to get one that serves.
std::string Authenticator::challenge(std::string_view said, Scope needed) const {
  std::string out = R"(Bearer realm="toolpost")";
  out += said;
  if (resource_) out += resource_->hint(needed);
  return out;
}

Authenticator::Found Authenticator::by_token(std::string_view token, std::string_view address,
                                             Scope needed) {
  auto verdict = tokens_->check(token);
  if (auto* const principal = std::get_if<Principal>(&verdict))
    return Visitor{std::move(*principal), Way::Token, {}};
  const auto& told = std::get<TokenRefusal>(verdict);
  if (!told.retry_after) return refused(address, told.why, needed);
  HttpRefusal out = refusal(503, "unavailable", told.why);
  out.headers.emplace_back("Retry-After", std::to_string(told.retry_after->count()));
  return out;
}

bool Authenticator::failed(std::string_view address) {
  const SteadyTime now = clock_.steady();
  if (failed_.size() >= kMostAddresses) {
    std::erase_if(failed_, [now](const auto& one) { return now - one.second.since >= kWindow; });
    if (failed_.size() >= kMostAddresses) failed_.clear();
  }
  Tries& tries = failed_[std::string(address)];
  if (now - tries.since >= kWindow) tries = {0, now};
  return ++tries.count > kMostTries;
}

// Who has a key that holds is served all the same: nobody can lock its owner out. `why` is of this
// host's own words.
HttpRefusal Authenticator::refused(std::string_view address, std::string_view why, Scope needed) {
  if (failed(address)) {
    HttpRefusal out =
        refusal(429, "too_many", "too many keys or tokens that do not hold: wait a minute");
    out.headers.emplace_back("Retry-After", std::to_string(kWindow.count()));
    return out;
  }
  std::string said = R"(, error="invalid_token")";
  if (tokens_) said += ", error_description=\"" + std::string(why) + '"';
  return refusal(401, "unauthorized", why, challenge(said, needed));
}

}  // namespace host::identity
