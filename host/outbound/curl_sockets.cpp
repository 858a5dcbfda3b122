#include "outbound/curl_sockets.h"

#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace host::outbound {
namespace asio = boost::asio;

// A socket of curl's that the loop watches. curl owns it.
struct CurlSockets::Watch {
  Watch(const asio::any_io_executor& io, int socket) : descriptor(io, socket), fd(socket) {}
  asio::posix::stream_descriptor descriptor;
  const int fd;
  int wanted = 0;  // CURL_POLL_...
  bool reading = false;
  bool writing = false;
  bool gone = false;
};

void CurlSockets::want(curl_socket_t socket, int what) {
  if (what == CURL_POLL_REMOVE) return rest(socket);
  auto& watch = watches_[socket];
  if (!watch) watch = std::make_shared<Watch>(io_, socket);
  watch->wanted = what;
  arm(watch);
}

// The connection stays for the next request, and so its watch. But nothing waits for it: a wait
// would keep the event loop of a host that stops from ending.
void CurlSockets::rest(curl_socket_t socket) {
  const auto at = watches_.find(socket);
  if (at == watches_.end()) return;
  at->second->wanted = 0;
  if (at->second->reading || at->second->writing) at->second->descriptor.cancel();
}

void CurlSockets::wake_in(long wait_ms) {
  timer_.cancel();
  is_due_ = wait_ms == 0;
  if (wait_ms < 0) return;
  if (is_due_) {  // needs no timer of the system
    asio::post(io_, [weak = weak_from_this()] {
      const auto there = weak.lock();
      if (there && there->act_ && std::exchange(there->is_due_, false))
        there->act_(CURL_SOCKET_TIMEOUT, 0);
    });
    return;
  }
  timer_.expires_after(std::chrono::milliseconds(wait_ms));
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto there = weak.lock();
    if (there && there->act_ && !error) there->act_(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlSockets::close() {
  act_ = nullptr;
  timer_.cancel();
  while (!watches_.empty()) forget(watches_.begin()->first);
}

void CurlSockets::forget(curl_socket_t socket) {
  const auto at = watches_.find(socket);
  if (at == watches_.end()) return;
  at->second->gone = true;
  at->second->descriptor.release();  // the socket is curl's
  watches_.erase(at);
}

void CurlSockets::arm(const std::shared_ptr<Watch>& watch) {
  using Descriptor = asio::posix::stream_descriptor;
  if ((watch->wanted & CURL_POLL_IN) && !watch->reading) {
    watch->reading = true;
    watch->descriptor.async_wait(Descriptor::wait_read,
                                 waited(watch, &Watch::reading, CURL_CSELECT_IN));
  }
  if ((watch->wanted & CURL_POLL_OUT) && !watch->writing) {
    watch->writing = true;
    watch->descriptor.async_wait(Descriptor::wait_write,
                                 waited(watch, &Watch::writing, CURL_CSELECT_OUT));
  }
}

std::function<void(boost::system::error_code)> CurlSockets::waited(std::shared_ptr<Watch> watch,
                                                                   bool Watch::*flag, int event) {
  return [weak = weak_from_this(), watch, flag, event](boost::system::error_code error) {
    (*watch).*flag = false;
    const auto there = weak.lock();
    const bool cancelled = error == asio::error::operation_aborted;  // see rest()
    if (!there || !there->act_ || watch->gone || (error && !cancelled)) return;
    const int wanted = event == CURL_CSELECT_IN ? CURL_POLL_IN : CURL_POLL_OUT;
    if (!error && (watch->wanted & wanted)) there->act_(watch->fd, event);
    if (!watch->gone) there->arm(watch);
  };
}

}  // namespace host::outbound
