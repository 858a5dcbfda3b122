#include "upstream/openapi/security.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/letters.h"
#include "json/excerpt.h"
#include "tool/definition/declared_text.h"
#include "upstream/openapi/overrides.h"

namespace host::upstream::openapi {
namespace {

constexpr std::size_t kMostAlternatives = 64;
constexpr std::size_t kMostSchemes = 16;  // of one alternative
// They belong to the connection, or the host sets them.
constexpr std::string_view kNoHeaderOfSchemes[] = {"accept-encoding",
                                                   "connection",
                                                   "content-length",
                                                   "content-type",
                                                   "expect",
                                                   "host",
                                                   "keep-alive",
                                                   "proxy-authorization",
                                                   "proxy-connection",
                                                   "te",
                                                   "trailer",
                                                   "cookie",
                                                   "transfer-encoding",
                                                   "upgrade"};

Error unusable(std::string why) {
  return Error{ErrorKind::Denied, std::move(why)};
}

// What names of headers and cookies are made of.
bool is_token(std::string_view text) {
  constexpr std::string_view kAlso = "!#$%&'*+-.^_`|~";
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           kAlso.find(c) != std::string_view::npos;
  });
}

std::string scheme_name(std::string_view name) {
  return tool::quoted_name(json::excerpt(name, 64));
}

Result<Credential> api_key(const std::string& scheme, const json::Value& described) {
  const std::string_view in = json::find_text(described, "in");
  const std::string_view name = json::find_text(described, "name");
  Credential credential{scheme, Credential::To::Header, std::string(name.substr(0, 128))};
  if (name.empty() || name.size() > 128 || !is_token(name))
    return unusable("its security scheme " + scheme_name(scheme) + " has no usable name");
  if (in == "header") {
    const std::string plain = plain_header(credential.name);
    const bool is_own = std::find(std::begin(kNoHeaderOfSchemes), std::end(kNoHeaderOfSchemes),
                                  plain) != std::end(kNoHeaderOfSchemes) ||
                        is_override_header(plain);
    if (!is_own) return credential;
    return unusable("its security scheme " + scheme_name(scheme) + " sets the header " +
                    scheme_name(credential.name) + ", which the host sets");
  }
  if (in == "query") {
    credential.to = Credential::To::Query;
    return credential;
  }
  if (in == "cookie") {
    credential.to = Credential::To::Cookie;
    return credential;
  }
  return unusable("its security scheme " + scheme_name(scheme) + " has no usable place");
}

Result<Credential> scheme_of(ApiDocument& document, const std::string& scheme) {
  const json::Value* const components = json::find(document.root(), "components");
  const json::Value* const all = components ? json::find(*components, "securitySchemes") : nullptr;
  const json::Value* const written = all ? json::find(*all, scheme) : nullptr;
  if (!written) return unusable("its security scheme " + scheme_name(scheme) + " does not exist");
  HOST_TRY_ASSIGN(const json::Value* const described, document.resolve(*written));
  const std::string_view type = json::find_text(*described, "type");
  if (type == "apiKey") return api_key(scheme, *described);
  if (type == "oauth2" || type == "openIdConnect")
    return Credential{scheme, Credential::To::Bearer, {}};
  const std::string_view how = json::find_text(*described, "scheme");
  if (type == "http" && same_letters(how, "bearer"))
    return Credential{scheme, Credential::To::Bearer, {}};
  if (type == "http" && same_letters(how, "basic"))
    return Credential{scheme, Credential::To::Basic, {}};
  return unusable("its security scheme " + scheme_name(scheme) +
                  " is neither apiKey, http (bearer, basic), oauth2 nor openIdConnect");
}

bool is_by_header(const Credential& credential, const Known& known) {
  switch (credential.to) {
    case Credential::To::Header:
      return known.headers.contains(lower(credential.name));
    case Credential::To::Bearer:
    case Credential::To::Basic:
      return known.headers.contains("authorization");
    case Credential::To::Cookie:
      return known.headers.contains("cookie");
    case Credential::To::Query:
      return false;
  }
  return false;
}

// Two schemes of one alternative may want the same place: a request has it once.
bool is_placed(const std::vector<Credential>& chosen, const Credential& one) {
  const auto is_authorization = [](const Credential& it) {
    return it.to == Credential::To::Bearer || it.to == Credential::To::Basic ||
           (it.to == Credential::To::Header && same_letters(it.name, "authorization"));
  };
  return std::any_of(chosen.begin(), chosen.end(), [&](const Credential& other) {
    if (is_authorization(one)) return is_authorization(other);
    return other.to == one.to && same_letters(other.name, one.name);
  });
}

Result<std::vector<Credential>> alternative(ApiDocument& document, const json::Value& schemes,
                                            const Known& known) {
  if (!schemes.IsObject() || schemes.MemberCount() > kMostSchemes)
    return unusable("its security requirement is no object, or has too many schemes");
  std::vector<Credential> chosen;
  for (const auto& member : schemes.GetObject()) {
    HOST_TRY(document.check_time());
    const std::string name(json::text(member.name));
    HOST_TRY_ASSIGN(Credential credential, scheme_of(document, name));
    if (known.credentials.contains(name)) {
      if (is_placed(chosen, credential))
        return unusable("two of its security schemes set the same header or parameter");
      chosen.push_back(std::move(credential));
    } else if (!is_by_header(credential, known)) {
      return unusable("it needs the credentials of its security scheme " + scheme_name(name) +
                      ": set them in `credentials`");
    }
  }
  return chosen;
}

}  // namespace

Result<std::vector<Credential>> credentials_for(ApiDocument& document, const json::Value* security,
                                                const Known& known) {
  if (!security || !security->IsArray() || security->Empty()) return std::vector<Credential>();
  std::optional<Error> first;
  std::size_t looked_at = 0;
  bool needs_none = false;
  for (const json::Value& schemes : security->GetArray()) {
    if (++looked_at > kMostAlternatives) break;
    auto chosen = alternative(document, schemes, known);
    if (chosen && !chosen->empty()) return chosen;
    needs_none = needs_none || chosen.has_value();
    if (!chosen && !first) first = chosen.error();
  }
  if (needs_none) return std::vector<Credential>();
  return *first;
}

std::vector<std::string> schemes_of(const ApiDocument& document) {
  const json::Value* const components = json::find(document.root(), "components");
  const json::Value* const all = components ? json::find(*components, "securitySchemes") : nullptr;
  std::vector<std::string> names;
  if (!all || !all->IsObject()) return names;
  for (const auto& member : all->GetObject()) names.emplace_back(json::text(member.name));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace host::upstream::openapi
