#include "approval/question.h"

#include <algorithm>

#include "base/text/visible.h"
#include "json/fault.h"
#include "json/object_text.h"
#include "json/own_text.h"
#include "protocol/elicitation.h"

namespace host::approval {
namespace {

std::string form_of(const PersonQuestion& question) {
  std::string property = R"({"type":"string","title":"Answer")";
  if (question.options.empty()) {
    property += R"(,"minLength":1)";
  } else {
    json::add_member(property, "enum", json::list_of(question.options));
  }
  return R"({"type":"object","properties":{"answer":)" + property + R"(}},"required":["answer"]})";
}

Error not_an_answer(std::string_view why) {
  return json::fault_at("/answer", why);
}

}  // namespace

PersonQuestion question_in(const json::Value& arguments) {
  PersonQuestion question;
  question.text = json::find_text(arguments, "question");
  if (const json::Value* const options = json::find(arguments, "options");
      options && options->IsArray()) {
    for (const json::Value& option : options->GetArray())
      question.options.emplace_back(json::text(option));
  }
  return question;
}

std::string faults_of_question(const json::Value& arguments) {
  const PersonQuestion question = question_in(arguments);
  std::string faults;
  const auto check = [&](const std::string& place, std::string_view text) {
    if (!is_blank(text)) return;
    faults += (faults.empty() ? "" : "\n") + place + ": a person sees nothing of this text";
  };
  check("/question", question.text);
  for (std::size_t i = 0; i < question.options.size(); ++i)
    check("/options/" + std::to_string(i), question.options[i]);
  return faults;
}

tool::Question elicitation_of(const PersonQuestion& question) {
  return {kQuestionKey, "elicitation/create",
          protocol::form_params(question.text, form_of(question))};
}

std::string elicited(std::string_view answer) {
  std::string content = "{";
  json::add_text(content, "answer", answer);
  return R"({"action":"accept","content":)" + content + "}}";
}

tool::CallResult result_of(const std::string& answer) {
  using Act = protocol::ElicitAnswer::Act;
  const auto tree = json::parse(answer);
  const auto said = tree ? protocol::read_elicit_answer(tree->root()) : std::nullopt;
  if (said && said->act == Act::Accept && said->content)
    return tool::CallResult::text(json::find_text(*said->content, "answer"));
  const bool declined = said && said->act == Act::Decline;
  return tool::CallResult::error(std::string("The person ") +
                                 (declined ? "declined to answer" : "dismissed the question") +
                                 ". Go on without an answer; do not ask the same again.");
}

Result<void> check_answer(const store::ApprovalRecord& record, std::string_view answer) {
  if (is_blank(answer)) return not_an_answer("is empty");
  if (answer.size() > kMostAnswerBytes) {
    return not_an_answer("has " + std::to_string(answer.size()) + " bytes, more than the " +
                         std::to_string(kMostAnswerBytes) + " allowed");
  }
  HOST_TRY_ASSIGN(const json::Document arguments, json::parse_own(record.arguments));
  const PersonQuestion question = question_in(arguments.root());
  if (question.options.empty() || std::find(question.options.begin(), question.options.end(),
                                            answer) != question.options.end()) {
    return {};
  }
  std::string all;
  for (const std::string& option : question.options)
    all += (all.empty() ? "\"" : ", \"") + option + "\"";
  return not_an_answer("is none of the options: " + all);
}

}  // namespace host::approval
