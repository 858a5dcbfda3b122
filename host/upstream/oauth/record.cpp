#include "upstream/oauth/record.h"

#include <chrono>
#include <cstdint>

#include "json/object_text.h"
#include "upstream/oauth/challenge.h"

namespace host::upstream::oauth {
namespace {

using std::chrono::milliseconds;

std::string number_of(WallTime time) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count());
}

WallTime time_in(const json::Value& object, std::string_view key) {
  const json::Value* const found = json::find(object, key);
  return WallTime(milliseconds(found && found->IsInt64() ? found->GetInt64() : 0));
}

std::string client_json(const Client& client) {
  std::string out = "{";
  json::add_text(out, "id", client.id);
  json::add_text(out, "secret", client.secret);
  json::add_text(out, "method", client.method);
  json::add_text(out, "redirect", client.redirect);
  json::add_member(out, "secret_expires", number_of(client.secret_expires));
  return out + "}";
}

Client client_in(const json::Value& object) {
  Client out;
  out.id = json::find_text(object, "id");
  out.secret = json::find_text(object, "secret");
  out.method = json::find_text(object, "method");
  out.redirect = json::find_text(object, "redirect");
  out.secret_expires = time_in(object, "secret_expires");
  return out;
}

}  // namespace

std::vector<std::string> wanted_with(const LoginRecord& record,
                                     const std::vector<std::string>& scopes) {
  const auto& then = record.wanted_with ? record.wanted_with : record.configured;
  if (then && join_scopes(*then) != join_scopes(scopes)) return {};
  return record.wanted;
}

std::string to_json(const LoginRecord& record) {
  std::string out = "{";
  json::add_member(out, "version", std::to_string(record.version));
  json::add_text(out, "login", record.login);
  json::add_text(out, "url", record.url);
  json::add_text(out, "issuer", record.issuer);
  json::add_member(out, "client", client_json(record.client));
  json::add_text(out, "resource", record.resource);
  json::add_text(out, "token_endpoint", record.token_endpoint);
  json::add_text(out, "revocation_endpoint", record.revocation_endpoint);
  json::add_text(out, "access_token", record.access_token);
  json::add_text(out, "refresh_token", record.refresh_token);
  json::add_member(out, "obtained", number_of(record.obtained));
  json::add_member(out, "expires", number_of(record.expires));
  json::add_text(out, "scopes", join_scopes(record.scopes));
  json::add_text(out, "wanted", join_scopes(record.wanted));
  if (record.configured) json::add_text(out, "configured", join_scopes(*record.configured));
  if (record.wanted_with) json::add_text(out, "wanted_with", join_scopes(*record.wanted_with));
  json::add_text(out, "renewer", record.renewer);
  json::add_member(out, "renewing_until", number_of(record.renewing_until));
  return out + "}";
}

Result<LoginRecord> read_record(std::string_view text) {
  HOST_TRY_ASSIGN(const json::Document tree, json::parse(text));
  const json::Value& root = tree.root();
  LoginRecord out;
  const json::Value* const version = json::find(root, "version");
  if (version && version->IsUint64()) out.version = version->GetUint64();
  out.login = json::find_text(root, "login");
  out.url = json::find_text(root, "url");
  out.issuer = json::find_text(root, "issuer");
  if (const json::Value* const client = json::find(root, "client")) out.client = client_in(*client);
  out.resource = json::find_text(root, "resource");
  out.token_endpoint = json::find_text(root, "token_endpoint");
  out.revocation_endpoint = json::find_text(root, "revocation_endpoint");
  out.access_token = json::find_text(root, "access_token");
  out.refresh_token = json::find_text(root, "refresh_token");
  out.obtained = time_in(root, "obtained");
  out.expires = time_in(root, "expires");
  out.scopes = read_scopes(json::find_text(root, "scopes"));
  out.wanted = read_scopes(json::find_text(root, "wanted"));
  if (json::find(root, "configured"))
    out.configured = read_scopes(json::find_text(root, "configured"));
  if (json::find(root, "wanted_with"))
    out.wanted_with = read_scopes(json::find_text(root, "wanted_with"));
  out.renewer = json::find_text(root, "renewer");
  out.renewing_until = time_in(root, "renewing_until");
  return out;
}

}  // namespace host::upstream::oauth
