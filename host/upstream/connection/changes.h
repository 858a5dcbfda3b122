// What the upstream of one connection notifies about: changes of its lists, and of the resources
// that are followed. Since 2026-07-28 a client subscribes to both with one request, whose answer is
// the end. Before, lists are notified about without being asked, and each resource has a request of
// its own. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "protocol/server_answers.h"
#include "upstream/connection/requests.h"

namespace host::upstream {

class Changes {
 public:
  struct Line {
    std::function<RequestNumber(Request)> send;
    std::function<void(RequestNumber, std::string_view reason)> cancel;
    // The stream of changes was away for a time: any list may have changed.
    std::function<void()> missed;
  };

  Changes(boost::asio::any_io_executor io, Line line) : line_(std::move(line)), pause_timer_(io) {}

  // The connection is ready.
  void begin(const protocol::ServerSelf& self);
  // From now on these resources are followed, and no others. Ignored if the upstream cannot tell.
  void follow(const std::set<std::string>& uris);
  bool follows(const std::string& uri) const { return followed_.contains(uri); }
  void end() {
    self_.reset();
    pause_timer_.cancel();
  }

 private:
  bool is_stateless() const;
  void listen();
  void listen_again(const Answer& answer);
  void tell_one(const char* method, const std::string& uri);

  const Line line_;
  std::optional<protocol::ServerSelf> self_;  // unset: not ready yet
  std::set<std::string> followed_;
  std::optional<RequestNumber> listening_;
  SteadyTime listens_since_{};
  std::chrono::milliseconds pause_{0};
  boost::asio::steady_timer pause_timer_;
};

}  // namespace host::upstream
