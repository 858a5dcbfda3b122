// Makes the `requestState` that the host sends with questions in the stateless protocol version
// (2026-07-28). The requestState ties a client's answers to the call that asked the questions. The
// text is signed. A requestState is valid only for the same caller, tool and arguments, for one run
// of the call, and for a limited time. If the call asks questions several times, the earlier
// answers stay in the host and are not sent to the client. If a reviewer or an interceptor changed
// the arguments of the call, these arguments stay in the host too. Memory for rounds of questions
// is limited. When a principal reaches its limit, its oldest rounds of questions are removed. When
// the total limit is reached, the principal with the most bytes loses its oldest rounds of
// questions.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "mcp/peer/signer.h"
#include "tool/definition/question.h"

namespace host::mcp {

// A round of questions that the client has not answered yet.
struct OpenRound {
  std::string definition;  // digest of the definition of the tool that asked
  tool::Round round;
  tool::Answers answers;  // of the earlier rounds, and what the host keeps (tool/call/edits.h)
};

class RequestStates {
 public:
  RequestStates(const Clock& clock, std::chrono::milliseconds lifetime)
      : clock_(clock), lifetime_(lifetime) {}

  // `binding` is made from the caller, the tool and the arguments. find() finds the state only with
  // the same binding. `principal` is the caller, to which the limits apply.
  std::string issue(OpenRound round, std::string_view binding, const std::string& principal);
  // Returns nullptr if the state was altered, has a different binding, has expired or was used
  // before. The pointer is valid until the next call of a member function.
  const OpenRound* find(std::string_view state, std::string_view binding);
  // Reserves the requestState for one call. find() does not find a reserved requestState until
  // give_back() is called. Returns the nonce of the requestState, or an empty text if find() does
  // not find the requestState.
  std::string take(std::string_view state, std::string_view binding);
  void give_back(std::string_view nonce);
  // Removes the requestState because its call has run.
  void use(std::string_view nonce);

  // A round of questions that was removed because its call is about to run.
  struct Spent {
    std::string nonce;
    SteadyTime expires;
    OpenRound round;
    std::string principal;
  };
  // Removes the requestState and returns its data. give_back() can restore them if the call does
  // not run.
  std::optional<Spent> spend(std::string_view nonce);
  void give_back(Spent spent);

 private:
  struct Issued;
  using Order = std::list<Issued>;
  // The unanswered rounds of questions of one principal.
  struct Owned {
    std::list<Order::iterator> order;  // the oldest round is the first
    std::size_t bytes = 0;
  };
  using Owners = std::map<std::string, Owned>;
  struct Issued {
    std::string nonce;
    SteadyTime expires;
    std::size_t bytes;
    OpenRound round;
    Owners::iterator owner;
    std::list<Order::iterator>::iterator place{};  // the position in the owner's `order`
    bool taken = false;
  };
  Order::iterator put(Spent round);
  Order::iterator at(std::string_view state, std::string_view binding);
  void count(Owners::iterator owner, std::size_t before, std::size_t after);
  void forget(Order::iterator at);
  void forget_expired();
  void make_room(Owners::iterator owner);

  const Clock& clock_;
  const std::chrono::milliseconds lifetime_;
  Signer signer_;
  Order issued_;  // the oldest round is the first
  Owners owners_;
  std::set<std::pair<std::size_t, std::string>> by_bytes_;  // principals with their bytes
  std::size_t bytes_ = 0;
  std::unordered_map<std::string_view, Order::iterator> by_nonce_;  // the keys point into `issued_`
};

}  // namespace host::mcp
