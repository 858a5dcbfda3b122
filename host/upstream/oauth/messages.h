// Requests to an authorization server and the meaning of its answers (RFC 6749, RFC 7591). The
// answers are untrusted. Pure.
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

// The code_challenge for a code_verifier (RFC 7636, S256).
std::string code_challenge(std::string_view verifier);

// The body of a dynamic registration of this host as a native application.
std::string registration_request(const ServerMetadata& server, const std::string& redirect,
                                 const std::vector<std::string>& scopes);
Result<Client> read_registration(std::string_view text, const std::string& redirect);

// How a client with a secret proves itself, from what the server offers.
std::string method_for_secret(const std::vector<std::string>& offered);

// Adds the client's proof to a request for the token or revocation endpoint.
void add_client(const Client& client, Form& form, outbound::Headers& headers);

struct Tokens {
  std::string access_token;
  std::string refresh_token;  // empty: none was given
  WallTime expires{};         // epoch: not known
  bool has_scopes = false;
  std::vector<std::string> scopes;
};
Result<Tokens> read_tokens(std::string_view text, WallTime now);

// The `error` of an answer that is not a success; empty: it has none that is valid.
std::string error_code_in(std::string_view text);
// True for an `error` as RFC 6749 allows it, of at most 64 bytes.
bool is_error_code(std::string_view text);

}  // namespace host::upstream::oauth
