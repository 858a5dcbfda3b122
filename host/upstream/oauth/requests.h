// Sends requests to authorization servers through the outbound gate. The gate allows https requests
// to public addresses, and requests to the origins in `outbound.loopback`. No request follows a
// redirect. A request fails after 10 s, or if the response has more than 512 KiB.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "outbound/gate.h"
#include "upstream/oauth/form.h"

namespace host::upstream::oauth {

// The functions of Requests are called on the I/O thread.
class Requests {
 public:
  explicit Requests(std::shared_ptr<outbound::Gate> gate) : gate_(std::move(gate)) {}

  boost::asio::awaitable<Result<outbound::Response>> get(std::string url) const;
  boost::asio::awaitable<Result<outbound::Response>> post_form(std::string url, Form form,
                                                               outbound::Headers headers) const;
  boost::asio::awaitable<Result<outbound::Response>> post_json(std::string url, std::string body,
                                                               outbound::Headers headers) const;
  // Ends the requests that are in progress. Requests that are sent after stop() fail immediately.
  void stop() { cancel_->request(); }

 private:
  boost::asio::awaitable<Result<outbound::Response>> send(outbound::Request request) const;

  const std::shared_ptr<outbound::Gate> gate_;
  const std::shared_ptr<Cancel> cancel_ = std::make_shared<Cancel>();
};

}  // namespace host::upstream::oauth
