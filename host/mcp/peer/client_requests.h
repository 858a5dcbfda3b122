// Requests that the host makes to one client, of the legacy era: sent, awaited, matched by id. One
// for each connection or session, so that no other peer's answer can be taken for this one's.
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

  // The client's `result`. Cancelled where the wish came or the client went; DeadlineExceeded;
  // InvalidArgument with the client's words where it answered with an error.
  boost::asio::awaitable<Result<json::Document>> ask(Outlet& outlet, std::string_view method,
                                                     std::string_view params, Cancel& cancel,
                                                     std::chrono::milliseconds timeout);

  // An answer came. False where nobody waits for it: it is dropped.
  bool on_response(const protocol::Message& response);
  // No answer will come any more.
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
