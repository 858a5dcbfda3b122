// Reads and verifies signatures of minisign and signify. A signature of minisign is an Ed25519
// signature over a file's bytes or over their BLAKE2b-512. A second signature covers the first
// signature and a comment. All texts are untrusted. Any thread can call the functions of this
// header.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host {

using MinisignKeyId = std::array<std::uint8_t, 8>;

struct MinisignKey {
  MinisignKeyId id{};
  std::array<std::uint8_t, 32> bytes{};
};

struct MinisignSignature {
  bool prehashed = false;  // true: the signature is over the BLAKE2b-512 of the bytes
  MinisignKeyId key{};     // the key id in the signature file
  std::array<std::uint8_t, 64> signature{};
  std::string trusted_comment;
  // `global_signature` is the signature over `signature` and the trusted comment.
  std::array<std::uint8_t, 64> global_signature{};
};

// Parses the second line of a .pub file.
Result<MinisignKey> read_minisign_key(std::string_view text);
// Parses the whole text of a .minisig file.
Result<MinisignSignature> read_minisign_signature(std::string_view text);

// Writes a key id in the form that minisign prints: 16 hexadecimal digits.
std::string to_string(const MinisignKeyId& id);

// Returns true if `key` made the signature for exactly the given bytes.
bool is_signed_by(const MinisignKey& key, const MinisignSignature& signature,
                  std::string_view bytes);
// Returns true if `key` also signed the trusted comment together with the signature of the file.
bool vouches_for_comment(const MinisignKey& key, const MinisignSignature& signature);

}  // namespace host
