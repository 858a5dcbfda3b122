// Manages the requests of one connection that are in flight. The key of a request is its id, which
// the host assigns. Each request in flight gets at most one response. The connection counts and
// drops malformed responses, responses with an unknown id, and second responses. The functions of
// Requests are called on the I/O thread.
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
#include <vector>

#include "base/clock.h"
#include "upstream/connection/request.h"

namespace host::upstream {

using RequestNumber = std::uint64_t;

class Requests {
 public:
  // The number of the first request is `last` + 1.
  explicit Requests(boost::asio::any_io_executor io, RequestNumber last = 0)
      : io_(std::move(io)), last_(last) {}

  // `on_timeout` is called when the request's timeout has passed. After its timeout, the request
  // stays in flight.
  RequestNumber add(Request&& request, std::function<void(RequestNumber)> on_timeout);

  // Removes a request and returns it. Returns nullptr if no request has this id.
  std::unique_ptr<Request> take(const protocol::Id& id);
  std::unique_ptr<Request> take(RequestNumber number);
  // Removes and returns an unanswered request. only_asking() still counts this request for a short
  // time.
  std::unique_ptr<Request> give_up(RequestNumber number);
  // Records that nobody waits for the request's response any more. A request that nobody waits for
  // stays in flight.
  void forsake(RequestNumber number);

  // Finds a request in flight, or an answered request whose task is followed.
  Request* find(const protocol::Id& id);
  Request* find(RequestNumber number);
  // Returns the only request in flight that has this method. A task that is followed counts like a
  // request in flight. Returns null if no request in flight, or more than one, has this method. The
  // function only() also returns null if a request of another log_reader ended so recently that a
  // message can still belong to it.
  Request* only(std::string_view method);
  // Finds the request to which a question of the upstream belongs, if the question names no
  // request. The function only_asking() returns the newest request in flight that has on_question.
  // Tasks that are followed count like requests in flight, but requests in flight have priority
  // over tasks. If no request has on_question, only_asking() returns the request of a client that
  // cannot be asked, or null if no client is known. If requests of several clients have
  // on_question, only_asking() returns null and sets `why`. A request with on_question
  // still counts for a short time after it was given up, because the upstream can still work on it.
  Request* only_asking(std::string& why);
  // Follows a task: the functions of `listener` get the upstream's messages about the task.
  // `listener.method` must be the method of the request that began the task. `began` is the number
  // of the request that began the task. The upstream can still send progress for the request
  // `began`, also on a later connection. Call follow() once for each task. Call unfollow() when the
  // task has ended, and give_up_task() if the upstream can still work on the task.
  void follow(const std::string& task, RequestNumber began, Request listener);
  void unfollow(const std::string& task);
  void give_up_task(const std::string& task);
  Request* find_task(std::string_view task);
  // Removes a question of the upstream that is answered now. Returns the id of the request in
  // flight during which the upstream asked the question. The returned id is empty if there is no
  // such request, or if a task asked.
  protocol::Id settle_question(const protocol::Id& question);
  RequestNumber last() const { return last_; }
  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }

  // Removes the requests without outlives_session, and the tasks that are followed. Returns the ids
  // of the removed requests.
  std::vector<protocol::Id> drop_requests_of_session();
  // Removes all requests and returns them, the oldest first.
  std::map<RequestNumber, std::unique_ptr<Request>> take_all();

 private:
  struct Open {
    std::unique_ptr<Request> request;
    std::unique_ptr<boost::asio::steady_timer> timer;  // null: no timeout
  };

  struct Followed {
    RequestNumber began = 0;
    std::unique_ptr<Request> listener;
  };

  static std::optional<RequestNumber> number_of(const protocol::Id& id);
  void remember(const Request& given_up);
  void note_end(const Request& ended);

  const boost::asio::any_io_executor io_;
  std::map<RequestNumber, Open> open_;
  std::map<std::string, Followed, std::less<>> tasks_;  // the key is the task's id
  RequestNumber last_;
  struct GivenUp {
    SteadyTime at;
    std::string client;
  };
  std::deque<GivenUp> given_up_;  // requests that had on_question; the oldest is first
  // The struct Ends records when the last requests of one method ended.
  struct Ends {
    std::string log_reader;
    SteadyTime at{};        // the last end of a request of `log_reader`
    SteadyTime other_at{};  // the last end of any other request
  };
  std::map<std::string, Ends, std::less<>> ends_;  // keys: methods; the map stays small
};

}  // namespace host::upstream
