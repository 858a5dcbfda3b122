// A LoginRecord contains the data that the host stores about its login at one upstream. The store
// encrypts the data of a LoginRecord.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::upstream::oauth {

// A Client is the registration of this host at an authorization server.
struct Client {
  std::string id;
  // `secret` is empty if the client has no secret, or if the configuration contains the secret.
  std::string secret;
  std::string method = "none";  // method of the token endpoint: none, client_secret_basic or _post
  std::string redirect;         // redirect URI of a dynamic registration
                                // empty: not dynamic
  WallTime secret_expires{};    // epoch: never

  bool operator==(const Client&) const = default;
};

struct LoginRecord {
  std::uint64_t version = 0;  // +1 with each change; 0: the record was never stored
  std::string login;          // the id of the login; empty: there is no login
  // A login is valid only for the `url` of its upstream, its `issuer` and its `client`.
  std::string url;
  std::string issuer;
  Client client;

  std::string resource;  // the `resource` of requests for tokens
  std::string token_endpoint;
  std::string revocation_endpoint;  // empty: none
  std::string access_token;         // empty: the user must log in
  std::string refresh_token;        // empty: none
  WallTime obtained{};
  WallTime expires{};               // expiry of the access token; epoch: unknown
  std::vector<std::string> scopes;  // scopes of the access token
  // `wanted` contains the scopes that a call needed and that the access token does not have.
  std::vector<std::string> wanted;
  // `configured` contains the `scopes` of the configuration at the login; nullopt: unknown, because
  // an older host stored this record.
  std::optional<std::vector<std::string>> configured;
  // `wanted_with` is the configuration's setting `scopes` at the time of the last addition to
  // `wanted`; nullopt: the same as `configured`.
  std::optional<std::vector<std::string>> wanted_with;
  // `renewer` is the id of the host that renews the tokens. Other hosts wait until the host
  // `renewer` has ended the renewal, or until `renewing_until`.
  std::string renewer;
  WallTime renewing_until{};

  bool operator==(const LoginRecord&) const = default;
};

// Returns the scopes that calls needed (`record.wanted`). Returns an empty list if an operator has
// changed the configured `scopes` since the last addition to `record.wanted`.
std::vector<std::string> wanted_with(const LoginRecord& record,
                                     const std::vector<std::string>& scopes);
std::string to_json(const LoginRecord& record);
Result<LoginRecord> read_record(std::string_view json);

}  // namespace host::upstream::oauth
