#include "questions.h"

using toolpost::Action;
using toolpost::Context;
using toolpost::Elicited;

namespace {

std::string name_of(Action action) {
  switch (action) {
    case Action::accept:
      return "accept";
    case Action::decline:
      return "decline";
    case Action::cancel:
      break;
  }
  return "cancel";
}

template <class T>
std::string outcome(const Elicited<T>& answer) {
  return "action=" + name_of(answer.action) + ", content=" + answer.raw.text;
}

struct User {
  std::string username;
  std::string email;
  TOOLPOST_FIELDS(User, TOOLPOST_FIELD(username, "User's name"),
                  TOOLPOST_FIELD(email, "User's email address", toolpost::format("email")))
};

enum class Status { active, inactive, pending };
TOOLPOST_ENUM(Status, TOOLPOST_VALUE(active), TOOLPOST_VALUE(inactive), TOOLPOST_VALUE(pending))

struct Profile {
  std::string name = "John Doe";
  int age = 30;
  double score = 95.5;
  Status status = Status::active;
  bool verified = true;
  TOOLPOST_FIELDS(Profile, TOOLPOST_FIELD(name, "User name"), TOOLPOST_FIELD(age, "User age"),
                  TOOLPOST_FIELD(score, "User score"),
                  TOOLPOST_FIELD(status, "User status", toolpost::defaulted),
                  TOOLPOST_FIELD(verified, "Verification status"))
};

// With titles, which an enum of C++ has not.
const toolpost::Json kEnums = {
    R"({"type":"object","properties":{)"
    R"("untitledSingle":{"type":"string","enum":["option1","option2","option3"]},)"
    R"("titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},)"
    R"({"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},)"
    R"("legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],)"
    R"("enumNames":["Option One","Option Two","Option Three"]},)"
    R"("untitledMulti":{"type":"array","items":{"type":"string",)"
    R"("enum":["option1","option2","option3"]}},)"
    R"("titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},)"
    R"({"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}})"};

struct Name {
  std::string name;
  TOOLPOST_FIELDS(Name, TOOLPOST_FIELD(name))
};
struct Color {
  std::string color;
  TOOLPOST_FIELDS(Color, TOOLPOST_FIELD(color))
};
struct Confirmation {
  bool ok;
  TOOLPOST_FIELDS(Confirmation, TOOLPOST_FIELD(ok))
};
struct PromptContext {
  std::string context;
  TOOLPOST_FIELDS(PromptContext, TOOLPOST_FIELD(context))
};

std::string name_or(const Elicited<Name>& answer, const std::string& otherwise) {
  return answer ? answer->name : otherwise;
}

}  // namespace

std::string sampling(const Prompted& args, Context& call) {
  return "LLM response: " +
         call.sample("sampling", {.prompt = args.prompt, .max_tokens = 100}).text;
}

std::string elicitation(const Message& args, Context& call) {
  return "User response: " + outcome(call.elicit<User>("user", args.message));
}

std::string elicitation_defaults(Context& call) {
  return "Elicitation completed: " +
         outcome(call.elicit<Profile>("profile", "Please review and update the form fields"));
}

std::string elicitation_enums(Context& call) {
  return "Elicitation completed: " +
         outcome(call.elicit("options", "Please select options from the enum fields", kEnums));
}

std::string missing_capability(Context& call) {
  return "The model said: " +
         call.sample("sampling", {.prompt = "Say hello", .max_tokens = 100}).text;
}

std::string streaming_elicitation() {
  return "Nothing was asked on this stream.";
}

std::string ask_name(Context& call) {
  return "Hello, " + name_or(call.elicit<Name>("user_name", "What is your name?"), "stranger") +
         "!";
}

std::string ask_model(Context& call) {
  return call
      .sample("capital_question", {.prompt = "What is the capital of France?", .max_tokens = 100})
      .text;
}

std::string ask_roots(Context& call) {
  const auto roots = call.roots("client_roots");
  std::string text = "The client has " + std::to_string(roots.size()) + " roots:";
  for (const toolpost::Root& root : roots) text += " " + root.uri;
  return text;
}

std::string ask_with_state(Context& call) {
  if (call.state().empty()) call.keep("asked once");
  const auto answer = call.elicit<Confirmation>("confirm", "Please confirm");
  if (call.state() != "asked once") throw toolpost::Error("the state of the round before is lost");
  return "state-ok, " + outcome(answer);
}

std::string ask_three_at_once(Context& call) {
  toolpost::Round round(call);
  const auto name = round.elicit<Name>("user_name", "What is your name?");
  const auto greeting =
      round.sample("greeting", {.prompt = "Generate a greeting", .max_tokens = 50});
  const auto roots = round.roots("client_roots");
  call.keep("three questions");
  round.wait();
  return greeting->text + " " + name_or(*name, "stranger") + ", with " +
         std::to_string(roots->size()) + " roots";
}

std::string ask_in_two_rounds(Context& call) {
  const auto name = call.elicit<Name>("step1", "Step 1: What is your name?");
  const auto color = call.elicit<Color>("step2", "Step 2: What is your favorite color?");
  return name_or(name, "somebody") + " likes " + (color ? color->color : "no color");
}

std::string ask_what_can_be_asked(Context& call) {
  toolpost::Round round(call);
  const std::uint32_t can = call.abilities();
  if (can & TP_ASK_FORM) round.elicit<Name>("user_name", "What is your name?");
  if (can & TP_ASK_SAMPLING) {
    round.sample("greeting", {.prompt = "Generate a greeting", .max_tokens = 50});
  }
  if (can & TP_ASK_ROOTS) round.roots("client_roots");
  round.wait();
  return can == 0 ? "Nothing can be asked" : "All that could be asked was answered";
}

toolpost::Messages prompt_with_context(Context& call) {
  const auto answer =
      call.elicit<PromptContext>("user_context", "What context should the prompt use?");
  return toolpost::Messages().text(toolpost::Role::user,
                                   "Use this context: " + (answer ? answer->context : "none"));
}
