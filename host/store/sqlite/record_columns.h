// Converts the parts of a call record that are lists or maps to columns of text and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/definition/question.h"

namespace host::store {

// Writes questions as a JSON array, or reads the questions. If the text is not valid, the list is
// empty.
std::string text_of(const std::vector<tool::Question>& questions);
std::vector<tool::Question> questions_in(std::string_view text);

// text_of() writes answers as a JSON object, and answers_in() reads them. answers_in() returns no
// answers if `text` is not valid.
std::string text_of(const tool::Answers& answers);
tool::Answers answers_in(std::string_view text);

}  // namespace host::store
