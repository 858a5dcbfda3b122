// What an upstream and its authorization server say about a login: headers, metadata, tokens, and
// the query with which a browser comes back. The first byte says which.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "upstream/oauth/challenge.h"
#include "upstream/oauth/messages.h"
#include "upstream/oauth/metadata.h"
#include "upstream/oauth/record.h"

namespace {

using namespace host::upstream::oauth;

void must(bool held) {
  if (!held) std::abort();
}

bool is_visible(const std::string& text) {
  for (const char c : text) {
    if (c <= ' ' || c >= '\x7F') return false;
  }
  return true;
}

void read_header(const std::string& text) {
  const auto challenge = read_challenge(text);
  if (!challenge) return;
  must(challenge->scopes.size() <= 64);
  for (const std::string& scope : challenge->scopes) must(!scope.empty() && is_visible(scope));
  must(read_scopes(join_scopes(challenge->scopes)) == challenge->scopes);
}

void read_query(const std::string& text) {
  const auto form = read_form(text);
  if (!form) return;
  must(form->size() <= 32);
  must(read_form(to_string(*form)) == form);
}

void read_metadata(const std::string& text) {
  const auto resource = read_resource_metadata(text, "https://a.example/mcp");
  if (resource) must(is_endpoint(resource->issuer));
  const auto server = read_server_metadata(text, "https://a.example");
  if (!server) return;
  must(server->issuer == "https://a.example");
  must(is_endpoint(server->authorization_endpoint) && is_endpoint(server->token_endpoint));
  must(server->revocation_endpoint.empty() || is_visible(server->revocation_endpoint));
}

void read_answers(const std::string& text) {
  const host::WallTime now{std::chrono::hours(1)};
  const auto tokens = read_tokens(text, now);
  if (tokens) must(!tokens->access_token.empty() && is_visible(tokens->access_token));
  const auto client = read_registration(text, "http://127.0.0.1:1/callback");
  if (client) must(!client->id.empty() && is_visible(client->id + client->secret));
  const std::string code = error_code_in(text);
  must(code.empty() || is_error_code(code));
  (void)read_record(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // Its own buffer, so that the sanitizer sees a read past its end.
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'm':
      read_metadata(text);
      break;
    case 'q':
      read_query(text);
      break;
    case 't':
      read_answers(text);
      break;
    default:
      read_header(text);
  }
  return 0;
}
