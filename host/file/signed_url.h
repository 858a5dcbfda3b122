// The tokens in URLs of files. A token is encrypted: it cannot be made, read or changed without
// this host's key. It contains the principal, the file and the time for which it is valid. The
// store has no tokens. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/seal.h"
#include "tool/call/peer.h"

namespace host::file {

// What the bearer of a token may do.
enum class Use : std::uint8_t { Upload, Download };

struct Grant {
  std::string id;
  // The requester of the URL. The URL is valid only while the credential of that request is valid.
  std::string principal;
  std::string agent;
  bool keyed = false;  // a key allowed the requester to call
  std::string login;   // empty: none
  std::optional<WallTime> until;
  WallTime expires{};

  // Only for an upload.
  std::string name;
  std::string content_type;
  std::optional<std::uint64_t> bytes;  // that it must have
  std::string sha256;                  // the required digest, in hex; empty: any
};

std::string token_of(const SealKey& key, Use use, const Grant& grant);
// nullopt: the token was not made with this host's key, or for a different use or file.
std::optional<Grant> read_token(const SealKey& key, Use use, std::string_view id,
                                std::string_view token);

}  // namespace host::file
