// Keeps the sessions of this host's store in memory. create() returns when the session is in the
// store. A session ends when its principal or an administrator ends it, when it was idle for too
// long, or together with the client context if an MCP client's initialize made it. Other processes
// can change the store. The host notices a change by another process within a second or two. The
// functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "session/session.h"
#include "session/text_pool.h"
#include "store/desk.h"

namespace host::session {

template <class T>
using awaitable = boost::asio::awaitable<T>;

class Sessions : public std::enable_shared_from_this<Sessions> {
 public:
  struct Limits {
    std::size_t all = 10'000;  // maximum number of sessions, not counting those of client contexts
    std::size_t per_principal = 1'000;
    std::chrono::milliseconds idle{std::chrono::hours(24 * 7)};
    std::function<void(std::string_view limit)> on_refusal = {};  // gets "limits.kept_sessions"
  };
  // `desk` is null if there is no store. If there is no store, there are only sessions of client
  // contexts.
  Sessions(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk, const Clock& clock,
           Limits limits);

  // Loads the stored sessions. Between open() and stop(), the Sessions object also loads the
  // changes that other processes make in the store. The function blocks. Call open() before the
  // first request.
  Result<void> open();
  void stop();

  struct Wanted {
    std::string principal;
    std::string agent;
    Settings settings;
  };
  // Makes a session. The Error Unavailable means that a limit is reached, or there is no store.
  awaitable<Result<SessionPtr>> create(Wanted wanted);

  // Returns null in each of these cases: the session does not exist, it has ended, or it belongs to
  // a different principal.
  SessionPtr find(std::string_view id, std::string_view principal) const;
  // Finds a session of any principal. Use find() without a principal only for administrators, or if
  // the principal was already checked.
  SessionPtr find(std::string_view id) const;
  // Lists sessions in the order of their ids, after the id `after`. An empty `principal` lists the
  // sessions of all principals.
  std::vector<SessionPtr> list(std::string_view principal, std::string_view after,
                               std::size_t most) const;
  std::size_t size() const { return seats_.size(); }
  // Returns true if create() would fail because the principal has too many sessions already.
  bool is_full_for(const std::string& principal) const;

  struct Changed {
    SessionPtr session;  // null: the session has ended
    bool clash = false;  // true: the session has another version than expected; no change
  };
  awaitable<Result<Changed>> change(std::string id, std::uint64_t expected, Settings settings);
  // Reads the session from the store into memory, and returns it. Call newest() if a client
  // knows a version that this process has not read yet. A null result means that the session has
  // ended.
  awaitable<Result<SessionPtr>> newest(std::string id);

  // Ends a session. Returns false if no session has this id.
  awaitable<Result<bool>> end(std::string id);

  // Returns the session of a new client context. If a session with this id is stored, the client
  // context continues that session.
  SessionPtr adopt(const std::string& id, const std::string& principal, const std::string& agent,
                   WallTime created);
  // Call release() when a client context has ended. The session of the client context ends too,
  // unless the session exists independently of the client context.
  void release(std::string_view id);

  // Records a use of the session in memory. The Sessions object stores the times of use later, for
  // many sessions together.
  void touch(std::string_view id);
  WallTime used(std::string_view id) const;
  // Returns the time at which the session ends if nobody uses it. Returns nullopt for a session
  // that has no time limit, because it lives as long as its client context.
  std::optional<WallTime> expires(std::string_view id) const;

  // The Sessions object calls the listener with the session's id after each touch(). Listeners are
  // never removed.
  using UseListener = std::function<void(std::string_view id)>;
  void on_use(UseListener listener) { on_use_.push_back(std::move(listener)); }
  // The Sessions object calls the listener after each change, with the session before and after the
  // change. Listeners are never removed.
  using ChangeListener = std::function<void(const SessionPtr& before, const SessionPtr& now)>;
  void on_change(ChangeListener listener) { on_change_.push_back(std::move(listener)); }
  // The Sessions object calls the listener after the end of each session, with the session's last
  // state. Listeners are never removed.
  using Listener = std::function<void(const SessionPtr&)>;
  void on_end(Listener listener) { on_end_.push_back(std::move(listener)); }

 private:
  struct Seat {
    SessionPtr session;
    WallTime used;
    bool stored = false;
    bool told = true;  // true: the store has the value of `used`
  };
  using Seats = std::map<std::string, Seat, std::less<>>;

  std::optional<Error> refusal(const std::string& principal) const;
  void seat(SessionPtr session, WallTime used, bool stored);
  void unseat(Seats::iterator at);
  void take_in(const store::SessionRecord& record);
  SessionPtr changed(const Session& session, std::uint64_t expected, Settings settings);
  void remove_stored(const std::string& id);

  using Versions = std::unordered_map<std::string, std::uint64_t>;
  struct News {
    std::set<std::string, std::less<>> there;  // ids of all stored sessions
    std::vector<store::SessionRecord> fresh;
  };
  static Result<News> news_of(store::Store& store, const Versions& known);
  void take_news(const Versions& known, const News& news);
  void take_change(const store::SessionRecord& record);
  // Returns the newest session if another process has changed it in the store before this process
  // could.
  awaitable<Result<Changed>> clashed(std::string id, std::uint64_t expected);

  void begin_to_follow();
  static awaitable<void> follow(std::shared_ptr<Sessions> self);
  awaitable<void> look();
  struct Idle {
    std::string id;
    WallTime used{};
  };
  boost::asio::awaitable<void> end_idle();
  boost::asio::awaitable<void> end_unused(WallTime since, std::vector<Idle> idle);
  void tell_uses();

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;  // null: there is no store
  const Clock& clock_;
  const Limits limits_;
  Seats seats_;
  // `counts_` contains the number of sessions by principal, without sessions of client contexts.
  std::unordered_map<std::string, std::size_t> counts_;
  std::size_t counted_ = 0;  // sum of `counts_`, plus the sessions that are being made
  TextPool texts_;
  std::vector<ChangeListener> on_change_;
  std::vector<Listener> on_end_;
  std::vector<UseListener> on_use_;
  boost::asio::steady_timer pause_;
  SteadyTime told_;
  bool following_ = false;
  // If `is_stale_` is true, another process has made a change that the host has not read yet. The
  // store reports each change only once.
  bool is_stale_ = false;
  bool stopping_ = false;
};

}  // namespace host::session
