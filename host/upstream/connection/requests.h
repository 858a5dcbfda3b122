// The requests in flight of one connection, by their ids, which the host assigns. Each request gets
// one answer. Answers that are malformed, have an unknown id, or are the second ones are counted
// and dropped. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "upstream/connection/request.h"

namespace host::upstream {

using RequestNumber = std::uint64_t;

class Requests {
 public:
  explicit Requests(boost::asio::any_io_executor io) : io_(std::move(io)) {}

  // `on_timeout` is called when the request's timeout passes. The request is then still in flight.
  RequestNumber add(Request request, std::function<void(RequestNumber)> on_timeout);

  // Takes a request out. nullptr: there is none with this id.
  std::unique_ptr<Request> take(const protocol::Id& id);
  std::unique_ptr<Request> take(RequestNumber number);
  // The same, before it was answered.
  std::unique_ptr<Request> give_up(RequestNumber number);

  Request* find(const protocol::Id& id);
  // The only request in flight with this method. null: there are none or several, or an earlier one
  // ended so recently that a message may still belong to it.
  Request* only(std::string_view method);
  // The request whose client is meant by a question that names none: the only one in flight with
  // on_question, or the newest if all are of one client. Null: `why` says why there is none. A
  // request that was given up counts for a while, because the upstream may still work on it.
  Request* only_asking(std::string& why);
  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }

  // Takes all requests out, oldest first.
  std::map<RequestNumber, std::unique_ptr<Request>> take_all();

 private:
  struct Open {
    std::unique_ptr<Request> request;
    std::unique_ptr<boost::asio::steady_timer> timer;  // null: no timeout
  };

  static std::optional<RequestNumber> number_of(const protocol::Id& id);

  const boost::asio::any_io_executor io_;
  std::map<RequestNumber, Open> open_;
  RequestNumber last_ = 0;
  struct GivenUp {
    SteadyTime at;
    std::string client;
  };
  std::deque<GivenUp> given_up_;  // requests with on_question, the oldest first
  // When the last request of each method was taken out. There are few methods.
  std::map<std::string, SteadyTime, std::less<>> ends_;
};

}  // namespace host::upstream
