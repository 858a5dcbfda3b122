// The `requestState` of questions in the stateless era: what ties a client's answers to the one
// call that it was asked about. Signed, bound to who asked for what with which arguments, good for
// one run and for a time. What the call was told before stays here, so that no client
// carries it. Memory is bounded: of very many open rounds the oldest are forgotten.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "mcp/peer/signer.h"
#include "tool/question.h"

namespace host::mcp {

// A round that waits for its answers.
struct OpenRound {
  tool::Round round;
  tool::Answers answers;  // of the rounds before
};

class RequestStates {
 public:
  RequestStates(const Clock& clock, std::chrono::milliseconds lifetime)
      : clock_(clock), lifetime_(lifetime) {}

  // `binding` says who asked for what; only the same opens it again.
  std::string issue(OpenRound round, std::string_view binding);
  // nullptr for what was altered, is another's, has expired or was used. Good until the next call
  // of any function here.
  const OpenRound* find(std::string_view state, std::string_view binding);
  // Its answers are taken by a call: nothing finds it until it is given back. Returns its nonce;
  // empty: there is none.
  std::string take(std::string_view state, std::string_view binding);
  void give_back(std::string_view nonce);
  // Nothing finds it any more.
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
