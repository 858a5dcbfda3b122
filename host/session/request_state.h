// The `requestState` of questions in the stateless era: what ties a client's answer to the one call
// that it was asked about. Signed, bound to who asked for what with which arguments, good for one
// answer and for a time. Memory is bounded: of very many open questions the oldest are forgotten.
#pragma once

#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "session/signer.h"

namespace host::session {

class RequestStates {
 public:
  RequestStates(const Clock& clock, std::chrono::milliseconds lifetime)
      : clock_(clock), lifetime_(lifetime) {}

  struct Opened {
    std::string nonce;
    std::string key;  // of the question
  };

  // `binding` says who asked for what; only the same opens it again.
  std::string issue(const std::string& key, std::string_view binding);
  // Nothing for what was altered, is another's, has expired or was used.
  std::optional<Opened> open(std::string_view state, std::string_view binding);
  // The answer was taken. False where another call was faster.
  bool use(const std::string& nonce);

 private:
  struct Issued {
    std::string nonce;
    SteadyTime expires;
  };
  void forget_old();

  const Clock& clock_;
  const std::chrono::milliseconds lifetime_;
  Signer signer_;
  std::list<Issued> issued_;  // oldest first
  std::unordered_map<std::string, std::list<Issued>::iterator> by_nonce_;
};

}  // namespace host::session
