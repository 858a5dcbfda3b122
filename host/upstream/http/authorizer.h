// The credential of the requests to one upstream, if it changes while the host runs.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace host::upstream {

// I/O thread only. `done` is called once, never before the function returns.
class Authorizer {
 public:
  using Done = std::function<void(Result<std::string> token)>;

  virtual ~Authorizer() = default;

  // The access token of the next request. Empty: there is none, and the request is sent without
  // one.
  virtual void token(Done done) = 0;

  struct Refusal {
    int status = 0;          // 401 or 403
    std::string token;       // of the refused request; empty: it had none
    std::string challenge;   // its WWW-Authenticate, untrusted
    bool is_second = false;  // the request was sent again with the token of an earlier refused()
  };
  // True if a response with this status and WWW-Authenticate is about the token. All other ones are
  // answers.
  virtual bool concerns(int status, const std::string& challenge) const = 0;

  // The upstream accepted a request with this token.
  virtual void accepted(const std::string& token) = 0;

  // The upstream refused a request. `done` gets a different token, with which the request is sent
  // again, or the reason for users; always the reason for a second refusal.
  virtual void refused(Refusal refusal, Done done) = 0;
};

}  // namespace host::upstream
