// A question of a model to a person, asked by the tool ask_user. Whoever answers, the client's user
// or a reviewer of this host, the tool gets the answer in the same form: that of an elicitation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "store/approval_store.h"
#include "tool/question.h"
#include "tool/result.h"

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

// A reviewer's answer, in the form of a client's.
std::string elicited(std::string_view answer);

// The result of the call: the answer's text, or in words that there is none. `answer` is a client's
// JSON object text.
tool::CallResult result_of(const std::string& answer);

// The reason why this cannot be the answer to the question of this request: it is empty, too long,
// or none of the options.
Result<void> check_answer(const store::ApprovalRecord& record, std::string_view answer);

}  // namespace host::approval
