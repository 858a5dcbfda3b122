// Sessions of the legacy era over HTTP, and the table of them: bounded, oldest out first, idle ones
// gone when anybody next asks. No timer and no thread belongs to a session. I/O thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/cancel.h"
#include "base/clock.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "session/client_requests.h"
#include "session/list_changes.h"
#include "tool/question.h"
#include "transport/http.h"

namespace host::session {

// Held by the table and by the calls under way. Once ended it stays so.
class HttpSession {
 public:
  HttpSession(std::string name, std::string owner, const boost::asio::any_io_executor& executor)
      : id(std::move(name)), principal(std::move(owner)), client(executor) {}

  const std::string id;
  const std::string principal;
  protocol::Version version = protocol::kLatestLegacy;
  tool::Abilities abilities;
  ClientRequests client;
  std::unordered_map<protocol::Id, std::shared_ptr<Cancel>> in_flight;
  std::shared_ptr<transport::EventStream> stream;  // of its GET; nullptr: none
  ListChanges::Registration list_changes;

  bool busy() const { return !in_flight.empty() || (stream && stream->open()); }
  void cancel(const protocol::Id& request);
  void end();
};

class HttpSessions {
 public:
  HttpSessions(const Clock& clock, std::size_t capacity, std::chrono::milliseconds idle)
      : clock_(clock), capacity_(capacity), idle_(idle) {}

  std::shared_ptr<HttpSession> create(std::string principal,
                                      const boost::asio::any_io_executor& executor);
  // nullptr where there is none of this id, or it is another principal's. A found one counts as
  // used.
  std::shared_ptr<HttpSession> find(std::string_view principal, std::string_view id);
  // A call of it ended: it counts as used.
  void touch(const HttpSession& session);
  void remove(const HttpSession& session);
  void clear();
  std::size_t size() const { return order_.size(); }

 private:
  struct Seat {
    std::shared_ptr<HttpSession> session;
    SteadyTime used;
  };
  using Order = std::list<Seat>;
  void use(Order::iterator seat);
  void end(Order::iterator seat);
  void end_idle();

  const Clock& clock_;
  const std::size_t capacity_;
  const std::chrono::milliseconds idle_;
  Order order_;                                                  // least recently used first
  std::unordered_map<std::string_view, Order::iterator> seats_;  // keys live in the sessions
};

}  // namespace host::session
