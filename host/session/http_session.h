// Sessions of the legacy era over HTTP, and the table of them: bounded, oldest out first, idle ones
// gone when anybody next asks. No timer and no thread belongs to a session. I/O thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/crowd.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "session/client_requests.h"
#include "session/event_log.h"
#include "session/request.h"
#include "session/subscriptions.h"
#include "tool/question.h"
#include "transport/http.h"

namespace host::session {

class SessionReply;

// Held by the table and by the calls under way. Once ended it stays so.
class HttpSession {
 public:
  // Of its GET, in the log; each answer that becomes a stream has a number of its own.
  static constexpr EventLog::Stream kOwnStream = 0;

  HttpSession(std::string name, tool::Peer owner, WallTime began,
              const boost::asio::any_io_executor& executor, std::shared_ptr<EventBudget> budget)
      : id(std::move(name)),
        who(std::move(owner)),
        created(began),
        client(executor),
        events(kMostEvents, std::move(budget)) {}

  const std::string id;
  const tool::Peer who;
  const WallTime created;
  protocol::Version version = protocol::kLatestLegacy;
  tool::Abilities abilities;
  PeerSettings settings;
  ClientRequests client;
  std::unordered_map<protocol::Id, std::shared_ptr<Cancel>> in_flight;
  std::shared_ptr<transport::EventStream> stream;  // of its GET; nullptr: none
  Subscriptions::Registration news;
  EventLog events;
  bool ended = false;
  // See KeptSessions.
  bool kept = false;
  PeerSettings kept_settings;

  bool busy() const { return !in_flight.empty() || (stream && stream->open()); }
  // On its own stream, kept for a client that is away just now.
  void tell(std::string_view message);
  // The answer under way whose stream has this number; nullptr: none.
  SessionReply* reply_on(EventLog::Stream stream) const;
  void cancel(const protocol::Id& request);
  void end();

  // While it lives, the answer can be taken up on another connection.
  class [[nodiscard]] Replying {
   public:
    Replying(HttpSession& session, SessionReply& reply) : session_(session), reply_(reply) {
      session_.replies_.insert(&reply_);
    }
    ~Replying() { session_.replies_.erase(&reply_); }
    Replying(const Replying&) = delete;
    Replying& operator=(const Replying&) = delete;

   private:
    HttpSession& session_;
    SessionReply& reply_;
  };

 private:
  static constexpr std::size_t kMostEvents = 256;

  std::set<SessionReply*> replies_;
};

// Which peers are meant.
using Whose = std::function<bool(const tool::Peer&)>;

class HttpSessions {
 public:
  HttpSessions(const Clock& clock, std::size_t capacity, std::chrono::milliseconds idle)
      : clock_(clock), capacity_(capacity), idle_(idle) {}

  std::shared_ptr<HttpSession> create(tool::Peer who, const boost::asio::any_io_executor& executor);

  // One that an earlier host made and that was `idle` since. Those that were used later come later.
  struct Restored {
    std::string id;
    tool::Peer who;
    protocol::Version version = protocol::kLatestLegacy;
    tool::Abilities abilities;
    PeerSettings settings;
    WallTime created{};
  };
  void restore(Restored session, const boost::asio::any_io_executor& executor,
               std::chrono::milliseconds idle);
  // nullptr where there is none of this id, or it is another principal's or agent's. A found one
  // counts as used.
  std::shared_ptr<HttpSession> find(const tool::Peer& who, std::string_view id);
  // A call of it ended: it counts as used.
  void touch(const HttpSession& session);
  void remove(const HttpSession& session);
  void remove_of(const Whose& whose);
  using Which = std::function<bool(const HttpSession&)>;
  void remove_if(const Which& which);
  // The host stops: they end here, not for their clients.
  void clear();
  std::size_t size() const { return order_.size(); }

  // `listener` runs for each that ends, but by clear().
  void on_end(std::function<void(const HttpSession&)> listener) { on_end_ = std::move(listener); }
  // The latest first.
  void used_since(SteadyTime then,
                  const std::function<void(const HttpSession&, SteadyTime used)>& tell) const;

 private:
  struct Seat {
    std::shared_ptr<HttpSession> session;
    SteadyTime used;
  };
  using Order = std::list<Seat>;
  std::shared_ptr<HttpSession> seat(std::shared_ptr<HttpSession> session, SteadyTime used);
  void use(Order::iterator seat);
  void end(Order::iterator seat);
  void end_idle();

  const Clock& clock_;
  const std::size_t capacity_;
  const std::chrono::milliseconds idle_;
  const std::shared_ptr<EventBudget> budget_ = std::make_shared<EventBudget>();
  Order order_;  // least recently used first
  Crowd crowd_;
  std::function<void(const HttpSession&)> on_end_;
  std::unordered_map<std::string_view, Order::iterator> seats_;  // keys live in the sessions
};

}  // namespace host::session
