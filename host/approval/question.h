// A question of a model to a person, asked by the tool ask_user. The client's user or a reviewer of
// this host answers. In both cases the tool gets the answer in the form of an elicitation result.
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

// The key of the answer in the call's continuation.
inline constexpr const char* kQuestionKey = "toolpost.question";

// Bytes of the answer to a question.
inline constexpr std::size_t kMostAnswerBytes = 16u << 10u;

struct PersonQuestion {
  std::string text;
  std::vector<std::string> options;  // the answer is one of them; empty: any text
};

// The question in the arguments of ask_user.
PersonQuestion question_in(const json::Value& arguments);

// The same for a client that shows forms to its user.
tool::Question elicitation_of(const PersonQuestion& question);

// A reviewer's answer, in the form of a client's answer.
std::string elicited(std::string_view answer);

// The result of the call: the text of the answer, or a text that says that there is no answer.
// `answer` is a client's JSON object text.
tool::CallResult result_of(const std::string& answer);

// An Error if this cannot be the answer to the question of `record`: it is empty, too long, or not
// one of the options.
Result<void> check_answer(const store::ApprovalRecord& record, std::string_view answer);

}  // namespace host::approval
