// Makes requests to an authorization server, and reads the server's responses (RFC 6749, RFC 7591).
// The server's responses are untrusted. The functions of messages.h have no side effects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "outbound/gate.h"
#include "upstream/oauth/form.h"
#include "upstream/oauth/metadata.h"
#include "upstream/oauth/record.h"

namespace host::upstream::oauth {

// Returns the code_challenge for a code_verifier (RFC 7636, S256).
std::string code_challenge(std::string_view verifier);

// Returns the body of a request that registers this host dynamically as a native application.
std::string registration_request(const ServerMetadata& server, const std::string& redirect,
                                 const std::vector<std::string>& scopes);
Result<Client> read_registration(std::string_view text, const std::string& redirect);

// Returns the authentication method for a client that has a secret: "client_secret_post" if the
// server offers this method but not "client_secret_basic", otherwise "client_secret_basic".
std::string method_for_secret(const std::vector<std::string>& offered);

// Adds the client's authentication to a request for the token or revocation endpoint.
void add_client(const Client& client, Form& form, outbound::Headers& headers);

struct Tokens {
  std::string access_token;
  std::string refresh_token;  // empty: none was given
  WallTime expires{};         // epoch: not known
  bool has_scopes = false;
  std::vector<std::string> scopes;
};
Result<Tokens> read_tokens(std::string_view text, WallTime now);

// Returns the member `error` of a response that is not a success, or an empty text if the response
// has no valid `error`.
std::string error_code_in(std::string_view text);
// Returns true if `text` is a valid `error` of RFC 6749 with at most 64 bytes.
bool is_error_code(std::string_view text);

}  // namespace host::upstream::oauth
