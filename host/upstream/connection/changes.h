// Subscribes to the notifications of the upstream of one connection: changes of its lists, and
// changes of the resources to which clients are subscribed. In protocol version 2026-07-28, a
// request subscribes to changes of the lists or of up to 100 resources, and the upstream's response
// to this request ends the subscription. In older protocol versions, the upstream sends changes of
// lists without a request, and the host sends one request for each resource. The functions of
// Changes are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "protocol/server_answers.h"
#include "upstream/connection/requests.h"

namespace host::upstream {

class Changes {
 public:
  struct Line {
    std::function<RequestNumber(Request)> send;
    std::function<void(RequestNumber, std::string_view reason)> cancel;
    // `missed` is called after an interruption of the stream of notifications, because any list of
    // the upstream can have changed.
    std::function<void()> missed;
    // `refused` is called when the upstream refuses notifications about `count` resources, or about
    // its lists if `count` is 0. If the upstream refuses resources one by one, `refused` is called
    // only for the first refusal.
    std::function<void(std::size_t count, const std::string& why)> refused;
  };

  Changes(boost::asio::any_io_executor io, Line line) : line_(std::move(line)), pause_timer_(io) {}

  // Call begin() when the connection is ready.
  void begin(const protocol::ServerSelf& self);
  // Sets the resources to which the host subscribes at the upstream. The new set of resources
  // replaces the earlier one. follow() does nothing if the upstream does not support subscriptions.
  void follow(const std::set<std::string>& uris);
  bool follows(const std::string& uri) const { return followed_.contains(uri); }
  const std::set<std::string>& followed() const { return followed_; }
  // Returns true if the upstream reports changes of its lists in the response to an open
  // subscriptions/listen request.
  bool listens_to_lists() const;
  // Call forget_refused() if the upstream may now have resources for which it refused a
  // subscription earlier.
  void forget_refused();
  // Records that the upstream has acknowledged the request subscriptions/listen with this id.
  void acknowledged(const protocol::Id& request);
  void end() {
    self_.reset();
    pause_timer_.cancel();
  }

 private:
  using Uris = std::vector<std::string>;
  // A Listen is a request subscriptions/listen that the upstream has not answered.
  struct Listen {
    Uris uris;  // empty: the request is about the lists
    RequestNumber number = 0;
    SteadyTime since{};
    bool is_acknowledged = false;
    bool has_gap = false;  // changes may have been missed before it was acknowledged
    bool is_half = false;  // the resources are a half of resources that were refused together
    bool is_old = false;   // it ends when the requests that replace it are acknowledged
  };

  bool is_stateless() const;
  void listen(Uris uris);
  void listen_to_resources();
  void listen_in_portions(const Uris& uris);
  void listen_to_others();
  void end_listens(const std::function<bool(const Listen&)>& is_meant);
  void listen_ended(std::uint64_t key, const Answer& answer);
  void begin_again();
  Uris take_unsure();
  void listen_was_refused(Uris uris, const protocol::ForeignError& refusal);
  void search();
  void divide(Uris uris);
  void join();
  bool has_old_listens() const;
  void tell_next();
  std::optional<std::string> take_due();
  void tell_one(const std::string& uri, bool subscribes);
  void told(const std::string& uri, bool subscribes, const Answer& answer);
  void pause(std::function<void()> then);

  const Line line_;
  std::optional<protocol::ServerSelf> self_;  // unset: the connection is not ready
  std::set<std::string> followed_;
  // Before protocol version 2026-07-28, the host sends one request for each resource.
  std::set<std::string> due_;         // resources whose subscription may have to change
  std::deque<std::string> untold_;    // due resources whose request got no answer; oldest first
  std::set<std::string> telling_;     // resources about which a request is in flight
  std::set<std::string> subscribed_;  // resources that the host requested; some may be refused
  bool is_pausing_ = false;           // true: after a request that failed or got no answer
  // Since 2026-07-28.
  std::map<std::uint64_t, Listen> listens_;
  std::uint64_t last_listen_ = 0;
  std::vector<Uris> undivided_;    // each entry has resources that were refused together
  std::string why_refused_;        // the upstream's last reason
  std::set<std::string> refused_;  // resources that the upstream has refused alone
  Uris unsure_;                    // some of refused_, which the upstream may accept later
  bool has_told_refusal_ = false;
  bool has_gap_ = false;             // a subscription ended before those that replace it began
  std::size_t accepted_halves_ = 0;  // number of accepted Listens with is_half since join()
  std::size_t joins_ = 0;            // number of calls of join() since the resources changed
  std::vector<Uris> ended_;          // subscriptions that are made again after the pause
  bool ended_missed_ = false;        // one of ended_ may have missed changes
  std::chrono::milliseconds pause_{0};
  boost::asio::steady_timer pause_timer_;
};

}  // namespace host::upstream
