// Computes hashes and keyed hashes, and makes random bytes. In the host's own code, only
// digest.cpp, minisign.cpp and seal.cpp of this folder, and identity/oauth/public_key.cpp, call
// OpenSSL. Any thread can call the functions of this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace host {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
Sha256 hmac_sha256(std::string_view key, std::string_view bytes);

// Computes the SHA-256 of data that arrives in pieces.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;
  void add(std::string_view bytes);
  Sha256 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns a short text that identifies a large text in logs. The digest of fast_digest() is fast to
// compute, but differs between processes and is not secure.
std::string fast_digest(std::string_view bytes);

std::string to_hex(std::span<const std::uint8_t> bytes);
// Returns an unguessable id: at least 128 bits from the system's generator, in base64url. The id
// never begins with '-', which a command line would read as an option.
std::string random_id(std::size_t bytes = 18);
void random_bytes(std::span<std::uint8_t> out);

bool equal_constant_time(std::string_view a, std::string_view b);

}  // namespace host
