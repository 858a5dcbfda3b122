// An Authorizer gives the requests to one upstream a credential that changes while the host runs.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace host::upstream {

// The functions of Authorizer are called on the I/O thread. The functions token() and refused()
// call `done` once, and never before they return. The Error Cancelled means that the login has
// changed since the session with the upstream began. After the Error Cancelled, the transport ends
// the session, and the next session sends the request.
class Authorizer {
 public:
  using Done = std::function<void(Result<std::string> token)>;

  virtual ~Authorizer() = default;

  // Gets the access token for the next request. If there is no token, the result is empty, and the
  // request is sent without a token.
  virtual void token(Done done) = 0;

  struct Refusal {
    int status = 0;          // 401 or 403
    std::string token;       // token of the refused request; empty: no token
    std::string challenge;   // the response's header WWW-Authenticate, untrusted
    bool is_second = false;  // the request had the token of an earlier refused()
  };
  // Returns true if a response with this status and this WWW-Authenticate header refuses the token.
  // If concerns() returns false, the response is an answer to the request.
  virtual bool concerns(int status, const std::string& challenge) const = 0;

  // Reports that the upstream accepted a request with this token.
  virtual void accepted(const std::string& token) = 0;

  // Reports that the upstream refused a request. `done` gets an access token that differs from the
  // refused one, or an Error. With a different token, the request is sent again; an Error gives the
  // reason for users. After a second refusal of the same request, `done` always gets an Error.
  virtual void refused(Refusal refusal, Done done) = 0;
};

}  // namespace host::upstream
