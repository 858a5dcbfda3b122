// Converts times, digests and lists to database columns and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"

namespace host::store {

// Returns a time as milliseconds since 1970-01-01 UTC. Returns 0 for a time before 1970.
inline std::uint64_t milliseconds_of(WallTime time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(since.count(), 0));
}

inline WallTime time_of(std::uint64_t milliseconds) {
  return WallTime(std::chrono::milliseconds(milliseconds));
}

inline std::string_view bytes_of(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

inline Sha256 digest_of(std::string_view bytes) {
  Sha256 digest{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()),
              reinterpret_cast<char*>(digest.data()));
  return digest;
}

// Writes a list of words as a JSON array of strings, or reads the list. If the text is not valid,
// the list is empty.
std::string json_of(const std::vector<std::string>& words);
std::vector<std::string> words_in(std::string_view json);

}  // namespace host::store
