// The sessions that are served at one address, as the store has them: they go on when a host is
// started there again, and end when another process takes them out. What a session's streams had
// sent is not among it. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "mcp/http/session.h"
#include "store/desk.h"

namespace host::session {
class Sessions;
}

namespace host::mcp {

class KeptSessions : public std::enable_shared_from_this<KeptSessions> {
 public:
  KeptSessions(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
               const Clock& clock, std::string address,
               std::shared_ptr<session::Sessions> durable = nullptr);

  // Takes in what is there, but for those that were idle too long; blocks. From here on what ends
  // is taken out, and what is taken out ends, until stop().
  Result<void> take_in(HttpSessions& sessions);

  // A session that is new or has other settings. One that cannot be kept is served all the same,
  // as long as this host runs.
  boost::asio::awaitable<void> put(std::shared_ptr<HttpSession> session);

  void stop(const HttpSessions& sessions);

 private:
  void remove(const HttpSession& session);
  void remove(const std::string& id);
  bool adopt(const store::ClientContextRecord& record);
  store::ClientContextRecord record_of(const HttpSession& session) const;
  void begin_to_follow(HttpSessions& sessions);
  boost::asio::awaitable<void> follow(HttpSessions& sessions);
  boost::asio::awaitable<void> look(HttpSessions& sessions);
  void tell_uses(const HttpSessions& sessions);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const Clock& clock_;
  const std::string address_;
  const std::shared_ptr<session::Sessions> durable_;  // null: there are none
  boost::asio::steady_timer pause_;
  SteadyTime told_;  // up to when uses were told
  bool stopping_ = false;
};

}  // namespace host::mcp
