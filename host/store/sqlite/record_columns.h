// The parts of a call record that are lists or maps, as columns of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/definition/question.h"

namespace host::store {

// A JSON array. Invalid text gives an empty list.
std::string text_of(const std::vector<tool::Question>& questions);
std::vector<tool::Question> questions_in(std::string_view text);

// A JSON object of JSON values. Invalid text gives no answers.
std::string text_of(const tool::Answers& answers);
tool::Answers answers_in(std::string_view text);

}  // namespace host::store
