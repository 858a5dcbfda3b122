#include "identity/oauth/signed_token.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "transport/ascii.h"

namespace host::identity {
namespace {

constexpr std::size_t kLongestToken = 16u << 10u;
constexpr json::Limits kLimitsOfToken{16, 4096, 16u << 10u, 256};

Error malformed(const char* why) {
  return {ErrorKind::InvalidArgument, why};
}

Result<json::Document> object_in(std::string_view part, const char* otherwise) {
  const auto text = from_base64url(part);
  if (!text) return malformed(otherwise);
  auto tree = json::parse(*text, kLimitsOfToken);
  if (!tree || !tree->root().IsObject()) return malformed(otherwise);
  return *std::move(tree);
}

// RFC 9068 says at+jwt; many issuers say JWT or nothing. All else is a token for something else.
bool is_type_of_token(const json::Value& header) {
  const json::Value* const type = json::find(header, "typ");
  if (!type) return true;
  const std::string_view said = json::text(*type);
  for (const std::string_view known : {"JWT", "at+jwt", "application/at+jwt"}) {
    if (transport::equal_ignoring_case(said, known)) return true;
  }
  return false;
}

Result<void> read_header(const json::Value& header, SignedToken& into) {
  if (json::find(header, "crit"))
    return malformed("the token asks for an extension that this host does not know");
  if (!is_type_of_token(header)) return malformed("the token is of another type");
  const auto algorithm = algorithm_from(json::find_text(header, "alg"));
  if (!algorithm) return malformed("the token is signed by no algorithm that is taken here");
  into.algorithm = *algorithm;
  if (const json::Value* const id = json::find(header, "kid")) {
    if (!id->IsString()) return malformed("the token's kid is no text");
    into.key_id = json::text(*id);
  }
  return {};
}

}  // namespace

bool looks_like_token(std::string_view bearer) {
  return std::count(bearer.begin(), bearer.end(), '.') == 2;
}

Result<SignedToken> read_signed_token(std::string_view text) {
  if (text.size() > kLongestToken) return malformed("the token is longer than 16 KiB");
  const std::size_t first = text.find('.');
  const std::size_t last = text.rfind('.');
  if (!looks_like_token(text)) return malformed("the token has not three parts");
  SignedToken token;
  HOST_TRY_ASSIGN(const json::Document header,
                  object_in(text.substr(0, first), "the token's header cannot be read"));
  HOST_TRY(read_header(header.root(), token));
  HOST_TRY_ASSIGN(token.claims, object_in(text.substr(first + 1, last - first - 1),
                                          "the token's claims cannot be read"));
  auto signature = from_base64url(text.substr(last + 1));
  if (!signature) return malformed("the token's signature cannot be read");
  token.signature = *std::move(signature);
  token.signed_part = text.substr(0, last);
  return token;
}

}  // namespace host::identity
