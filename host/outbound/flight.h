// A flight is one outgoing HTTP request through the gate (gate.h), from its first check to its last
// byte.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "outbound/curl_client.h"
#include "outbound/gate.h"

namespace host::outbound {

class Flight : public std::enable_shared_from_this<Flight> {
 public:
  Flight(const boost::asio::any_io_executor& io, Request asked)
      : request(std::move(asked)), lookup(io), clock(io) {}
  virtual ~Flight() = default;

  // Returns the receiver of the body, or null if the body is returned at the end.
  virtual std::shared_ptr<const Pieces> pieces() { return nullptr; }

  // Starts the time limits of the request.
  virtual void start_clock(const Settings& settings);

  void give_up(Error why);
  void hop_began(const std::shared_ptr<CurlClient>& client, std::uint64_t id);
  void hop_ended();

  Request request;
  boost::asio::steady_timer lookup;  // cancelled when the look-up of the addresses ends
  boost::asio::steady_timer clock;
  std::optional<Error> given_up;
  const std::shared_ptr<bool> sent = std::make_shared<bool>(false);  // see Hop

 protected:
  std::weak_ptr<CurlClient> client_;  // empty: no exchange is in progress
  std::uint64_t hop_ = 0;
  bool held_ = false;
};

}  // namespace host::outbound
