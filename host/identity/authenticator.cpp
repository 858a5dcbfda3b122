#include "identity/authenticator.h"

#include <utility>

#include "base/text/encoding.h"
#include "identity/oauth/signed_token.h"
#include "identity/secret.h"
#include "transport/address_owner.h"
#include "transport/ascii.h"

namespace host::identity {
namespace {

using transport::HttpRefusal;
using transport::HttpRequest;

constexpr std::uint32_t kMostTries = 20;  // failed attempts of one owner of addresses in a minute

using transport::Problem;

HttpRefusal refusal(Problem problem, std::string_view message, std::string challenge = {}) {
  HttpRefusal out{problem, std::string(message), {{"Cache-Control", "no-store"}}};
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

constexpr std::string_view kAgentHeader = "X-Agent-API-Key";

constexpr std::string_view kTwoShown =
    "two different credentials are shown: send one key, token or login";

// A key of a Toolpost host is never a placeholder, even if this host knows no key: its database may
// have been deleted or replaced.
bool shows_own_key(const HttpRequest& request) {
  return has_own_key(request.header("Authorization")) ||
         has_own_key(request.header("X-Agent-API-Key"));
}

constexpr std::string_view kDoesNotHold =
    "this key or login is not valid: it is unknown, revoked or has expired";

}  // namespace

std::shared_ptr<const tool::Credential> credential_of(const Visitor& visitor) {
  if (visitor.login.empty() && !visitor.until) return nullptr;
  return std::make_shared<const tool::Credential>(tool::Credential{visitor.login, visitor.until});
}

Authenticator::Authenticator(std::shared_ptr<Identities> identities, Strangers strangers,
                             const Clock& clock)
    : identities_(std::move(identities)),
      strangers_(strangers),
      clock_(clock),
      failed_(clock, kMostTries) {}

std::optional<Visitor> Authenticator::by_key(std::string_view key) {
  if (!identities_) return std::nullopt;
  const store::KeyRecord* const found = identities_->keyring().find_key(key);
  if (!found) return std::nullopt;
  identities_->note_use(found->id);
  return Visitor{
      {found->principal, Scopes(found->scopes)}, Way::Key, found->agent, found->id, {}, {}};
}

void Authenticator::take_tokens(TokenCheck& check, const ProtectedResource& resource) {
  tokens_ = &check;
  resource_ = &resource;
}

std::variant<Visitor, HttpRefusal> Authenticator::identify(const HttpRequest& request,
                                                           Scope needed) {
  // If there never was a key, clients with a placeholder are served without a key.
  const bool keys_count = strangers_ == Strangers::Refused || tokens_ || shows_own_key(request) ||
                          (identities_ && identities_->keyring().has_keys());
  std::optional<Found> found;
  // A scheme other than Bearer is treated as an invalid key.
  const std::string_view bearer = bearer_of(request);
  const bool token = tokens_ && looks_like_token(bearer);
  if (token || (keys_count && request.header("Authorization").data())) {
    found = token ? by_token(bearer, request.remote(), needed) : by_header(request, bearer, needed);
    if (std::holds_alternative<HttpRefusal>(*found)) return *std::move(found);
  }
  const std::string_view agent = request.header(kAgentHeader);
  if (keys_count && agent.data() && !(found && agent == bearer)) {
    Found other = by_header(request, agent, needed);
    if (found && std::holds_alternative<Visitor>(other)) return two_shown(needed);
    if (std::holds_alternative<HttpRefusal>(other)) return other;
    found = std::move(other);
  }
  // A browser always sends its cookie. The cookie alone does not make a login.
  const ShownLogin login = shown_login(request);
  if (identities_ && (found ? login.is_whole() : login.shows_anything())) {
    Found other = by_login(request, login, needed);
    if (found && std::holds_alternative<Visitor>(other)) return two_shown(needed);
    return other;
  }
  if (found) return *std::move(found);
  if (strangers_ == Strangers::Served) {
    return Visitor{{std::string(kLocal), Scopes(Scope::Call)}, Way::Anonymous, {}, {}, {}, {}};
  }
  return refusal(Problem::Unauthorized,
                 tokens_ ? "this host serves who has a token of its issuer, or a key"
                         : "this host serves who has a key: `toolpost key new` makes one",
                 challenge("", needed));
}

Authenticator::Found Authenticator::by_header(const HttpRequest& request, std::string_view shown,
                                              Scope needed) {
  if (auto visitor = by_key(shown)) return *std::move(visitor);
  return refused(request.remote(), kDoesNotHold, needed);
}

// This does not count as a failed attempt, because both are valid.
Authenticator::Found Authenticator::two_shown(Scope needed) const {
  return refusal(Problem::Unauthorized, kTwoShown,
                 challenge(R"(, error="invalid_request")", needed));
}

// A cookie that the browser sent by itself is not enough, but it does not count as a failed
// attempt.
Authenticator::Found Authenticator::by_login(const HttpRequest& request, const ShownLogin& shown,
                                             Scope needed) {
  if (!shown.is_whole()) {
    return refusal(Problem::Unauthorized,
                   "a login needs its cookie and the header " + std::string(kLoginHeader) +
                       ", which the page sends: open the page, or use a key",
                   challenge("", needed));
  }
  if (!is_from_own_page(request))
    return refusal(Problem::Denied, "this request does not come from the page of this host");
  const store::LoginRecord* const login = identities_->keyring().find_login(shown);
  if (!login) return refused(request.remote(), kDoesNotHold, needed);
  if (!login->key.empty()) identities_->note_use(login->key);
  return Visitor{
      {login->principal, Scopes(login->scopes)}, Way::Login, {}, login->key, login->id, {}};
}

std::variant<Visitor, HttpRefusal> Authenticator::admit(const HttpRequest& request, Scope needed,
                                                        Scopes instead) {
  auto found = identify(request, needed);
  const auto* const visitor = std::get_if<Visitor>(&found);
  if (!visitor) return found;
  if (auto refused = scope_refusal(*visitor, needed, instead)) return *std::move(refused);
  return found;
}

std::optional<HttpRefusal> Authenticator::scope_refusal(const Visitor& visitor, Scope needed,
                                                        Scopes instead) const {
  if (visitor.principal.scopes.has(needed)) return std::nullopt;
  if ((visitor.principal.scopes.bits() & instead.bits()) != 0) return std::nullopt;
  const std::string scope(to_string(needed));
  const std::string asked = tokens_ ? "" : ", scope=\"" + scope + '"';
  if (visitor.way == Way::Anonymous) {
    return refusal(Problem::Unauthorized, "this needs a key with the scope \"" + scope + "\"",
                   challenge(asked, needed));
  }
  return refusal(Problem::Denied, "this key, token or login has no scope \"" + scope + "\"",
                 challenge(R"(, error="insufficient_scope")" + asked, needed));
}

// `said`, and the place to get a token if this host accepts tokens.
std::string Authenticator::challenge(std::string_view said, Scope needed) const {
  std::string out = R"(Bearer realm="toolpost")";
  out += said;
  if (resource_) out += resource_->hint(needed);
  return out;
}

Authenticator::Found Authenticator::by_token(std::string_view token, std::string_view address,
                                             Scope needed) {
  auto verdict = tokens_->check(token);
  if (auto* const accepted = std::get_if<Claims>(&verdict))
    return Visitor{std::move(accepted->principal), Way::Token, {}, {}, {}, accepted->until};
  const auto& told = std::get<TokenRefusal>(verdict);
  if (!told.retry_after) return refused(address, told.why, needed);
  HttpRefusal out = refusal(Problem::Unavailable, told.why);
  out.headers.emplace_back("Retry-After", std::to_string(told.retry_after->count()));
  return out;
}

bool Authenticator::still_admits(const Visitor& visitor) const {
  if (visitor.way == Way::Key) return identities_->keyring().has_key(visitor.key);
  if (visitor.way == Way::Login) return identities_->keyring().has_login(visitor.login);
  return !visitor.until || clock_.wall() < *visitor.until;
}

bool Authenticator::failed(std::string_view address) {
  return failed_.count(transport::owner_of_address(address)).has_value();
}

// Clients with a valid key are still served, so nobody can lock out a key's owner. `why` contains
// only this host's own text.
HttpRefusal Authenticator::refused(std::string_view address, std::string_view why, Scope needed) {
  if (const auto wait = failed_.count(transport::owner_of_address(address))) {
    HttpRefusal out = refusal(Problem::TooManyAttempts,
                              "too many keys or tokens that do not hold: wait a minute");
    out.headers.emplace_back("Retry-After", std::to_string(wait->count()));
    return out;
  }
  std::string said = R"(, error="invalid_token")";
  if (tokens_) said += ", error_description=\"" + std::string(why) + '"';
  return refusal(Problem::Unauthorized, why, challenge(said, needed));
}

}  // namespace host::identity
