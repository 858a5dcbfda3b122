// Times, digests and lists as database columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"

namespace host::store {

// Since 1970.
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

// A JSON array of strings. Invalid text gives an empty list.
std::string json_of(const std::vector<std::string>& words);
std::vector<std::string> words_in(std::string_view json);

}  // namespace host::store
