// Finds the state with which a provider continues its call after a round of questions. The function
// has no side effects.
#pragma once

#include <algorithm>
#include <string>

#include "tool/definition/question.h"
#include "tool/definition/question_key.h"

namespace host::tool {

// Returns the state of `round`. If the host itself asked all questions of `round`, the provider has
// not run, and the function returns `earlier`, the state of the provider's previous round.
inline const std::string& state_after(const Round& round, const std::string& earlier) {
  const auto is_of_host = [](const Question& one) { return is_host_key(one.key); };
  const auto& questions = round.questions;
  return std::all_of(questions.begin(), questions.end(), is_of_host) && round.state.empty()
             ? earlier
             : round.state;
}

}  // namespace host::tool
