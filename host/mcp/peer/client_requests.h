// Sends the host's requests to one client whose protocol version has sessions, and finds the
// request for each answer by its id. Each connection or session has its own ClientRequests, so that
// a client cannot answer a request that was sent to a different client.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/result.h"
#include "json/json.h"
#include "mcp/peer/outlet.h"
#include "mcp/peer/url_questions.h"
#include "protocol/json_rpc.h"

namespace host::mcp {

class ClientRequests {
 public:
  // `tell` sends the client a message that belongs to no request. `tell` can be null.
  explicit ClientRequests(boost::asio::any_io_executor executor, UrlQuestions::Tell tell = nullptr)
      : executor_(std::move(executor)), url_questions_(std::move(tell)) {}

  // Sends one request and returns the client's `result`. The Error Cancelled means that the
  // cancellation was requested, or that the client disconnected. The Error DeadlineExceeded means
  // that no answer arrived in time. The Error InvalidArgument means that the client answered with
  // an error, whose text is in the Error.
  boost::asio::awaitable<Result<json::Document>> ask(Outlet& outlet, std::string_view method,
                                                     std::string_view params, Cancel& cancel,
                                                     std::chrono::milliseconds timeout);

  // Takes an answer of the client. Returns false, and drops the answer, if no request waits for the
  // answer.
  bool on_response(const protocol::Message& response);
  // Ends all waits for the client's answers, because no further answer will arrive.
  void close();

  UrlQuestions& url_questions() { return url_questions_; }

 private:
  struct Pending;
  class Waiting;

  boost::asio::any_io_executor executor_;
  std::map<protocol::Id, Pending*> pending_;
  std::uint64_t last_id_ = 0;
  bool closed_ = false;
  UrlQuestions url_questions_;
};

}  // namespace host::mcp
