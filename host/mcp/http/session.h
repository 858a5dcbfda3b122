// Sessions of the legacy era over HTTP, and the table of them. No timer and no thread belongs to a
// session. I/O thread only.
//
// The table is bounded, in all and by principal. A new session makes room among its own
// principal's: the oldest that is idle ends. One that is busy never does, nor any of another
// principal's: where nothing of its own is idle the new one is refused. Those that were idle too
// long end when anybody next asks.
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
#include <utility>
#include <variant>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/crowd.h"
#include "mcp/http/event_log.h"
#include "mcp/http/stream_quota.h"
#include "mcp/peer/client_requests.h"
#include "mcp/peer/request.h"
#include "mcp/peer/subscriptions.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/question.h"
#include "transport/http.h"

namespace host::mcp {

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
  const tool::Peer who;  // its session is the one of the endpoint, if any
  const WallTime created;
  // The durable session behind it: that of the endpoint, or one with the same id.
  const std::string session = who.session.empty() ? id : who.session;
  protocol::Version version = protocol::kLatestLegacy;
  tool::Abilities abilities;
  PeerSettings settings;
  ClientRequests client;
  std::unordered_map<protocol::Id, std::shared_ptr<Cancel>> in_flight;
  std::shared_ptr<transport::EventStream> stream;     // of its GET; nullptr: none
  std::shared_ptr<const tool::Credential> stream_by;  // that it was opened with
  StreamQuota::Place stream_place;                    // of it, among all that are open
  Subscriptions::Registration news;
  EventLog events;
  bool ended = false;
  // See KeptSessions.
  bool kept = false;
  PeerSettings kept_settings;

  // Its own, not those of answers.
  void close_stream() {
    const auto open = stream;
    drop_stream();
    if (open) open->close();
  }
  // It is closed already.
  void drop_stream() {
    stream = nullptr;
    stream_place.reset();
  }
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
  struct Limits {
    std::size_t all = 10'000;
    std::size_t per_principal = 1'000;
    std::chrono::milliseconds idle{std::chrono::minutes(30)};
  };
  HttpSessions(const Clock& clock, const Limits& limits) : clock_(clock), limits_(limits) {}

  // Which limit was reached, with nothing of the principal's own that is idle.
  enum class Full { Principal, Host };
  using Created = std::variant<std::shared_ptr<HttpSession>, Full>;
  Created create(tool::Peer who, const boost::asio::any_io_executor& executor);

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
  // Their clients may open another.
  void close_streams_if(const Which& which);
  // The host has stopped: they end here, not for their clients.
  void clear();
  std::size_t size() const { return order_.size(); }

  // `listener` runs for each that ends, but by clear().
  void on_end(std::function<void(const HttpSession&)> listener) {
    on_end_.push_back(std::move(listener));
  }
  void for_each_of(std::string_view session, const std::function<void(HttpSession&)>& act) const;
  // The latest first.
  void used_since(SteadyTime then,
                  const std::function<void(const HttpSession&, SteadyTime used)>& tell) const;

 private:
  struct Seat;
  using Order = std::list<Seat>;
  // What one principal has.
  struct Own {
    std::list<HttpSession*> sessions;  // least recently used first
    std::shared_ptr<EventBudget> budget = std::make_shared<EventBudget>();
  };
  using Owns = std::unordered_map<std::string, Own>;
  struct Seat {
    std::shared_ptr<HttpSession> session;
    SteadyTime used;
    std::list<HttpSession*>::iterator own;
  };
  std::shared_ptr<HttpSession> seat(std::shared_ptr<HttpSession> session, SteadyTime used);
  bool end_oldest_idle_of(const std::string& principal);
  void use(Order::iterator seat);
  void end(Order::iterator seat);
  void end_idle();

  const Clock& clock_;
  const Limits limits_;
  Order order_;  // least recently used first
  Owns owns_;    // by principal, of those that have sessions
  Crowd crowd_;
  std::vector<std::function<void(const HttpSession&)>> on_end_;
  std::unordered_map<std::string_view, Order::iterator> seats_;  // keys live in the sessions
};

}  // namespace host::mcp
