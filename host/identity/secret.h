// The secrets that this host gives away, each once. They are random, 256 bits of it, so a plain
// digest keeps them: there is nothing to guess.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "identity/scopes.h"
#include "store/key_store.h"

namespace host::identity {

// "tpk_", the id of the key, "_", the secret: a key says which it is, and secret scanners know one.
struct ApiKey {
  std::string id;
  std::string text;  // whole, as its holder sends it
};
ApiKey make_api_key();
// The id of what has the form of a key; nothing of what has not.
std::optional<std::string_view> id_of(std::string_view key);

// Whether a header has something that some Toolpost host made as a key, whole or cut.
bool has_own_key(std::string_view header);

// What is or was meant to be a key: never to be printed.
bool begins_as_key(std::string_view text);

std::string make_secret();    // of a link or a login
std::string make_login_id();  // not secret
Sha256 digest_of_secret(std::string_view secret);

// Letters, digits, `.`, `-` and `_`, at most 64, and not a name that the host uses for others than
// principals with a key, in any case of letters: an audit that names "Local" misleads its reader.
// The one exception is "operator", the principal of logins by link, which no key has.
Result<void> check_principal(std::string_view name);

// A fresh key or one-time link, stored; what only its holder will know. The key of an `agent`
// (none: empty) calls and does nothing else: a model has it. `expires` nullopt: never.
Result<ApiKey> create_key(store::KeyStore& keys, const std::string& principal, Scopes scopes,
                          const std::string& agent, WallTime now,
                          std::optional<WallTime> expires = std::nullopt);
// A fresh key in place of the key `id`, which stays valid until `until`, see KeyStore::rotate().
struct RotatedKey {
  ApiKey key;
  store::KeyRecord record;
  WallTime old_expires{};  // `until`, or earlier
};
Result<RotatedKey> rotate_key(store::KeyStore& keys, std::string_view id, WallTime now,
                              WallTime until, std::optional<WallTime> expires);
Result<std::string> create_link(store::KeyStore& keys, const std::string& principal,
                                WallTime expires);

// `page` is an origin, like "http://127.0.0.1:8808". The secret is in a part of the URL that
// browsers send to nobody.
std::string link_text(const std::string& page, const std::string& secret);

}  // namespace host::identity
