// Makes and reads the tokens in the URLs of files. A token is encrypted: nobody can make, read or
// change a token without this host's key. A token contains the principal, the file and the time for
// which it is valid. The host does not store the tokens in the URLs of files. Any thread can call
// the functions of this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/seal.h"
#include "tool/call/peer.h"

namespace host::file {

// The enumeration Use says which permission a token gives to a client.
enum class Use : std::uint8_t { Upload, Download };

struct Grant {
  std::string id;
  // The members from `principal` to `until` describe the client that requested the URL. The URL is
  // valid only while the credential of that client's request is valid.
  std::string principal;
  std::string agent;
  // `keyed` is true if the requester used an API key that allows calls. If `keyed` is true, the URL
  // is valid only while the principal has a key that allows calls and existed at `made`. `keyed`
  // has no effect if `login` or `until` is set.
  bool keyed = false;
  std::string login;              // the console login of the requester; empty: none
  std::optional<WallTime> until;  // the time at which the requester's token expires
  WallTime made{};
  WallTime expires{};

  // Only a token for an upload has the members `name`, `content_type`, `bytes` and `sha256`.
  std::string name;
  std::string content_type;
  std::optional<std::uint64_t> bytes;  // the size that the file must have
  std::string sha256;                  // the digest that the file must have, in hex; empty: any
};

std::string token_of(const SealKey& key, Use use, const Grant& grant);
// Returns nullopt if the token was made with a different key, or for a different use or
// file.
std::optional<Grant> read_token(const SealKey& key, Use use, std::string_view id,
                                std::string_view token);

}  // namespace host::file
