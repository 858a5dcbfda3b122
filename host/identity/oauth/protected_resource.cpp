#include "identity/oauth/protected_resource.h"

#include <utility>

#include "json/object_text.h"

namespace host::identity {
namespace {

constexpr std::string_view kMetadataPath = "/.well-known/oauth-protected-resource";
constexpr std::string_view kMcpPath = "/mcp";  // as this host itself serves it

}  // namespace

ProtectedResource::ProtectedResource(std::string url, std::string issuer, TokenScopes scopes)
    : url_(std::move(url)), issuer_(std::move(issuer)), scopes_(std::move(scopes)) {
  const std::size_t host = url_.find("://");
  const std::size_t slash = url_.find('/', host == std::string::npos ? 0 : host + 3);
  origin_ = url_.substr(0, slash);
  if (slash != std::string::npos && slash + 1 < url_.size()) path_ = url_.substr(slash);
}

bool ProtectedResource::is_metadata_path(std::string_view path) {
  if (!path.starts_with(kMetadataPath)) return false;
  path.remove_prefix(kMetadataPath.size());
  return path.empty() || path.starts_with('/');
}

bool ProtectedResource::has_metadata_at(std::string_view path) const {
  if (!is_metadata_path(path)) return false;
  path.remove_prefix(kMetadataPath.size());
  return path.empty() || path == kMcpPath || path == path_;
}

std::string ProtectedResource::metadata() const {
  std::string out = "{";
  json::add_text(out, "resource", url_);
  json::add_member(out, "authorization_servers", json::list_of({issuer_}));
  if (!scopes_.call.empty())
    json::add_member(out, "scopes_supported", json::list_of({scopes_.call}));
  json::add_member(out, "bearer_methods_supported", json::list_of({"header"}));
  return out + "}";
}

std::string ProtectedResource::hint(Scope needed) const {
  const std::string& scope = scopes_.name_of(needed);
  std::string out;
  if (!scope.empty()) out = ", scope=\"" + scope + '"';
  return out + ", resource_metadata=\"" + origin_ + std::string(kMetadataPath) + path_ + '"';
}

}  // namespace host::identity
