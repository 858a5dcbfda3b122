#include "file/signed_url.h"

#include <chrono>

#include "base/text/encoding.h"
#include "json/json.h"
#include "json/object_text.h"

namespace host::file {
namespace {

std::string about(Use use, std::string_view id) {
  return (use == Use::Upload ? "upload\n" : "download\n") + std::string(id);
}

std::int64_t milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::optional<std::uint64_t> number_in(const json::Value& root, std::string_view key) {
  const json::Value* const value = json::find(root, key);
  if (!value || !value->IsUint64()) return std::nullopt;
  return value->GetUint64();
}

std::optional<WallTime> time_in(const json::Value& root, std::string_view key) {
  const auto number = number_in(root, key);
  if (!number) return std::nullopt;
  return WallTime(std::chrono::milliseconds(*number));
}

}  // namespace

std::string token_of(const SealKey& key, Use use, const Grant& grant) {
  std::string text = "{";
  json::add_text(text, "principal", grant.principal);
  json::add_member(text, "made", std::to_string(milliseconds(grant.made)));
  json::add_member(text, "expires", std::to_string(milliseconds(grant.expires)));
  if (!grant.agent.empty()) json::add_text(text, "agent", grant.agent);
  if (grant.keyed) json::add_bool(text, "keyed", true);
  if (!grant.login.empty()) json::add_text(text, "login", grant.login);
  if (grant.until) json::add_member(text, "until", std::to_string(milliseconds(*grant.until)));
  if (!grant.name.empty()) json::add_text(text, "name", grant.name);
  if (!grant.content_type.empty()) json::add_text(text, "type", grant.content_type);
  if (grant.bytes) json::add_member(text, "bytes", std::to_string(*grant.bytes));
  if (!grant.sha256.empty()) json::add_text(text, "sha256", grant.sha256);
  return base64url(seal(key, text + "}", about(use, grant.id)));
}

std::optional<Grant> read_token(const SealKey& key, Use use, std::string_view id,
                                std::string_view token) {
  const auto sealed = from_base64url(token);
  const auto text = sealed ? unseal(key, *sealed, about(use, id)) : std::nullopt;
  if (!text) return std::nullopt;
  const auto tree = json::parse(*text);
  if (!tree) return std::nullopt;
  const json::Value& root = tree->root();
  const auto made = time_in(root, "made");
  const auto expires = time_in(root, "expires");
  if (!made || !expires) return std::nullopt;
  Grant grant;
  grant.id = id;
  grant.principal = json::find_text(root, "principal");
  grant.agent = json::find_text(root, "agent");
  grant.keyed = json::find(root, "keyed") != nullptr;
  grant.login = json::find_text(root, "login");
  grant.until = time_in(root, "until");
  grant.made = *made;
  grant.expires = *expires;
  grant.name = json::find_text(root, "name");
  grant.content_type = json::find_text(root, "type");
  grant.bytes = number_in(root, "bytes");
  grant.sha256 = json::find_text(root, "sha256");
  return grant;
}

}  // namespace host::file
