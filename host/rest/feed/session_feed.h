// Sends the event streams of sessions. A client can send the number of the last event that it
// received. The event stream first sends the stored changes that follow the client's last event.
// After the stored changes, the event stream sends each new change as soon as the change is stored.
// The event stream also sends progress and log lines of running calls. If the client reads slowly,
// stored changes wait in the store, and the stream drops progress and log lines. The functions of
// this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "rest/route/events.h"
#include "router/live/live_news.h"
#include "store/desk.h"
#include "task/records.h"
#include "tool/call/record.h"
#include "transport/http/http.h"

namespace host::rest {

class SessionFeed final : public router::LiveNews::Listener,
                          public std::enable_shared_from_this<SessionFeed> {
 public:
  struct Parts {
    boost::asio::any_io_executor io;
    std::shared_ptr<Events> events;
    // `desk` is null if there is no store. Without a store, a stream cannot send earlier events
    // again.
    std::shared_ptr<store::Desk> desk;
    task::Records& records;
  };
  explicit SessionFeed(Parts parts) : parts_(std::move(parts)) {}

  // Opens a stream that begins after the event with the number `last`. If the result is not
  // Opened::Yes, the caller must still answer the HTTP request.
  Events::Opened open(transport::HttpExchange& exchange, identity::Principal principal,
                      std::function<bool()> admitted, std::string session, std::uint64_t last);

  // Call changed() when a change was stored.
  void changed(const tool::Transition& transition);
  // Ends the streams of a session that has ended.
  void ended(const std::string& session);

  bool follows(std::string_view session) const override;
  void progress(const tool::Call& call, double done, double total,
                std::string_view message) override;
  void log(const tool::Call& call, int level, std::string_view logger, std::string_view message,
           std::size_t left_out) override;

 private:
  // A Follower is one open event stream of a session. The object `events` keeps a shared_ptr to the
  // Follower until the stream ends.
  struct Follower {
    std::string session;
    std::uint64_t last = 0;  // the number of the last change that was sent
    std::shared_ptr<transport::EventStream> stream;
    bool reading = false;  // true: a read of the store is in progress
    bool behind = true;    // true: the store may have changes that were not sent
  };
  using FollowerPtr = std::shared_ptr<Follower>;

  void read_on(const FollowerPtr& follower);
  static boost::asio::awaitable<void> read(std::shared_ptr<SessionFeed> self, FollowerPtr follower);
  void continue_when_taken(const FollowerPtr& follower);
  void send_live(std::string_view session, const std::string& event);

  const Parts parts_;
  std::multimap<std::string, std::weak_ptr<Follower>, std::less<>> followers_;  // keys: session ids
};

}  // namespace host::rest
