// Stores the MCP sessions of the host at one address. The stored MCP sessions continue when a host
// starts at the same address again. A session ends when another process removes it from the store.
// Events that a session's streams have sent are not stored. The functions of this header are called
// on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "mcp/http/context_writer.h"
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

  // Loads the stored sessions into `sessions`, except those that were idle too long. The function
  // blocks. Until stop(), the KeptSessions object makes the same changes to the sessions in memory
  // and in the store. If a session ends, the KeptSessions object removes it from the store. If
  // another process removes a session from the store, the session ends.
  Result<void> take_in(HttpSessions& sessions);

  // Stores a session that is new or whose settings have changed. If the host cannot store the
  // session, it serves the session until the host ends.
  boost::asio::awaitable<void> put(std::shared_ptr<HttpSession> session);
  // Returns true if the store does not contain the session's current settings, and the store has no
  // known fault.
  bool should_put(const HttpSession& session) const;

  void stop(const HttpSessions& sessions);

 private:
  void remove(const HttpSession& session);
  bool adopt(const store::ClientContextRecord& record);
  store::ClientContextRecord record_of(const HttpSession& session) const;
  void begin_to_follow(HttpSessions& sessions);
  boost::asio::awaitable<void> follow(HttpSessions& sessions);
  boost::asio::awaitable<void> look(HttpSessions& sessions);
  void tell_uses(const HttpSessions& sessions);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const std::shared_ptr<ContextWriter> writer_;
  const Clock& clock_;
  const std::string address_;
  const std::shared_ptr<session::Sessions> durable_;  // null: there are no durable sessions
  boost::asio::steady_timer pause_;
  SteadyTime told_;        // the store contains the uses of sessions until this time
  bool is_stale_ = false;  // true: the last read of the store failed, so look() reads again
  bool stopping_ = false;
};

}  // namespace host::mcp
