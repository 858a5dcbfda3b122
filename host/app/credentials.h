// Ends what was begun by a key, login or token once that is not valid any more: calls, and streams
// of news. A call by a key or a token goes on where its principal has another that allows it, so
// that a client may rotate its key or renew its token meanwhile; one by a login ends with that
// login. A stream ends with what it was opened by, for its client can open another. I/O thread
// only.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/clock.h"
#include "identity/identities.h"
#include "tool/call.h"
#include "tool/peer.h"

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
  // `identities` null: there are no keys and no logins. References outlive it.
  Credentials(Core& core, std::shared_ptr<identity::Identities> identities,
              mcp::HttpEndpoint& endpoint, rest::Events& events);

  // Keys and logins are followed; once, before Identities::watch().
  void follow();
  // Somebody was let in; `calls`: who may call tools. The end of a token is awaited from here on.
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
  // Of tokens: the ends to come, and the last of each principal's that allow calls.
  std::set<WallTime> ends_;
  std::map<std::string, WallTime> last_of_;
  boost::asio::steady_timer next_;
  bool stopped_ = false;
};

}  // namespace host::app
