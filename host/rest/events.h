// What tells the page, and whoever else asks, that something of the host has changed: a stream of
// {"changed":[...]}. What it is now is asked for then. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "identity/scopes.h"
#include "transport/http.h"

namespace host::rest {

class Events : public std::enable_shared_from_this<Events> {
 public:
  static constexpr std::size_t kMostStreams = 256;

  explicit Events(boost::asio::any_io_executor io) : io_(std::move(io)) {}

  // False: there are too many already. `holds` lives as long as the stream.
  bool open(transport::HttpExchange& exchange, identity::Principal principal,
            std::shared_ptr<const void> holds);
  // Ends its streams: who may still follow comes again.
  void close_of(std::string_view principal);
  // `what` as in the answer's list: "approvals". Told at the end of the loop's turn, once, to who
  // may ask what it is now.
  void changed(const std::string& what, identity::Scope needed = identity::Scope::Approve);
  // The host stops.
  void close();

 private:
  struct Open {
    identity::Principal principal;
    std::shared_ptr<transport::EventStream> stream;
    std::shared_ptr<const void> holds;
  };
  void tell();

  const boost::asio::any_io_executor io_;
  std::map<std::size_t, Open> streams_;
  std::size_t last_ = 0;
  std::map<std::string, identity::Scope> news_;
};

}  // namespace host::rest
