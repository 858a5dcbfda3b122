#include "upstream/oauth/metadata.h"

#include <algorithm>

#include "json/json.h"
#include "outbound/origin.h"
#include "upstream/oauth/challenge.h"

namespace host::upstream::oauth {
namespace {

constexpr json::Limits kMetadataLimits{16, 8192, 16u << 10u, 256};
constexpr std::size_t kMostUrlBytes = 2048;
constexpr std::size_t kMostListed = 64;

// Scheme and authority; then the path, without the query.
struct Parts {
  std::string_view origin;
  std::string_view path;
};

Parts parts_of(std::string_view url) {
  const std::string_view plain = url.substr(0, url.find_first_of("?#"));
  const std::size_t host = plain.find("://");
  const std::size_t slash = plain.find('/', host == std::string_view::npos ? 0 : host + 3);
  if (slash == std::string_view::npos) return {plain, {}};
  return {plain.substr(0, slash), plain.substr(slash)};
}

std::string_view without_slash(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// A server may describe all that is below a path.
bool covers(std::string_view resource, std::string_view url) {
  if (resource.find('#') != std::string_view::npos) return false;  // RFC 8707, 2
  const auto theirs = outbound::origin_of(resource);
  const auto ours = outbound::origin_of(url);
  if (!theirs || !ours || !(*theirs == *ours)) return false;
  const std::string_view above = without_slash(parts_of(resource).path);
  const std::string_view path = without_slash(parts_of(url).path);
  return path == above || (path.starts_with(above) && path.substr(above.size()).starts_with('/'));
}

Result<json::Document> object_in(std::string_view text) {
  auto tree = json::parse(text, kMetadataLimits);
  if (!tree) return Error{ErrorKind::InvalidArgument, "is not JSON: " + tree.error().message};
  if (!tree->root().IsObject()) return Error{ErrorKind::InvalidArgument, "is no JSON object"};
  return tree;
}

std::vector<std::string> texts_in(const json::Value& object, std::string_view key) {
  std::vector<std::string> out;
  const json::Value* const list = json::find(object, key);
  if (!list || !list->IsArray()) return out;
  for (const json::Value& one : list->GetArray()) {
    if (one.IsString() && out.size() < kMostListed) out.emplace_back(json::text(one));
  }
  return out;
}

bool is_true(const json::Value& object, std::string_view key) {
  const json::Value* const found = json::find(object, key);
  return found && found->IsTrue();
}

Result<std::string> endpoint_in(const json::Value& object, std::string_view key) {
  std::string url(json::find_text(object, key));
  if (url.empty() || is_endpoint(url)) return url;
  return Error{ErrorKind::InvalidArgument,
               "has a \"" + std::string(key) + "\" that is not an https URL"};
}

}  // namespace

bool is_endpoint(std::string_view url) {
  const auto origin = outbound::origin_of(url);
  if (!origin || url.size() > kMostUrlBytes || url.find('#') != std::string_view::npos)
    return false;
  const bool is_here =
      origin->host == "localhost" || origin->host == "127.0.0.1" || origin->host == "::1";
  return (origin->scheme == "https" || is_here) &&
         std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

std::vector<std::string> resource_metadata_urls(std::string_view url) {
  constexpr std::string_view kWellKnown = "/.well-known/oauth-protected-resource";
  const Parts parts = parts_of(url);
  const std::string root = std::string(parts.origin) + std::string(kWellKnown);
  const std::string_view path = without_slash(parts.path);
  if (path.empty()) return {root};
  return {root + std::string(path), root};
}

Result<ResourceMetadata> read_resource_metadata(std::string_view text, std::string_view url) {
  HOST_TRY_ASSIGN(const json::Document tree, object_in(text));
  ResourceMetadata out;
  out.resource = json::find_text(tree.root(), "resource");
  if (!covers(out.resource, url)) {
    return Error{ErrorKind::Denied, "belongs to a different server: its \"resource\" is not " +
                                        std::string(url.substr(0, url.find('?')))};
  }
  const auto servers = texts_in(tree.root(), "authorization_servers");
  if (servers.empty()) return Error{ErrorKind::InvalidArgument, "has no \"authorization_servers\""};
  out.issuer = servers.front();
  if (!is_endpoint(out.issuer)) {
    return Error{ErrorKind::InvalidArgument,
                 "names an authorization server that is not an https URL"};
  }
  out.scopes = read_scopes(join_scopes(texts_in(tree.root(), "scopes_supported")));
  return out;
}

Result<ServerMetadata> read_server_metadata(std::string_view text, std::string_view issuer) {
  HOST_TRY_ASSIGN(const json::Document tree, object_in(text));
  const json::Value& root = tree.root();
  ServerMetadata out;
  out.issuer = json::find_text(root, "issuer");
  if (out.issuer != issuer)
    return Error{ErrorKind::Denied, "names another issuer than " + std::string(issuer)};
  HOST_TRY_ASSIGN(out.authorization_endpoint, endpoint_in(root, "authorization_endpoint"));
  HOST_TRY_ASSIGN(out.token_endpoint, endpoint_in(root, "token_endpoint"));
  HOST_TRY_ASSIGN(out.registration_endpoint, endpoint_in(root, "registration_endpoint"));
  HOST_TRY_ASSIGN(out.revocation_endpoint, endpoint_in(root, "revocation_endpoint"));
  if (out.authorization_endpoint.empty() || out.token_endpoint.empty()) {
    return Error{ErrorKind::InvalidArgument,
                 "has no \"authorization_endpoint\" or no \"token_endpoint\""};
  }
  if (!is_in(texts_in(root, "code_challenge_methods_supported"), "S256")) {
    return Error{ErrorKind::Denied,
                 "does not offer PKCE with S256 (\"code_challenge_methods_supported\"), so the "
                 "host does not log in there"};
  }
  out.scopes = texts_in(root, "scopes_supported");
  out.auth_methods = texts_in(root, "token_endpoint_auth_methods_supported");
  out.sends_issuer = is_true(root, "authorization_response_iss_parameter_supported");
  out.reads_client_documents = is_true(root, "client_id_metadata_document_supported");
  return out;
}

ServerMetadata fixed_endpoints(std::string_view origin) {
  ServerMetadata out;
  out.issuer = origin;
  out.authorization_endpoint = std::string(origin) + "/authorize";
  out.token_endpoint = std::string(origin) + "/token";
  out.registration_endpoint = std::string(origin) + "/register";
  return out;
}

}  // namespace host::upstream::oauth
