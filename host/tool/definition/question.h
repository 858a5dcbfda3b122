// Defines the questions that a call asks its client, and the client's answers.
//
// A call does not wait for an answer inside its provider. The provider ends the call with a round
// of questions, and the host runs the call again with the answers. With rounds, a provider treats
// all clients alike: those that answer while their request is open, and those that send the request
// again.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace host {
class Cancel;
}

namespace host::tool {

// Abilities are the kinds of questions that the client says it supports.
struct Abilities {
  bool forms = false;           // elicitation/create with mode form
  bool urls = false;            // elicitation/create with mode url
  bool sampling = false;        // sampling/createMessage
  bool sampling_tools = false;  // sampling/createMessage with tools
  bool roots = false;           // roots/list
};

struct Question {
  std::string key;     // identifies the question within one call
  std::string method;  // elicitation/create, sampling/createMessage or roots/list
  std::string params;  // JSON object text, in the form of the newest protocol version
  // `refused` is the reason why the host did not accept the client's last answer. `refused` is
  // empty if the host has refused no answer.
  std::string refused = {};
  // `elicitation` is the id that the asker gave to a question with a URL; empty: no id. The client
  // gets a different id for the question.
  std::string elicitation = {};
  // The asker requests `ended` when the user has finished at the URL of the question. nullptr: the
  // asker does not report that.
  std::shared_ptr<Cancel> ended = nullptr;
};

// A round is the set of questions whose answers the call needs to continue.
struct Round {
  std::vector<Question> questions;
  std::string state;  // not read by the host; the provider gets it back with the answers
  // `over` lets the provider end the round early: when the provider requests `over`, the host runs
  // the call again without the answers. With nullptr, the provider always needs the answers.
  std::shared_ptr<Cancel> over = nullptr;
};

// The map Answers contains the client's answers: for the key of each question, the JSON object text
// of the answer.
using Answers = std::map<std::string, std::string, std::less<>>;

// A Continuation contains the data with which a call continues after it has asked questions.
struct Continuation {
  std::string state;  // the state of the previous round; empty: this is the first round
  Answers answers;    // answers of all previous rounds; a repeated question removes its old answer
};

}  // namespace host::tool
