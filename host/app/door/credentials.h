// Ends calls and event streams when the key, login or token that began them is no longer valid. A
// call with a key or token continues if its principal has another key or token that allows the
// call. A call with a login ends when the login ends. An event stream always ends when the
// credential with which it began ends, because the client can open a new stream. Call the functions
// of this header on the I/O thread.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/clock.h"
#include "identity/identities.h"
#include "tool/call/call.h"
#include "tool/call/peer.h"

namespace host::mcp {
class HttpEndpoint;
}
namespace host::rest {
class Events;
}

namespace host::app {

class Core;

class Credentials {
 public:
  // `identities` is null if the host has no store, and so neither keys nor logins. Objects that are
  // passed by reference must outlive the Credentials.
  Credentials(Core& core, std::shared_ptr<identity::Identities> identities,
              mcp::HttpEndpoint& endpoint, rest::Events& events);

  // Begins to watch for changes of keys and logins. Call follow() once, before Identities::watch().
  void follow();
  // Call note() for each admitted request. `calls` is true if the request may call tools. If the
  // request has a token, the Credentials object ends the request's calls and streams when the token
  // expires.
  void note(const tool::Peer& who, bool calls);
  void stop();

 private:
  void lost_a_key(const std::string& principal);
  void end_what_is_over();
  bool is_over(const tool::Credential& credential) const;
  bool ends(const tool::Call& call) const;
  void await_next();
  void forget_tokens();

  Core& core_;
  const std::shared_ptr<identity::Identities> identities_;
  mcp::HttpEndpoint& endpoint_;
  rest::Events& events_;
  const Clock& clock_;
  // ends_ has the times at which tokens will expire. For each principal, last_of_ has the time at
  // which the last token that allows its calls expires.
  std::set<WallTime> ends_;
  std::map<std::string, WallTime> last_of_;
  boost::asio::steady_timer next_;
  bool stopped_ = false;
};

}  // namespace host::app
