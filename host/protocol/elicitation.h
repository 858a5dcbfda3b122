// Writes questions to the client's user (elicitation/create), and reads the answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "protocol/versions.h"
#include "tool/definition/question.h"

namespace host::protocol {

// Writes the params of elicitation/create for a form, in the newest protocol version.
std::string form_params(std::string_view message, std::string_view requested_schema);

// Writes the params of elicitation/create for a URL to open, in the newest protocol version.
std::string url_params(std::string_view message, std::string_view url);

// Writes `question.params` in the form of the protocol version `version`. `id` is the id of a URL
// question (for protocol versions with such ids).
std::string params_for(const tool::Question& question, Version version, std::string_view id);

// Writes `question.params` with a message that begins with the reason why the last answer was not
// accepted.
std::string params_with_reason(const tool::Question& question);

struct ElicitAnswer {
  enum class Act { Accept, Decline, Cancel };
  Act act = Act::Cancel;
  const json::Value* content = nullptr;  // the values of an accepted form; nullptr: none
};

// Returns nullopt if `result` is not an ElicitResult.
std::optional<ElicitAnswer> read_elicit_answer(const json::Value& result);

// Returns what is wrong with an answer: its structure, or content that is not valid against the
// schema of the question. Returns nullopt if the answer is valid.
std::optional<std::string> answer_fault(const tool::Question& question, const json::Value& result);

}  // namespace host::protocol
