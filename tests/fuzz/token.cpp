// A token before anybody believes it, and what its issuer publishes: the first byte says which.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "identity/oauth/issuer_metadata.h"
#include "identity/oauth/key_set.h"
#include "identity/oauth/signed_token.h"
#include "identity/oauth/subject.h"
#include "identity/oauth/token_claims.h"

namespace {

using namespace host::identity;

void must(bool held) {
  if (!held) std::abort();
}

// Why a token is refused stands between quotes in a header.
void must_fit_a_header(const std::string& text) {
  const auto fits = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  must(!text.empty() && std::all_of(text.begin(), text.end(), fits));
}

void check(const host::json::Value& claims) {
  static const TokenRules rules = {"https://a",
                                   {"https://b/mcp"},
                                   {Algorithm::Es256},
                                   {"call", "", ""},
                                   std::chrono::seconds(30)};
  const host::WallTime now{std::chrono::seconds(3600)};
  const auto checked = check_claims(claims, rules, now);
  if (!checked) return must_fit_a_header(checked.error().message);
  must(is_principal_of_subject(checked->principal.name));
  must(checked->until > now);
  must(!checked->principal.scopes.has(Scope::Approve));
}

void read_token(const std::string& text) {
  const auto token = read_signed_token(text);
  if (!token) return must_fit_a_header(token.error().message);
  must(looks_like_token(text) && token->claims.root().IsObject());
  must(token->signed_part.size() < text.size());
  check(token->claims.root());
}

void read_keys(const std::string& text) {
  const auto keys = KeySet::read(text);
  if (!keys) return must(!keys.error().message.empty());
  for (const SigningKey* one : keys->find(std::nullopt, Algorithm::Es256))
    must(!one->key.verifies(Algorithm::Es256, "text", std::string(64, '\x01')));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // Its own buffer, so that the sanitizer sees a read past its end.
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'c':
      if (const auto tree = host::json::parse(text)) check(tree->root());
      break;
    case 'k':
      read_keys(text);
      break;
    case 'm':
      must(!metadata_urls(text).empty());
      (void)read_jwks_url(text, "https://a");
      break;
    default:
      read_token(text);
  }
  return 0;
}
