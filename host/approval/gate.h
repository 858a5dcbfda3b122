// Step 6 of the road: where a call needs a person's yes, somebody is asked. I/O thread only.
//
// Whom to ask is the operator's choice (`approval.ask`): "client" lets the calling client put the
// question to its person. Where nobody can be asked the call ends with a result that says so and
// how an operator may allow it; nothing runs.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool/call.h"
#include "tool/tool.h"

namespace host::approval {

// Why a person is needed, in words, and rules that would make the question unnecessary.
struct Request {
  std::string reason;
  std::vector<std::string> suggestions;  // as an operator would write them
  bool rules_can_allow = true;           // false: asked every time, no rule helps
  std::vector<std::string> covered;      // post_ tools that the same yes covers
};

class Gate {
 public:
  explicit Gate(bool ask_client) : ask_client_(ask_client) {}

  // Nothing: a person said yes. Otherwise the answer that the call ends with.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> pass(tool::Call& call,
                                                                       const tool::Tool& tool,
                                                                       const Request& request);

 private:
  bool ask_client_;
};

}  // namespace host::approval
