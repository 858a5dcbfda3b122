// Lets the event loop of the I/O thread watch the sockets and the timer of libcurl, so that no
// stream needs a thread.
#pragma once

#include <curl/curl.h>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>

namespace host::outbound {

// The functions of CurlSockets are called on the I/O thread.
class CurlSockets : public std::enable_shared_from_this<CurlSockets> {
 public:
  // The event loop calls Act when a socket is ready (CURL_CSELECT_...) or the time has passed
  // (CURL_SOCKET_TIMEOUT).
  using Act = std::function<void(curl_socket_t socket, int events)>;

  CurlSockets(boost::asio::any_io_executor io, Act act)
      : io_(std::move(io)), act_(std::move(act)), timer_(io_) {}

  void want(curl_socket_t socket, int what);  // `what` is CURL_POLL_...
  void forget(curl_socket_t socket);          // call it before libcurl closes the socket
  void wake_in(long wait_ms);                 // if `wait_ms` is less than 0: never
  void close();                               // afterwards, `act` is not called

 private:
  struct Watch;

  void rest(curl_socket_t socket);
  void arm(const std::shared_ptr<Watch>& watch);
  std::function<void(boost::system::error_code)> waited(std::shared_ptr<Watch> watch,
                                                        bool Watch::*flag, int event);

  const boost::asio::any_io_executor io_;
  Act act_;
  boost::asio::steady_timer timer_;
  bool is_due_ = false;  // libcurl must be called in the next iteration of the event loop
  std::map<curl_socket_t, std::shared_ptr<Watch>> watches_;
};

}  // namespace host::outbound
