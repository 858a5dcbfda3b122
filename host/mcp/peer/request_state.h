// Makes the `requestState` that the host sends with questions in the stateless protocol version
// (2026-07-28). The requestState ties a client's answers to the call that asked the questions. The
// text is signed. The text is valid only for the same caller, tool and arguments, for one run, and
// for a limited time. If the call asks questions several times, the earlier answers stay in the
// host and are not sent to the client. Memory is limited: if too many rounds of questions wait for
// answers, the oldest rounds are removed.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "mcp/peer/signer.h"
#include "tool/definition/question.h"

namespace host::mcp {

// A round of questions that the client has not answered yet.
struct OpenRound {
  tool::Round round;
  tool::Answers answers;  // of the earlier rounds
};

class RequestStates {
 public:
  RequestStates(const Clock& clock, std::chrono::milliseconds lifetime)
      : clock_(clock), lifetime_(lifetime) {}

  // `binding` is made from the caller, the tool and the arguments. find() needs the same binding.
  std::string issue(OpenRound round, std::string_view binding);
  // Returns nullptr if the state was altered, has a different binding, has expired or was used. The
  // pointer is valid until the next call of a member function.
  const OpenRound* find(std::string_view state, std::string_view binding);
  // Reserves the requestState for one call: until give_back(), find() does not find it. Returns the
  // nonce of the requestState, or an empty text if there is no such requestState.
  std::string take(std::string_view state, std::string_view binding);
  void give_back(std::string_view nonce);
  // Removes the state because its call has run.
  void use(std::string_view nonce);

 private:
  struct Issued {
    std::string nonce;
    SteadyTime expires;
    std::size_t bytes;
    OpenRound round;
    bool taken = false;
  };
  using Order = std::list<Issued>;
  Order::iterator at(std::string_view state, std::string_view binding);
  void forget(Order::iterator at);
  void forget_old();

  const Clock& clock_;
  const std::chrono::milliseconds lifetime_;
  Signer signer_;
  Order issued_;  // oldest first
  std::size_t bytes_ = 0;
  std::unordered_map<std::string_view, Order::iterator> by_nonce_;  // the keys point into `issued_`
};

}  // namespace host::mcp
