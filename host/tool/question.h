// What a call asks of the client that made it before it can go on, and what it was told.
//
// No call waits inside its provider for an answer: it ends with a round of questions, and is run
// again with the answers. So the same provider serves clients that are asked while their request
// is open, and clients that call again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace host::tool {

// What a client can be asked, by its own word.
struct Abilities {
  bool forms = false;           // elicitation/create, mode form
  bool urls = false;            // elicitation/create, mode url
  bool sampling = false;        // sampling/createMessage
  bool sampling_tools = false;  // ... with tools
  bool roots = false;           // roots/list
};

struct Question {
  std::string key;           // names it among the questions of one call
  std::string method;        // elicitation/create, sampling/createMessage, roots/list
  std::string params;        // JSON object text, as the newest protocol version has it
  std::string refused = {};  // why its last answer was not accepted; empty: none was refused
};

// What has to be known before the call can go on.
struct Round {
  std::vector<Question> questions;
  std::string state;  // the provider's own bytes, given back with the answers
};

// By key, the client's results: JSON object texts.
using Answers = std::map<std::string, std::string, std::less<>>;

// Where a call that asked goes on.
struct Continuation {
  std::string state;  // of the round before; empty: this is the first
  Answers answers;    // of all rounds before; a key that is asked again loses its old answer
};

}  // namespace host::tool
