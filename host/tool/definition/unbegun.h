// Says whether a provider that asks its client has begun the call. A provider can refuse a call
// until the user has opened URLs. Then the provider asks the user to open the URLs, and has not
// begun the call.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "tool/definition/question.h"
#include "tool/definition/question_key.h"

namespace host::tool {

// The beginning of Round::state if the provider has refused the call until its user has opened
// URLs, and of the keys of such questions.
inline constexpr std::string_view kUnbegun = "io.toolpost/urls:";
inline constexpr std::string_view kUrlKey = "url_";

// kMustNotRepeat is the key under which Continuation::answers says that the provider has begun the
// call, and that the call must not run a second time. If such a call ends without the provider's
// result, its idempotency key stays used.
inline constexpr std::string_view kMustNotRepeat = "toolpost.must_not_repeat";

inline bool is_unbegun(std::string_view state) {
  return state.starts_with(kUnbegun);
}

// Returns true if the provider has not begun the call in an earlier round either.
inline bool is_unbegun(const Continuation& resumed) {
  const auto says_nothing = [](const auto& answer) {
    return is_host_key(answer.first) || answer.first.starts_with(kUrlKey);
  };
  return is_unbegun(resumed.state) &&
         std::all_of(resumed.answers.begin(), resumed.answers.end(), says_nothing);
}

// Returns true if the provider has begun the call. `open` contains the questions that the client
// has not answered yet. Questions of the host itself and their answers do not count, because the
// host asks before the provider begins the call.
inline bool has_begun(const Continuation& resumed, const std::vector<Question>& open = {}) {
  if (resumed.answers.contains(kMustNotRepeat)) return true;
  if (is_unbegun(resumed)) return false;
  return !resumed.state.empty() ||
         std::any_of(resumed.answers.begin(), resumed.answers.end(),
                     [](const auto& answer) { return !is_host_key(answer.first); }) ||
         std::any_of(open.begin(), open.end(),
                     [](const Question& question) { return !is_host_key(question.key); });
}

}  // namespace host::tool
