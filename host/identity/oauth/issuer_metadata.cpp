#include "identity/oauth/issuer_metadata.h"

#include "json/json.h"

namespace host::identity {
namespace {

constexpr json::Limits kLimitsOfMetadata{16, 8192, 16u << 10u, 256};

}  // namespace

std::vector<std::string> metadata_urls(std::string_view issuer) {
  constexpr std::string_view kOAuth = "/.well-known/oauth-authorization-server";
  constexpr std::string_view kOpenId = "/.well-known/openid-configuration";
  while (issuer.ends_with('/')) issuer.remove_suffix(1);
  const std::size_t host = issuer.find("://");
  const std::size_t slash = issuer.find('/', host == std::string_view::npos ? 0 : host + 3);
  const std::string origin(issuer.substr(0, slash));
  if (slash == std::string_view::npos)
    return {origin + std::string(kOAuth), origin + std::string(kOpenId)};
  const std::string path(issuer.substr(slash));
  return {origin + std::string(kOAuth) + path, origin + std::string(kOpenId) + path,
          origin + path + std::string(kOpenId)};
}

Result<std::string> read_jwks_url(std::string_view metadata, std::string_view issuer) {
  const auto tree = json::parse(metadata, kLimitsOfMetadata);
  if (!tree) return Error{ErrorKind::InvalidArgument, "is not JSON: " + tree.error().message};
  if (json::find_text(tree->root(), "issuer") != issuer)
    return Error{ErrorKind::Denied, "names another issuer than " + std::string(issuer)};
  const std::string_view url = json::find_text(tree->root(), "jwks_uri");
  if (url.empty()) return Error{ErrorKind::InvalidArgument, "has no \"jwks_uri\""};
  return std::string(url);
}

}  // namespace host::identity
