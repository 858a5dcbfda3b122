// The event streams of sessions. A stream first sends the stored changes after its client's last
// event, then each change as it is stored. In between it sends progress and log lines of running
// calls. It queues only a small part of its connection's limit. Beyond that, stored changes wait in
// the store, and progress and log lines are dropped. I/O thread only.
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
    std::shared_ptr<store::Desk> desk;  // null: there is no store, so no event is repeated
    task::Records& records;
  };
  explicit SessionFeed(Parts parts) : parts_(std::move(parts)) {}

  // Opens a stream that begins after the event `last`. If the result is not Yes, no answer was
  // sent.
  Events::Opened open(transport::HttpExchange& exchange, identity::Principal principal,
                      std::function<bool()> admitted, std::string session, std::uint64_t last);

  // A change was stored.
  void changed(const tool::Transition& transition);
  // The session has ended. Ends its streams.
  void ended(const std::string& session);

  bool follows(std::string_view session) const override;
  void progress(const tool::Call& call, double done, double total,
                std::string_view message) override;
  void log(const tool::Call& call, int level, std::string_view logger, std::string_view message,
           std::size_t left_out) override;

 private:
  // One open stream. Events keeps a shared_ptr to it until the stream ends.
  struct Follower {
    std::string session;
    std::uint64_t last = 0;  // the number of the last change that was sent
    std::shared_ptr<transport::EventStream> stream;
    bool reading = false;  // from the store
    bool behind = true;    // the store may have changes that were not sent
  };
  using FollowerPtr = std::shared_ptr<Follower>;

  void read_on(const FollowerPtr& follower);
  static boost::asio::awaitable<void> read(std::shared_ptr<SessionFeed> self, FollowerPtr follower);
  void continue_when_taken(const FollowerPtr& follower);
  void send_live(std::string_view session, const std::string& event);

  const Parts parts_;
  std::multimap<std::string, std::weak_ptr<Follower>, std::less<>> followers_;  // by session
};

}  // namespace host::rest
