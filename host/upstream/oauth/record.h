// What is stored of the login at one upstream. The store encrypts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::upstream::oauth {

// The registration of this host at an authorization server.
struct Client {
  std::string id;
  std::string secret;           // empty: a public client; that of the configuration is not stored
  std::string method = "none";  // of the token endpoint: none, client_secret_basic or _post
  std::string redirect;         // of a dynamic registration; empty: it is not one
  WallTime secret_expires{};    // epoch: never

  bool operator==(const Client&) const = default;
};

struct LoginRecord {
  std::uint64_t version = 0;  // grows with each change; 0: it was never stored
  std::string login;          // the id of the login; empty: there is none
  // A login is valid for this URL of the upstream, this issuer and this client alone.
  std::string url;
  std::string issuer;
  Client client;

  std::string resource;  // of each request for a token
  std::string token_endpoint;
  std::string revocation_endpoint;  // empty: none
  std::string access_token;         // empty: a login is needed
  std::string refresh_token;        // empty: none
  WallTime obtained{};
  WallTime expires{};               // of the access token; epoch: not known
  std::vector<std::string> scopes;  // of the access token
  std::vector<std::string> wanted;  // that a call needed and the access token does not have
  // A host with this id renews the tokens until then; the others wait.
  std::string renewer;
  WallTime renewing_until{};

  bool operator==(const LoginRecord&) const = default;
};

std::string to_json(const LoginRecord& record);
Result<LoginRecord> read_record(std::string_view json);

}  // namespace host::upstream::oauth
