// Handles the keys of the questions of one call. Keys that begin with "toolpost." are for the
// host's own questions: the answer to such a question can be an approval.
#pragma once

#include <cstddef>
#include <string_view>

namespace host::tool {

inline constexpr std::size_t kMostQuestionKeyBytes = 128;

// If a call was approved, its answers contain an answer whose key begins with kPassedKey. If the
// approved call asks its client and continues with the client's next request, the call needs no
// second approval.
inline constexpr std::string_view kPassedKey = "toolpost.passed.";

// Returns true if the host itself asked the question with this key.
inline bool is_host_key(std::string_view key) {
  return key.starts_with("toolpost.");
}

// Returns true if a plugin or an upstream can ask a question with this key.
inline bool is_provider_key(std::string_view key) {
  return !key.empty() && key.size() <= kMostQuestionKeyBytes && !is_host_key(key);
}

}  // namespace host::tool
