#include "upstream/oauth/messages.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/digest.h"
#include "base/text/encoding.h"
#include "base/text/letters.h"
#include "json/object_text.h"
#include "upstream/oauth/challenge.h"

namespace host::upstream::oauth {
namespace {

constexpr json::Limits kAnswerLimits{16, 1024, 64u << 10u, 256};
constexpr std::size_t kMostClientBytes = 2048;
// The headers of a request have 8 KiB at most.
constexpr std::size_t kMostAccessTokenBytes = 6u << 10u;
constexpr std::size_t kMostRefreshTokenBytes = 16u << 10u;
constexpr std::size_t kMostErrorBytes = 64;
constexpr std::int64_t kMostSeconds = 10 * 366 * 24 * 3600LL;

Error invalid(const std::string& what) {
  return Error{ErrorKind::Unavailable, what};
}

bool is_visible(std::string_view text, std::size_t most) {
  return text.size() <= most &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

std::int64_t seconds_in(const json::Value& object, std::string_view key) {
  const json::Value* const found = json::find(object, key);
  if (!found || !found->IsNumber()) return 0;
  const double value = found->GetDouble();
  if (!(value > 0)) return 0;
  return value < static_cast<double>(kMostSeconds) ? static_cast<std::int64_t>(value)
                                                   : kMostSeconds;
}

}  // namespace

std::string code_challenge(std::string_view verifier) {
  const Sha256 digest = sha256(verifier);
  return base64url(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string method_for_secret(const std::vector<std::string>& offered) {
  if (offered.empty() || is_in(offered, "client_secret_basic")) return "client_secret_basic";
  return is_in(offered, "client_secret_post") ? "client_secret_post" : "client_secret_basic";
}

std::string registration_request(const ServerMetadata& server, const std::string& redirect,
                                 const std::vector<std::string>& scopes) {
  const bool is_public = server.auth_methods.empty() || is_in(server.auth_methods, "none");
  std::string out = "{";
  json::add_text(out, "client_name", "Toolpost");
  json::add_text(out, "application_type", "native");
  json::add_member(out, "redirect_uris", json::list_of({redirect}));
  json::add_member(out, "grant_types", R"(["authorization_code","refresh_token"])");
  json::add_member(out, "response_types", R"(["code"])");
  json::add_text(out, "token_endpoint_auth_method",
                 is_public ? "none" : method_for_secret(server.auth_methods));
  if (!scopes.empty()) json::add_text(out, "scope", join_scopes(scopes));
  return out + "}";
}

Result<Client> read_registration(std::string_view text, const std::string& redirect) {
  const auto tree = json::parse(text, kAnswerLimits);
  if (!tree) return invalid("the answer is not JSON: " + tree.error().message);
  const json::Value& root = tree->root();
  Client out;
  out.id = json::find_text(root, "client_id");
  out.secret = json::find_text(root, "client_secret");
  out.redirect = redirect;
  if (out.id.empty() || !is_visible(out.id, kMostClientBytes) ||
      !is_visible(out.secret, kMostClientBytes)) {
    return invalid("the answer has no valid \"client_id\"");
  }
  out.method = json::find_text(root, "token_endpoint_auth_method");
  if (out.method.empty()) out.method = out.secret.empty() ? "none" : "client_secret_basic";
  const bool needs_secret =
      out.method == "client_secret_basic" || out.method == "client_secret_post";
  if (!needs_secret && out.method != "none")
    return invalid("the answer wants a \"token_endpoint_auth_method\" that the host does not have");
  if (needs_secret && out.secret.empty()) return invalid("the answer has no \"client_secret\"");
  out.secret_expires = WallTime(std::chrono::seconds(seconds_in(root, "client_secret_expires_at")));
  return out;
}

void add_client(const Client& client, Form& form, outbound::Headers& headers) {
  if (client.method == "client_secret_basic") {
    const std::string pair =
        percent_encoded(client.id) + ":" + percent_encoded(client.secret);  // RFC 6749, 2.3.1
    headers.emplace_back("Authorization", "Basic " + base64(pair));
    return;
  }
  form.emplace_back("client_id", client.id);
  if (client.method == "client_secret_post") form.emplace_back("client_secret", client.secret);
}

Result<Tokens> read_tokens(std::string_view text, WallTime now) {
  const auto tree = json::parse(text, kAnswerLimits);
  if (!tree) return invalid("the answer is not JSON: " + tree.error().message);
  const json::Value& root = tree->root();
  Tokens out;
  out.access_token = json::find_text(root, "access_token");
  out.refresh_token = json::find_text(root, "refresh_token");
  if (out.access_token.empty() || !is_visible(out.access_token, kMostAccessTokenBytes))
    return invalid("the answer has no valid \"access_token\" of at most 6 KiB");
  if (!is_visible(out.refresh_token, kMostRefreshTokenBytes))
    return invalid("the answer has no valid \"refresh_token\" of at most 16 KiB");
  if (!same_letters(json::find_text(root, "token_type"), "Bearer"))
    return invalid("the answer has a token of a type that is not Bearer");
  if (const std::int64_t seconds = seconds_in(root, "expires_in"); seconds > 0)
    out.expires = now + std::chrono::seconds(seconds);
  if (const json::Value* const scope = json::find(root, "scope"); scope && scope->IsString()) {
    out.has_scopes = true;
    out.scopes = read_scopes(json::text(*scope));
  }
  return out;
}

bool is_error_code(std::string_view text) {
  return !text.empty() && text.size() <= kMostErrorBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < '\x7F' && c != '"' && c != '\\'; });
}

std::string error_code_in(std::string_view text) {
  const auto tree = json::parse(text, kAnswerLimits);
  if (!tree) return {};
  std::string code(json::find_text(tree->root(), "error"));
  return is_error_code(code) ? code : std::string();
}

}  // namespace host::upstream::oauth
