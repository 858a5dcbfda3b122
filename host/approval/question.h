// The question that a model asks a person with the tool ask_user. The client's user or a reviewer
// of this host answers the question. The tool gets every answer in the form of an elicitation
// result.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "store/part/approval_store.h"
#include "tool/call/result.h"
#include "tool/definition/question.h"

namespace host::approval {

// The key of the person's answer in the map `answers` of the call's continuation.
inline constexpr const char* kQuestionKey = "toolpost.question";

// The maximum size of an answer to a question. The host refuses a longer answer to a question.
inline constexpr std::size_t kMostAnswerBytes = 16u << 10u;

struct PersonQuestion {
  std::string text;
  std::vector<std::string> options;  // the allowed answers; empty: any text
};

// Reads the question from the arguments of ask_user.
PersonQuestion question_in(const json::Value& arguments);

// Returns the faults of the arguments of ask_user that their schema does not find: a question or an
// option without visible characters. The returned text has one fault on each line, and is empty if
// there is no fault.
std::string faults_of_question(const json::Value& arguments);

// Returns the question in the form that a client can show to its user.
tool::Question elicitation_of(const PersonQuestion& question);

// Returns a reviewer's answer in the form of a client's answer.
std::string elicited(std::string_view answer);

// Returns the result of the call: the text of the answer, or a text for the model which says that
// there is no answer. `answer` is the text of a JSON object, in the form in which a client answers
// a question.
tool::CallResult result_of(const std::string& answer);

// Returns an Error if `answer` cannot be the answer to the question of `record`: it has no visible
// character, is too long, or is not one of the options.
Result<void> check_answer(const store::ApprovalRecord& record, std::string_view answer);

}  // namespace host::approval
