#include "router/toolkit/ask_user.h"

#include <utility>

#include "approval/question.h"

namespace host::router {
namespace {

constexpr const char* kAboutQuestions =
    "Asks a person a question and returns the answer. Use it when you cannot find out what you "
    "need, or when only a person can decide. Give `options` if the answer must be one of a few. "
    "Answers may take a while: if the result says that the question waits, call again with the "
    "same arguments.";

constexpr const char* kQuestionSchema =
    R"({"type":"object","properties":{)"
    R"("question":{"type":"string","minLength":1,"maxLength":4000,"pattern":"\\S",)"
    R"("description":"The whole question: the person may not see this conversation"},)"
    R"("options":{"type":"array","minItems":2,"maxItems":20,"uniqueItems":true,)"
    R"("items":{"type":"string","minLength":1,"maxLength":200},)"
    R"("description":"Answers to choose from. Left out: the answer is any text"}},)"
    R"("required":["question"],"additionalProperties":false})";

// The answer is there, or the client is asked for it.
void ask(const std::shared_ptr<tool::Invocation>& invocation, const json::Value& arguments) {
  const tool::Answers& answers = invocation->continuation.answers;
  if (const auto answer = answers.find(approval::kQuestionKey); answer != answers.end())
    return static_cast<void>(invocation->finish(approval::result_of(answer->second)));
  tool::CallResult asks;
  asks.round.emplace();
  asks.round->questions.push_back(approval::elicitation_of(approval::question_in(arguments)));
  invocation->finish(std::move(asks));
}

}  // namespace

void add_ask_user(tool::OwnTools& tools) {
  tool::Declaration declaration =
      tool::own_declaration("ask_user", "Ask a person", kAboutQuestions, kQuestionSchema);
  declaration.idempotent = false;  // the same question may get another answer
  declaration.asks_person = true;
  tools.add(std::move(declaration), ask);
}

}  // namespace host::router
