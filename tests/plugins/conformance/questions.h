// Tools and a prompt that ask the client before they can answer.
#pragma once

#include <toolpost/toolpost.hpp>

struct Prompted {
  std::string prompt;
  TOOLPOST_FIELDS(Prompted, TOOLPOST_FIELD(prompt, "What to ask the model"))
};
struct Message {
  std::string message;
  TOOLPOST_FIELDS(Message, TOOLPOST_FIELD(message, "What to ask the person"))
};

std::string sampling(const Prompted& args, toolpost::Context& call);
std::string elicitation(const Message& args, toolpost::Context& call);
std::string elicitation_defaults(toolpost::Context& call);
std::string elicitation_enums(toolpost::Context& call);
std::string missing_capability(toolpost::Context& call);
std::string streaming_elicitation();

std::string ask_name(toolpost::Context& call);
std::string ask_model(toolpost::Context& call);
std::string ask_roots(toolpost::Context& call);
std::string ask_with_state(toolpost::Context& call);
std::string ask_three_at_once(toolpost::Context& call);
std::string ask_in_two_rounds(toolpost::Context& call);
std::string ask_what_can_be_asked(toolpost::Context& call);

toolpost::Messages prompt_with_context(toolpost::Context& call);
