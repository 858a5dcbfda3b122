// Requests of the host to one client of the legacy era: sent, awaited, matched by id. Each
// connection or session has its own object, so that a client cannot answer a request to a different
// client.
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
#include "protocol/json_rpc.h"

namespace host::mcp {

class ClientRequests {
 public:
  explicit ClientRequests(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // The client's `result`. Cancelled: the cancellation was requested, or the client disconnected.
  // DeadlineExceeded: there was no answer in time. InvalidArgument: the client answered with an
  // error; the Error has its text.
  boost::asio::awaitable<Result<json::Document>> ask(Outlet& outlet, std::string_view method,
                                                     std::string_view params, Cancel& cancel,
                                                     std::chrono::milliseconds timeout);

  // An answer arrived. False: no request waits for it, so it is dropped.
  bool on_response(const protocol::Message& response);
  // No further answer will arrive. Ends all waits.
  void close();

 private:
  struct Pending;
  class Waiting;

  boost::asio::any_io_executor executor_;
  std::map<protocol::Id, Pending*> pending_;
  std::uint64_t last_id_ = 0;
  bool closed_ = false;
};

}  // namespace host::mcp
