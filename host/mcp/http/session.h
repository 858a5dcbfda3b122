// MCP sessions over HTTP (protocol versions until 2025-11-25), and the table of these sessions. A
// session has no timer and no thread. The functions of this header are called on the I/O thread.
//
// The table has a limit in total and a limit for each principal. If a limit on sessions is reached,
// a new session ends the oldest idle session of its own principal. Busy sessions and sessions of
// other principals never end because of a new session: if the principal has no idle session, the
// new session is refused. A session that was idle for too long cannot be found, and ends when the
// table is next used. Each use of the table ends a limited number of idle sessions, so that no
// request waits for many ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
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
#include "mcp/http/principal_quota.h"
#include "mcp/peer/client_requests.h"
#include "mcp/peer/request.h"
#include "mcp/peer/subscriptions.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/definition/question.h"
#include "transport/http/http.h"

namespace host::mcp {

class SessionReply;

// HttpSessions and each call in progress keep a shared_ptr to the HttpSession. A session that has
// ended cannot be used again.
class HttpSession {
 public:
  // kOwnStream identifies the session's GET stream in the event log. Each answer that becomes a
  // stream gets a different number.
  static constexpr EventLog::Stream kOwnStream = 0;

  HttpSession(std::string name, tool::Peer owner, WallTime began,
              const boost::asio::any_io_executor& executor, std::shared_ptr<EventBudget> budget)
      : id(std::move(name)),
        who(std::move(owner)),
        created(began),
        client(executor, [this](std::string_view message) { tell(message); }),
        events(kMostEvents, std::move(budget)) {}

  const std::string id;
  const tool::Peer who;  // the client; who.session is the session in the path, if any
  const WallTime created;
  // The id of the durable session to which this MCP session belongs: the session id in the
  // endpoint's path or, without such an id, the MCP session's own id.
  const std::string session = who.session.empty() ? id : who.session;
  protocol::Version version = protocol::kLatestLegacy;
  tool::Abilities abilities;
  PeerSettings settings;
  ClientRequests client;
  std::unordered_map<protocol::Id, std::shared_ptr<Cancel>> in_flight;
  std::shared_ptr<transport::EventStream> stream;     // the session's open GET stream, or nullptr
  std::shared_ptr<const tool::Credential> stream_by;  // the credential that opened `stream`
  PrincipalQuota::Place stream_place;                 // counts `stream` in the limits
  Subscriptions::Registration news;
  EventLog events;
  bool ended = false;
  // The class KeptSessions sets `kept` and `kept_settings` when it has stored the session.
  bool kept = false;
  std::optional<PeerSettings> kept_settings;  // nullopt: a write of the settings has failed

  // Closes the session's GET stream. Streams of the session that carry answers stay open.
  void close_stream() {
    const auto open = stream;
    drop_stream();
    if (open) open->close();
  }
  // Removes the GET stream, which must already be closed.
  void drop_stream() {
    stream = nullptr;
    stream_place.reset();
  }
  bool busy() const { return !in_flight.empty() || (stream && stream->open()); }
  // Sends the message on the session's GET stream. If the client is not connected, the log keeps
  // the message for the client.
  void tell(std::string_view message);
  // Returns the unfinished answer whose stream has this number, or nullptr if the session has
  // none.
  SessionReply* reply_on(EventLog::Stream stream) const;
  void cancel(const protocol::Id& request);
  void end();

  // While a Replying exists, the client can continue to read the answer on another connection.
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

// The function type Whose selects the clients to which an operation applies.
using Whose = std::function<bool(const tool::Peer&)>;

class HttpSessions {
 public:
  struct Limits {
    std::size_t all = 10'000;
    std::size_t per_principal = 1'000;
    std::chrono::milliseconds idle{std::chrono::minutes(30)};
  };
  HttpSessions(const Clock& clock, const Limits& limits) : clock_(clock), limits_(limits) {}

  // A limit refuses a new session only if its principal has no idle session that could end.
  enum class Full { Principal, Host };
  using Created = std::variant<std::shared_ptr<HttpSession>, Full>;
  Created create(tool::Peer who, const boost::asio::any_io_executor& executor);

  // The data of a session that the host stored before its current start. Call restore() for stored
  // sessions in the order of their last use. `idle` is the time since the last use.
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
  // Returns nullptr if no session has this id, or if the session belongs to a different principal
  // or agent. find() records a use of the session.
  std::shared_ptr<HttpSession> find(const tool::Peer& who, std::string_view id);
  // Records that the session was used now. Call this function when a call of the session has ended,
  // or when the session was used without find().
  void touch(std::string_view id);
  void remove(const HttpSession& session);
  void remove_of(const Whose& whose);
  using Which = std::function<bool(const HttpSession&)>;
  void remove_if(const Which& which);
  // Ends the MCP sessions that belong to the durable session `session`.
  void remove_in(std::string_view session);
  // Closes the GET streams of sessions for which `which` returns true. The sessions of the closed
  // streams do not end, so their clients can open new streams.
  void close_streams_if(const Which& which);
  // Reports that the host has stopped. clear() removes all sessions from memory, without ending
  // them for their clients.
  void clear();
  std::size_t size() const { return order_.size(); }

  // The table calls `listener` for each session that ends, except for sessions that clear()
  // removes.
  void on_end(std::function<void(const HttpSession&)> listener) {
    on_end_.push_back(std::move(listener));
  }
  void for_each_of(std::string_view session, const std::function<void(HttpSession&)>& act) const;
  // Calls `tell` for each session that was used since `then`, the most recently used session first.
  void used_since(SteadyTime then,
                  const std::function<void(const HttpSession&, SteadyTime used)>& tell) const;

 private:
  struct Seat;
  using Order = std::list<Seat>;
  // The sessions of one principal.
  struct Own {
    std::list<HttpSession*> sessions;  // the least recently used session is first
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
  bool is_idle(const Seat& seat) const;

  const Clock& clock_;
  const Limits limits_;
  Order order_;  // the least recently used session is first
  Owns owns_;    // the keys are the principals that have sessions
  // The number of MCP sessions for each durable session that the path of an endpoint names.
  std::map<std::string, std::size_t, std::less<>> in_paths_;
  Crowd crowd_;
  std::vector<std::function<void(const HttpSession&)>> on_end_;
  std::unordered_map<std::string_view, Order::iterator> seats_;  // the keys point into the sessions
};

}  // namespace host::mcp
