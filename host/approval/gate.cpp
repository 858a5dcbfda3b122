#include "approval/gate.h"

#include "json/json.h"
#include "protocol/elicitation.h"

namespace host::approval {
namespace {

using boost::asio::awaitable;

using Act = protocol::ElicitAnswer::Act;

constexpr std::string_view kKey = "toolpost.approval";  // a plugin's key may not begin like this
// Nothing is to be filled in: accepting the form is the yes.
constexpr std::string_view kNoFields = R"({"type":"object","properties":{}})";

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

tool::Question question_about(const tool::Call& call, const tool::Tool& tool,
                              const Request& request) {
  std::string message =
      "Allow \"" + tool.name() + "\" to run?\n" + request.reason + "\nArguments: " +
      json::write(call.arguments.root());  // whole: a person must see all that will run
  if (!request.covered.empty()) message += "\nAfterwards it runs: " + join(request.covered);
  return {std::string(kKey), "elicitation/create", protocol::form_params(message, kNoFields)};
}

std::string how_to_allow(const tool::Call& call, const Request& request) {
  if (!request.rules_can_allow) {
    return "It is asked about every time; only an operator's `auto_approve` in config.toml passes "
           "it.";
  }
  std::string text = "An operator can allow it in config.toml, by `auto_approve = true` for \"" +
                     call.provider + "\" or by a rule";
  if (!request.suggestions.empty()) text += ": " + join(request.suggestions);
  return text + ".";
}

tool::CallResult nobody_to_ask(const tool::Call& call, const tool::Tool& tool,
                               const Request& request) {
  return tool::CallResult::error(
      "\"" + tool.name() + "\" needs a person's approval and did not run: " + request.reason +
      "\n" + how_to_allow(call, request) + "\nDo not retry it unchanged before that.");
}

// Silence, a refusal and nonsense are no yes.
Act act_of(const tool::Answers& answers) {
  const auto at = answers.find(kKey);
  const auto tree = json::parse(at == answers.end() ? "" : at->second);
  const auto answer = tree ? protocol::read_elicit_answer(tree->root()) : std::nullopt;
  return answer ? answer->act : Act::Cancel;
}

tool::CallResult denied_by_person(const tool::Tool& tool, Act act) {
  const std::string_view how = act == Act::Decline ? "A person denied" : "A person dismissed";
  return tool::CallResult::error(std::string(how) + " the call of \"" + tool.name() +
                                 "\". It did not run; do not retry it unchanged.");
}

}  // namespace

awaitable<Result<std::optional<tool::CallResult>>> Gate::pass(tool::Call& call,
                                                              const tool::Tool& tool,
                                                              const Request& request) {
  if (!ask_client_ || !call.asker || !call.asker->abilities().forms) {
    call.outcome = "needs_approval";
    co_return nobody_to_ask(call, tool, request);
  }
  tool::Round round{{question_about(call, tool, request)}, {}};
  HOST_CO_TRY_ASSIGN(const std::optional<tool::Answers> answers,
                     co_await call.asker->ask(call, round));
  if (!answers) {
    call.outcome = "asked";
    tool::CallResult waiting;
    waiting.round = std::move(round);
    co_return waiting;
  }
  const Act act = act_of(*answers);
  if (act == Act::Accept) co_return std::nullopt;
  call.outcome = "denied";
  call.rule = "person";
  co_return denied_by_person(tool, act);
}

}  // namespace host::approval
