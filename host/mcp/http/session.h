// Sessions of the legacy era over HTTP, and their table. A session has no timer and no thread. I/O
// thread only.
//
// The table has a limit in total and a limit for each principal. At a limit, a new session ends the
// oldest idle session of its own principal. Busy sessions and sessions of other principals never
// end because of it: if the principal has no idle session, the new session is refused. Sessions
// that were idle too long end at the next use of the table.
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
#include "tool/definition/question.h"
#include "transport/http/http.h"

namespace host::mcp {

class SessionReply;

// The table and calls in progress keep a shared_ptr to it. An ended session cannot be used again.
class HttpSession {
 public:
  // The number of its GET stream in the log. Each answer that becomes a stream gets a different
  // number.
  static constexpr EventLog::Stream kOwnStream = 0;

  HttpSession(std::string name, tool::Peer owner, WallTime began,
              const boost::asio::any_io_executor& executor, std::shared_ptr<EventBudget> budget)
      : id(std::move(name)),
        who(std::move(owner)),
        created(began),
        client(executor),
        events(kMostEvents, std::move(budget)) {}

  const std::string id;
  const tool::Peer who;  // who.session: the session in the endpoint's path, if any
  const WallTime created;
  // The durable session to which it belongs: the one in the endpoint's path, or one with the same
  // id.
  const std::string session = who.session.empty() ? id : who.session;
  protocol::Version version = protocol::kLatestLegacy;
  tool::Abilities abilities;
  PeerSettings settings;
  ClientRequests client;
  std::unordered_map<protocol::Id, std::shared_ptr<Cancel>> in_flight;
  std::shared_ptr<transport::EventStream> stream;     // of its GET; nullptr: none
  std::shared_ptr<const tool::Credential> stream_by;  // the credential that opened it
  StreamQuota::Place stream_place;                    // its place among all open streams
  Subscriptions::Registration news;
  EventLog events;
  bool ended = false;
  // See KeptSessions.
  bool kept = false;
  PeerSettings kept_settings;

  // Closes its GET stream, not the streams of answers.
  void close_stream() {
    const auto open = stream;
    drop_stream();
    if (open) open->close();
  }
  // Forgets the GET stream, which is closed already.
  void drop_stream() {
    stream = nullptr;
    stream_place.reset();
  }
  bool busy() const { return !in_flight.empty() || (stream && stream->open()); }
  // Sends the message on its GET stream. If the client is not connected, the log keeps the message
  // for it.
  void tell(std::string_view message);
  // The unfinished answer whose stream has this number. nullptr: none.
  SessionReply* reply_on(EventLog::Stream stream) const;
  void cancel(const protocol::Id& request);
  void end();

  // While it exists, the client can continue to read the answer on another connection.
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

// Selects peers.
using Whose = std::function<bool(const tool::Peer&)>;

class HttpSessions {
 public:
  struct Limits {
    std::size_t all = 10'000;
    std::size_t per_principal = 1'000;
    std::chrono::milliseconds idle{std::chrono::minutes(30)};
  };
  HttpSessions(const Clock& clock, const Limits& limits) : clock_(clock), limits_(limits) {}

  // The limit that was reached. The principal has no idle session that could end.
  enum class Full { Principal, Host };
  using Created = std::variant<std::shared_ptr<HttpSession>, Full>;
  Created create(tool::Peer who, const boost::asio::any_io_executor& executor);

  // A session that an earlier host made, for restore(). `idle` is the time since its last use.
  // Restore sessions in the order of their last use.
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
  // nullptr: no session has this id, or the session belongs to a different principal or agent. A
  // session that is found counts as used.
  std::shared_ptr<HttpSession> find(const tool::Peer& who, std::string_view id);
  // A call of the session ended, so the session counts as used.
  void touch(const HttpSession& session);
  void remove(const HttpSession& session);
  void remove_of(const Whose& whose);
  using Which = std::function<bool(const HttpSession&)>;
  void remove_if(const Which& which);
  // Closes GET streams. The clients may open new streams.
  void close_streams_if(const Which& which);
  // The host has stopped. Removes all sessions from memory, without ending them for their clients.
  void clear();
  std::size_t size() const { return order_.size(); }

  // `listener` runs for each session that ends, except by clear().
  void on_end(std::function<void(const HttpSession&)> listener) {
    on_end_.push_back(std::move(listener));
  }
  void for_each_of(std::string_view session, const std::function<void(HttpSession&)>& act) const;
  // Sessions that were used since `then`, the last used first.
  void used_since(SteadyTime then,
                  const std::function<void(const HttpSession&, SteadyTime used)>& tell) const;

 private:
  struct Seat;
  using Order = std::list<Seat>;
  // The sessions of one principal.
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
  Owns owns_;    // by principal; only principals with sessions
  Crowd crowd_;
  std::vector<std::function<void(const HttpSession&)>> on_end_;
  std::unordered_map<std::string_view, Order::iterator> seats_;  // keys live in the sessions
};

}  // namespace host::mcp
