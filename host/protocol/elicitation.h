// Questions to the person at the client: elicitation/create and its answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "protocol/versions.h"
#include "tool/question.h"

namespace host::protocol {

// The params of a form, as the newest version has them.
std::string form_params(std::string_view message, std::string_view requested_schema);

// The params of a page to open, likewise.
std::string url_params(std::string_view message, std::string_view url);

// `question.params` as `version` has them. `id` names a URL question where the version wants that.
std::string params_for(const tool::Question& question, Version version, std::string_view id);

// `question.params` with a message that says first why the last answer was not accepted.
std::string params_with_reason(const tool::Question& question);

struct ElicitAnswer {
  enum class Act { Accept, Decline, Cancel };
  Act act = Act::Cancel;
  const json::Value* content = nullptr;  // into what was read; of an accepted form
};

// Nothing where `result` is no ElicitResult.
std::optional<ElicitAnswer> read_elicit_answer(const json::Value& result);

// What is wrong with the answer to a question: its shape, or that its content breaks the form that
// was shown. Nothing where it will do.
std::optional<std::string> answer_fault(const tool::Question& question, const json::Value& result);

}  // namespace host::protocol
