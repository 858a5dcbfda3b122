// [[upstream]]: what the table of keys cannot say.
#include <algorithm>

#include "base/text/letters.h"
#include "base/text/nearest.h"
#include "config/key/form.h"
#include "config/reader/reader.h"

namespace host::config {
namespace {

bool is_header_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

// As is_secret(), and a prefix before its value.
bool is_header_secret(const Node& value) {
  if (value.kind != Node::Kind::Table) return false;
  Node secret = value;
  const Node* const prefix = value.find("prefix");
  if (!prefix) return is_secret(value);
  if (prefix->kind != Node::Kind::Text || !is_header_text(prefix->text)) return false;
  std::erase_if(secret.table, [](const Member& member) { return member.key == "prefix"; });
  return is_secret(secret);
}

// As is_secret(), and the authorization server that it is for: the upstream could name another one.
bool is_client_secret(const Node& value) {
  if (value.kind != Node::Kind::Table) return false;
  Node secret = value;
  const Node* const issuer = value.find("issuer");
  const bool is_url = issuer && issuer->kind == Node::Kind::Text &&
                      (issuer->text.starts_with("https://") || issuer->text.starts_with("http://"));
  std::erase_if(secret.table, [](const Member& member) { return member.key == "issuer"; });
  return is_url && is_secret(secret);
}

// A header that neither the protocol nor the connection needs for itself.
bool is_free_header(std::string_view name) {
  constexpr std::string_view kAlso = "!#$%&'*+-.^_`|~";
  constexpr std::string_view kOwn[] = {"accept",
                                       "accept-encoding",
                                       "connection",
                                       "content-length",
                                       "content-type",
                                       "expect",
                                       "host",
                                       "keep-alive",
                                       "last-event-id",
                                       "proxy-authorization",
                                       "proxy-connection",
                                       "te",
                                       "trailer",
                                       "transfer-encoding",
                                       "upgrade"};
  const bool is_token = !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           kAlso.find(c) != std::string_view::npos;
  });
  const std::string plain = lower(name);
  return is_token && !plain.starts_with("mcp-") &&
         std::find(std::begin(kOwn), std::end(kOwn), plain) == std::end(kOwn);
}

// The dynamic loader and the C library do what these variables say, also in toolpost-keeper and
// toolpost-confine: glibc ignores the same ones in programs that have more rights than their user.
bool is_read_before_sandbox(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES",   "HOSTALIASES", "LOCALDOMAIN", "LOCPATH",
      "NIS_PATH",   "NLSPATH",     "RESOLV_HOST_CONF", "RES_OPTIONS", "TZDIR"};
  return name.starts_with("LD_") || name.starts_with("MALLOC_") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

bool is_secret(const Node& value) {
  if (value.kind != Node::Kind::Table || value.table.size() != 1) return false;
  const Member& only = value.table.front();
  if (only.value.kind != Node::Kind::Text) return false;
  if (only.key == "env") return variable_form(only.value.text) == nullptr;
  return only.key == "file" && only.value.text.starts_with('/');
}

void Reader::read_upstreams(const Node& list, Config& into) {
  for (const Node& entry : list.array) {
    if (expect(entry, Node::Kind::Table, "upstream", "[[upstream]]")) read_upstream(entry, into);
  }
}

void Reader::read_upstream(const Node& entry, Config& into) {
  Upstream upstream;
  read_section(entry, upstream_keys(upstream), "[[upstream]]", "sandbox");
  const Node* const sandbox = entry.find("sandbox");
  if (sandbox && expect(*sandbox, Node::Kind::Table, "sandbox in [[upstream]]",
                        "[upstream.sandbox] below its [[upstream]]")) {
    read_section(*sandbox, upstream_sandbox_keys(upstream.sandbox.emplace()), "[upstream.sandbox]");
  }
  const Node* const name = entry.find("name");
  for (const Upstream& other : into.upstream) {
    if (upstream.name.empty() || other.name != upstream.name) continue;
    report_.error(name->at, "C015", "a second upstream " + in_quotes(upstream.name),
                  "give each upstream a name of its own");
  }
  check_reached(entry);
  const Node* const openapi = entry.find("openapi");
  if (openapi && !upstream.openapi.empty() && !is_document_url(upstream.openapi)) {
    const auto path = resolve(upstream.openapi, base_);
    if (path) {
      upstream.openapi = path->string();
    } else {
      report_.error(openapi->at, "C017", "openapi in [[upstream]]: " + path.error().message);
    }
  }
  check_login(entry, upstream);
  const Node* const headers = entry.find("headers");
  if (headers && headers->kind == Node::Kind::Table) check_headers(*headers);
  const Node* const env = entry.find("env");
  if (env && env->kind == Node::Kind::Table) check_env(*env, sandbox != nullptr);
  const Node* const presets = entry.find("presets");
  if (presets && presets->kind == Node::Kind::Table) check_presets(*presets, "[[upstream]]");
  into.upstream.push_back(std::move(upstream));
}

// By a command, a URL or a document, and with the keys of that one alone.
void Reader::check_reached(const Node& entry) {
  const Node* const command = entry.find("command");
  const Node* const url = entry.find("url");
  const Node* const openapi = entry.find("openapi");
  const Node* const second = command ? (openapi ? openapi : url) : nullptr;
  if (second || (!command && !url && !openapi)) {
    report_.error(
        second ? second->at : entry.at, "C017",
        second ? std::string("[[upstream]] has a command and ") + (openapi ? "an openapi" : "a url")
               : "[[upstream]] has neither command, url nor openapi",
        "write `command` for a program, `url` for a server, or `openapi` for an HTTP API");
    return;
  }
  if (openapi) return check_api(entry, *openapi, url);
  for (const char* const key : {"args", "env", "cwd", "sandbox"}) {
    if (url) refuse_without(entry, key, "command");
  }
  for (const char* const key : {"headers", "transport", "auth"}) {
    if (command) refuse_without(entry, key, "url");
  }
  for (const char* const key : {"origins", "credentials"}) refuse_without(entry, key, "openapi");
}

void Reader::refuse_without(const Node& entry, const char* key, const char* needs) {
  const Node* const found = entry.find(key);
  if (!found) return;
  report_.error(found->at, "C017",
                std::string(key) + " in [[upstream]] has no effect without `" + needs + "`");
}

void Reader::check_api(const Node& entry, const Node& openapi, const Node* url) {
  for (const char* const key : {"args", "env", "cwd", "sandbox"})
    refuse_without(entry, key, "command");
  for (const Member& member : entry.table) {
    if (no_effect_with_openapi(member.key))
      report_.error(member.at, "C017",
                    member.key + " in [[upstream]] has no effect with `openapi`");
  }
  const Node* const origins = entry.find("origins");
  if (url && origins) {
    report_.error(
        origins->at, "C017",
        "origins in [[upstream]] has no effect with `url`, which is the API's only server",
        "remove one of them");
  }
  const bool is_file = openapi.kind == Node::Kind::Text && !is_document_url(openapi.text);
  if (is_file && !url && !origins) {
    report_.error(openapi.at, "C017", "openapi in [[upstream]] is a file, so it grants no server",
                  "write `origins`, or `url` for the only server of the API");
  }
  const Node* const credentials = entry.find("credentials");
  if (!credentials || credentials->kind != Node::Kind::Table) return;
  for (const Member& member : credentials->table) {
    if (is_secret(member.value)) continue;
    report_.error(member.value.at, "C017",
                  member.key +
                      " in credentials of [[upstream]]: expected { env = \"NAME\" } or "
                      "{ file = \"/path\" }",
                  "a path must be absolute: it begins with /");
  }
}

// Nobody expects a login where a key of it stands without `auth`.
void Reader::check_login(const Node& entry, const Upstream& upstream) {
  const Node* const secret = entry.find("client_secret");
  if (secret && !is_client_secret(*secret)) {
    report_.error(secret->at, "C017",
                  "client_secret in [[upstream]]: expected { file = \"/path\", issuer = "
                  "\"https://...\" }, or "
                  "env = \"NAME\" instead of file",
                  "issuer is the authorization server that the secret is for");
  }
  if (upstream.auth != UpstreamAuth::OAuth) {
    for (const char* const key : {"client_id", "client_secret", "client_metadata_url", "scopes"}) {
      const Node* const found = entry.find(key);
      if (!found) continue;
      report_.error(found->at, "C017",
                    std::string(key) + " in [[upstream]] has no effect without `auth = \"oauth\"`");
    }
    return;
  }
  if (secret && upstream.client_id.empty()) {
    report_.error(secret->at, "C017",
                  "client_secret in [[upstream]] has no effect without `client_id`");
  }
  const Node* const document = entry.find("client_metadata_url");
  if (document && !upstream.client_id.empty() && !upstream.client_metadata_url.empty()) {
    report_.error(document->at, "C017",
                  "[[upstream]] has a client_id and a client_metadata_url, which is an id itself",
                  "remove one of them");
  }
  const Node* const headers = entry.find("headers");
  if (!headers || headers->kind != Node::Kind::Table) return;
  for (const Member& member : headers->table) {
    if (lower(member.key) != "authorization") continue;
    report_.error(member.at, "C017",
                  "headers in [[upstream]]: Authorization is the access token's with "
                  "`auth = \"oauth\"`",
                  "remove the header, or `auth`");
  }
}

void Reader::check_headers(const Node& headers) {
  for (const Member& member : headers.table) {
    if (!is_free_header(member.key)) {
      report_.error(member.at, "C017",
                    "headers in [[upstream]]: " + in_quotes(member.key) +
                        " is not a header's name, or one that the host sets itself");
    }
    const bool is_text = member.value.kind == Node::Kind::Text && is_header_text(member.value.text);
    if (is_text || is_header_secret(member.value)) continue;
    report_.error(member.value.at, "C017",
                  member.key +
                      " in headers of [[upstream]]: expected a text, { env = \"NAME\" } or "
                      "{ file = \"/path\" }",
                  "write { env = \"NAME\", prefix = \"Bearer \" } for a token");
  }
}

void Reader::check_env(const Node& env, bool has_sandbox) {
  for (const Member& member : env.table) {
    if (has_sandbox && is_read_before_sandbox(member.key)) {
      report_.error(member.at, "C017",
                    "env in [[upstream]]: " + member.key +
                        " would work in the host's own programs, before they apply the sandbox",
                    "remove it, or write command = \"env\", args = [\"" + member.key +
                        "=VALUE\", ...the server's command]: the sandbox then comes first");
    }
    if (const char* const form = variable_form(member.key)) {
      report_.error(member.at, "C017",
                    "env in [[upstream]]: expected " + std::string(form) + ", found " +
                        in_quotes(member.key));
    }
    if (member.value.kind == Node::Kind::Text || is_secret(member.value)) continue;
    report_.error(member.value.at, "C017",
                  member.key +
                      " in env of [[upstream]]: expected a text, { env = \"NAME\" } or "
                      "{ file = \"/path\" }",
                  "write { env = \"NAME\" } to take the value from the host's environment");
  }
}

void Reader::check_presets(const Node& presets, const std::string& where) {
  for (const Member& member : presets.table)
    expect(member.value, Node::Kind::Table, member.key + " in presets of " + where,
           "presets.TOOL = { argument = value }");
}

}  // namespace host::config
