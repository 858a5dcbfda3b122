// The keys of the questions of one call. Keys that begin with "toolpost." are for the host's own
// questions: the answer to such a question can be an approval.
#pragma once

#include <cstddef>
#include <string_view>

namespace host::tool {

inline constexpr std::size_t kMostQuestionKeyBytes = 128;

// True if the host itself asked the question with this key.
inline bool is_host_key(std::string_view key) {
  return key.starts_with("toolpost.");
}

// True if a plugin or an upstream can ask a question with this key.
inline bool is_provider_key(std::string_view key) {
  return !key.empty() && key.size() <= kMostQuestionKeyBytes && !is_host_key(key);
}

}  // namespace host::tool
