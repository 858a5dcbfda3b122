// The `requestState` of questions in the stateless era. It binds a client's answers to the call
// that asked. It is signed, bound to the caller, the tool and the arguments, and valid for one run
// and a limited time. Answers of earlier rounds stay in the host and are not sent to the client.
// Memory is limited: if there are too many open rounds, the oldest are removed.
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

// A round that waits for its answers.
struct OpenRound {
  tool::Round round;
  tool::Answers answers;  // of the earlier rounds
};

class RequestStates {
 public:
  RequestStates(const Clock& clock, std::chrono::milliseconds lifetime)
      : clock_(clock), lifetime_(lifetime) {}

  // `binding`: the caller, the tool and the arguments. find() needs the same binding.
  std::string issue(OpenRound round, std::string_view binding);
  // nullptr: the state was altered, belongs to a different binding, has expired or was used. The
  // pointer is valid until the next call of a member function.
  const OpenRound* find(std::string_view state, std::string_view binding);
  // A call takes the answers of this state. find() does not find the state until give_back().
  // Returns its nonce; empty: there is no such state.
  std::string take(std::string_view state, std::string_view binding);
  void give_back(std::string_view nonce);
  // The state is used up.
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
  std::unordered_map<std::string_view, Order::iterator> by_nonce_;  // keys live in the order
};

}  // namespace host::mcp
