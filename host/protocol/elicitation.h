// Questions to the client's user: elicitation/create and its answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "protocol/versions.h"
#include "tool/definition/question.h"

namespace host::protocol {

// The params of a form, in the newest version.
std::string form_params(std::string_view message, std::string_view requested_schema);

// The params of a URL to open, in the newest version.
std::string url_params(std::string_view message, std::string_view url);

// `question.params` in the form of `version`. `id` is the id of a URL question, if the version has
// one.
std::string params_for(const tool::Question& question, Version version, std::string_view id);

// `question.params` with a message that begins with the reason why the last answer was not
// accepted.
std::string params_with_reason(const tool::Question& question);

struct ElicitAnswer {
  enum class Act { Accept, Decline, Cancel };
  Act act = Act::Cancel;
  const json::Value* content = nullptr;  // of an accepted form; points into the parsed answer
};

// nullopt if `result` is not an ElicitResult.
std::optional<ElicitAnswer> read_elicit_answer(const json::Value& result);

// The fault of an answer: a wrong form, or content that is not valid against the schema. nullopt:
// no fault.
std::optional<std::string> answer_fault(const tool::Question& question, const json::Value& result);

}  // namespace host::protocol
