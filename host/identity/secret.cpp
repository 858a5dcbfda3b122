#include "identity/secret.h"

#include <algorithm>
#include <iterator>

#include "identity/scopes.h"
#include "transport/ascii.h"

namespace host::identity {
namespace {

constexpr std::string_view kPrefix = "tpk_";
constexpr std::size_t kIdBytes = 6;
constexpr std::size_t kIdLetters = 12;  // hex
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kSecretLetters = 43;  // base64url

// Of a login by a link. The console sends no context with a call.
constexpr Scopes kScopesOfLinks = Scopes(Scope::Call).with(Scope::Approve).with(Scope::Admin);

bool fits_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// The names that the audit and the log use for actors without a key, and for the ways in which
// requests arrive.
constexpr std::string_view kReserved[] = {kLocal, kOperator, "host", "oauth",
                                          "cli",  "page",    "rest"};

bool is_reserved(std::string_view name) {
  return std::any_of(std::begin(kReserved), std::end(kReserved), [name](std::string_view reserved) {
    return transport::equal_ignoring_case(name, reserved);
  });
}

std::string make_id() {
  std::array<std::uint8_t, kIdBytes> id;
  random_bytes(id);
  return to_hex(id);
}

}  // namespace

ApiKey make_api_key() {
  ApiKey key;
  key.id = make_id();
  key.text = std::string(kPrefix) + key.id + "_" + random_id(kSecretBytes);
  return key;
}

std::optional<std::string_view> id_of(std::string_view key) {
  constexpr std::size_t kLength = kPrefix.size() + kIdLetters + 1 + kSecretLetters;
  if (key.size() != kLength || !key.starts_with(kPrefix)) return std::nullopt;
  if (key[kPrefix.size() + kIdLetters] != '_') return std::nullopt;
  return key.substr(kPrefix.size(), kIdLetters);
}

bool has_own_key(std::string_view header) {
  return header.find(kPrefix) != std::string_view::npos;
}

bool begins_as_key(std::string_view text) {
  return text.starts_with(kPrefix);
}

std::string make_secret() {
  return random_id(kSecretBytes);
}

std::string make_login_id() {
  return make_id();
}

Sha256 digest_of_secret(std::string_view secret) {
  return sha256(secret);
}

Result<void> check_principal(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  const bool fits = !name.empty() && name.size() <= kLongest &&
                    std::all_of(name.begin(), name.end(), fits_a_name);
  if (!fits) {
    return Error{ErrorKind::InvalidArgument,
                 "a principal's name has letters, digits, \".\", \"-\" and \"_\", at most 64"};
  }
  if (name == kOperator || !is_reserved(name)) return {};
  return Error{ErrorKind::InvalidArgument, "the principal's name \"" + std::string(name) +
                                               "\" is reserved for the host: choose another"};
}

Result<ApiKey> create_key(store::KeyStore& keys, const std::string& principal, Scopes scopes,
                          const std::string& agent, WallTime now, std::optional<WallTime> expires) {
  HOST_TRY(check_principal(principal));
  if (principal == kOperator) {
    return Error{ErrorKind::InvalidArgument,
                 "\"operator\" is the principal of logins by `toolpost key link`: name another "
                 "for a key"};
  }
  if (scopes.has(Scope::Context) && !scopes.has(Scope::Call)) {
    return Error{ErrorKind::InvalidArgument, "the scope context is for calls: add the scope call"};
  }
  if (!agent.empty() && (scopes.has(Scope::Approve) || scopes.has(Scope::Admin))) {
    return Error{
        ErrorKind::InvalidArgument,
        "the key of an agent has the scope call alone, or call and context: a model holds it"};
  }
  ApiKey made = make_api_key();
  store::KeyRecord record;
  record.id = made.id;
  record.principal = principal;
  record.scopes = scopes.bits();
  record.agent = agent;
  record.secret = digest_of_secret(made.text);
  record.created = now;
  record.expires = expires;
  HOST_TRY(keys.add_key(record));
  return made;
}

Result<RotatedKey> rotate_key(store::KeyStore& keys, std::string_view id, WallTime now,
                              WallTime until, std::optional<WallTime> expires) {
  RotatedKey made;
  made.key = make_api_key();
  made.record.id = made.key.id;
  made.record.secret = digest_of_secret(made.key.text);
  made.record.created = now;
  made.record.expires = expires;
  HOST_TRY_ASSIGN(store::Rotation rotation, keys.rotate(id, made.record, until));
  made.record = std::move(rotation.fresh);
  made.old_expires = rotation.old_expires;
  return made;
}

Result<std::string> create_link(store::KeyStore& keys, const std::string& principal,
                                WallTime expires) {
  HOST_TRY(check_principal(principal));
  std::string secret = make_secret();
  HOST_TRY(keys.add_link({digest_of_secret(secret), principal, kScopesOfLinks.bits(), expires}));
  return secret;
}

std::string link_text(const std::string& page, const std::string& secret) {
  return page + "/#login=" + secret;
}

}  // namespace host::identity
