// Notifies the console and other clients of changes, with a stream of {"changed":[...]}. After each
// event, the client requests the new state. The functions of this header are called on the I/O
// thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "identity/scopes.h"
#include "transport/http/http.h"

namespace host::rest {

class Events : public std::enable_shared_from_this<Events> {
 public:
  static constexpr std::size_t kMostStreams = 1024;
  static constexpr std::chrono::milliseconds kEvery{250};

  explicit Events(const boost::asio::any_io_executor& io) : io_(io), pause_(io) {}

  // When a limit prevents a new stream, `on_refusal` is called with the limit's key in config.toml.
  using OnRefusal = std::function<void(std::string_view limit)>;
  void limit(std::size_t per_principal, OnRefusal on_refusal);

  // Opens a stream of notifications. If the result is TooManyOfPrincipal or TooMany, the caller
  // must still answer the HTTP request. The stream keeps `holds`, an object that must exist until
  // the stream ends. `admitted` returns true while the client may read the stream.
  enum class Opened { Yes, TooManyOfPrincipal, TooMany };
  Opened open(transport::HttpExchange& exchange, identity::Principal principal,
              std::shared_ptr<const void> holds, std::function<bool()> admitted);
  // Opens a stream on which only the caller of open_own() sends events. If the result is Yes, the
  // function sets `stream` to the new stream.
  Opened open_own(transport::HttpExchange& exchange, identity::Principal principal,
                  std::shared_ptr<const void> holds, std::function<bool()> admitted,
                  std::shared_ptr<transport::EventStream>& stream);
  void close(const std::shared_ptr<transport::EventStream>& stream);
  // Closes the streams that were opened with a key or login that is no longer valid.
  void close_ended();
  // Notifies clients that a list has changed. `what` names the list, such as "approvals". Only
  // clients with the scope `needed` get the notification. The first change is reported in the next
  // iteration of the event loop. Between two reports, at least the interval kEvery passes, because
  // clients request the new state after each report.
  void changed(const std::string& what, identity::Scope needed = identity::Scope::Approve);
  // Closes all streams, because the host stops.
  void close();

 private:
  struct Open {
    identity::Principal principal;
    std::shared_ptr<transport::EventStream> stream;
    std::shared_ptr<const void> holds;
    std::function<bool()> admitted;
    bool hears_changes = true;
  };
  Opened put(transport::HttpExchange& exchange, Open open);
  void tell();
  void rest();

  const boost::asio::any_io_executor io_;
  std::map<std::size_t, Open> streams_;
  std::size_t last_ = 0;
  std::size_t most_per_principal_ = 32;
  OnRefusal on_refusal_;
  std::map<std::string, identity::Scope> news_;
  bool will_tell_ = false;  // true: tell() will run, or the pause is not over
  boost::asio::steady_timer pause_;
};

// Answers the HTTP request with 429 (TooManyOfPrincipal) or 503 (TooMany).
void answer_too_many_streams(transport::HttpExchange& exchange, Events::Opened opened);

}  // namespace host::rest
