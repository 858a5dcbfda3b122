#include "identity/oauth/token_claims.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "identity/oauth/subject.h"

namespace host::identity {
namespace {

using std::chrono::milliseconds;

constexpr double kLatest = 253'402'300'799;  // the end of the year 9999
constexpr double kAsLate = 8'000'000'000;    // in the year 2223; a WallTime ends in 2262

Error no_claim(std::string why) {
  return {ErrorKind::InvalidArgument, std::move(why)};
}

// RFC 7519, 2: seconds, which may have a fraction. Nothing where the claim is not there.
Result<std::optional<WallTime>> time_in(const json::Value& claims, const char* name) {
  const json::Value* const value = json::find(claims, name);
  if (!value) return std::optional<WallTime>();
  const double since_epoch = value->IsNumber() ? value->GetDouble() : -1;
  if (!(since_epoch >= 0 && since_epoch <= kLatest))
    return no_claim("the token's " + std::string(name) + " is no time");
  const double told = std::min(since_epoch, kAsLate);
  return std::optional(WallTime(milliseconds(static_cast<long long>(told * 1000))));
}

Result<WallTime> check_times(const json::Value& claims, milliseconds leeway, WallTime now) {
  HOST_TRY_ASSIGN(const auto expires, time_in(claims, "exp"));
  HOST_TRY_ASSIGN(const auto begins, time_in(claims, "nbf"));
  HOST_TRY_ASSIGN(const auto made, time_in(claims, "iat"));
  if (!expires) return no_claim("the token has no exp");
  if (now >= *expires + leeway) return no_claim("the token has expired");
  if (begins && *begins > now + leeway) return no_claim("the token does not hold yet");
  if (made && *made > now + leeway) return no_claim("the token was made in the future");
  return *expires + leeway;
}

bool is_text(const json::Value& value, std::string_view text) {
  return value.IsString() && json::text(value) == text;
}

// RFC 7519, 4.1.3: one text, or a list of them.
bool is_for(const json::Value& claims, const std::vector<std::string>& audiences) {
  const json::Value* const said = json::find(claims, "aud");
  if (!said) return false;
  return std::any_of(audiences.begin(), audiences.end(), [said](const std::string& ours) {
    if (!said->IsArray()) return is_text(*said, ours);
    const auto list = said->GetArray();
    return std::any_of(list.begin(), list.end(),
                       [&ours](const json::Value& one) { return is_text(one, ours); });
  });
}

// Of `scope`, words in one text (RFC 9068), or of `scp`, which some issuers have in its place, as a
// text or as a list.
bool says_scope(const json::Value& claims, std::string_view name) {
  const json::Value* said = json::find(claims, "scope");
  if (!said) said = json::find(claims, "scp");
  if (!said || name.empty()) return false;
  if (said->IsArray()) {
    const auto list = said->GetArray();
    return std::any_of(list.begin(), list.end(),
                       [name](const json::Value& one) { return is_text(one, name); });
  }
  std::string_view words = json::text(*said);
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    if (words.substr(0, end) == name) return true;
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
  return false;
}

}  // namespace

const std::string& TokenScopes::name_of(Scope scope) const {
  return scope == Scope::Admin ? admin : scope == Scope::Approve ? approve : call;
}

Result<Claims> check_claims(const json::Value& claims, const TokenRules& rules, WallTime now) {
  const json::Value* const issuer = json::find(claims, "iss");
  if (!issuer || !is_text(*issuer, rules.issuer)) return no_claim("the token is of another issuer");
  if (!is_for(claims, rules.audiences)) return no_claim("the token is for another audience");
  // RFC 7800: whoever shows it would have to prove a key besides, which nobody asks for here.
  if (json::find(claims, "cnf"))
    return no_claim("the token is bound to a key of its sender, which this host does not check");
  Claims checked;
  HOST_TRY_ASSIGN(checked.until, check_times(claims, rules.leeway, now));
  HOST_TRY_ASSIGN(checked.principal.name, principal_of_subject(json::find_text(claims, "sub")));
  for (const Scope scope : {Scope::Call, Scope::Approve, Scope::Admin}) {
    if (says_scope(claims, rules.scopes.name_of(scope)))
      checked.principal.scopes = checked.principal.scopes.with(scope);
  }
  return checked;
}

}  // namespace host::identity
