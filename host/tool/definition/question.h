// Questions that a call asks its client, and the answers.
//
// A call does not wait inside its provider for an answer. It ends with a round of questions, and
// the host runs it again with the answers. So the same provider works with clients that answer
// while their request is open, and with clients that send the request again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace host::tool {

// The kinds of questions that the client says it supports.
struct Abilities {
  bool forms = false;           // elicitation/create, mode form
  bool urls = false;            // elicitation/create, mode url
  bool sampling = false;        // sampling/createMessage
  bool sampling_tools = false;  // ... with tools
  bool roots = false;           // roots/list
};

struct Question {
  std::string key;           // identifies the question within one call
  std::string method;        // elicitation/create, sampling/createMessage, roots/list
  std::string params;        // JSON object text, as the newest protocol version has it
  std::string refused = {};  // why its last answer was not accepted; empty: none was refused
};

// The questions whose answers the call needs to continue.
struct Round {
  std::vector<Question> questions;
  std::string state;  // bytes of the provider, passed back with the answers
};

// The client's results by key: JSON object texts.
using Answers = std::map<std::string, std::string, std::less<>>;

// The point at which a call that asked continues.
struct Continuation {
  std::string state;  // of the previous round; empty: this is the first
  Answers answers;    // of all previous rounds; a key that is asked again loses its old answer
};

}  // namespace host::tool
