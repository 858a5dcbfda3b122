// The tokens in URLs of files. A token is sealed, so nobody can make, read or change one without
// this host's key, and it says for whom it is good, for which file and how long. Nothing is stored
// for it. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/seal.h"
#include "tool/peer.h"

namespace host::file {

// What a token lets its bearer do.
enum class Use : std::uint8_t { Upload, Download };

struct Grant {
  std::string id;
  // Who asked for the URL. It ends with the credential of that request.
  std::string principal;
  std::string agent;
  bool keyed = false;  // a key let them call
  std::string login;   // empty: none
  std::optional<WallTime> until;
  WallTime expires{};

  // Of an upload.
  std::string name;
  std::string content_type;
  std::optional<std::uint64_t> bytes;  // that it must have
  std::string sha256;                  // that it must have, in hex; empty: any
};

std::string token_of(const SealKey& key, Use use, const Grant& grant);
// Nothing: this host's key did not make it, or not for this use and file.
std::optional<Grant> read_token(const SealKey& key, Use use, std::string_view id,
                                std::string_view token);

}  // namespace host::file
