// A fast hash. The hash uses a random secret of this process, so that nobody can construct
// collisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace host::json {

std::uint64_t hash_secret();

inline std::uint64_t hash_mix(std::uint64_t left, std::uint64_t right) {
  const auto product = static_cast<unsigned __int128>(left) * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64u);
}

// Packs at most eight bytes into one 64-bit word. The function hash_word() reads overlapping
// pieces, without a loop. Two different strings of the same length never have the same hash_word().
inline std::uint64_t hash_word(const char* from, std::size_t count) {
  if (count >= 4) {
    std::uint32_t head, tail;
    std::memcpy(&head, from, sizeof head);
    std::memcpy(&tail, from + count - sizeof tail, sizeof tail);
    return head | std::uint64_t{tail} << 32u;
  }
  if (count == 0) return 0;
  const auto byte = [from](std::size_t at) {
    return std::uint64_t{static_cast<unsigned char>(from[at])};
  };
  return byte(0) | byte(count / 2) << 8u | byte(count - 1) << 16u;
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t secret) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t state = secret ^ bytes.size();
  while (bytes.size() > 8) {
    state = hash_mix(state ^ hash_word(bytes.data(), 8), kOdd ^ secret);
    bytes.remove_prefix(8);
  }
  return hash_mix(state ^ hash_word(bytes.data(), bytes.size()), kOdd ^ secret);
}

}  // namespace host::json
