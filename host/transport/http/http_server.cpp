#include "transport/http/http_server.h"

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "transport/http/http_connection.h"
#include "transport/http/http_context.h"
#include "transport/listener.h"
#include "transport/unix_socket.h"

namespace host::transport {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr milliseconds kWatchAfter{20};    // a handler that takes longer has its peer watched
constexpr milliseconds kAcceptPause{100};  // after accept() failed for want of descriptors
constexpr int kAcceptsAtOnce = 64;         // then others have their turn

// Fine enough that a timeout is late by a quarter at most, and never busier than that needs.
milliseconds sweep_interval(const HttpOptions& options) {
  const milliseconds shortest =
      std::min({options.header_timeout, options.body_timeout, options.keep_alive,
                options.write_timeout, options.stream_comment, options.request_timeout});
  return std::clamp(shortest / 4, milliseconds(5), milliseconds(1000));
}

std::unique_ptr<UnixSocketFile> file_at(const Endpoint& endpoint) {
  const auto path = unix_path_in(endpoint.address);
  return path ? file_of(*path) : nullptr;
}

}  // namespace

// Waits under way hold it weakly, so that nothing runs once the server is gone.
class HttpServer::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(asio::io_context& io, HttpHandler& handler, HttpOptions options, UniqueFd fd)
      : endpoint_(bound_to(fd.get())),
        context_(std::make_shared<HttpContext>(io, handler, std::move(options))),
        interval_(sweep_interval(context_->options)),
        listener_(io, fd.release()),
        file_(file_at(endpoint_)),
        sweep_timer_(io),
        watch_timer_(io),
        pause_timer_(io),
        grace_timer_(io) {}

  void start() {
    context_->watch_later = [this](std::shared_ptr<HttpConnection> connection) {
      waiting_.push_back(std::move(connection));
      if (waiting_.size() == 1) after(watch_timer_, kWatchAfter, &Core::watch_waiting);
    };
    context_->on_closed = [this] { tell_if_stopped(); };
    wait();
  }

  void close() {
    for (asio::steady_timer* timer : {&sweep_timer_, &watch_timer_, &pause_timer_, &grace_timer_})
      timer->cancel();
    context_->on_closed = nullptr;
    context_->watch_later = [](const auto&) {};
    boost::system::error_code ignored;
    listener_.close(ignored);
    file_.reset();
    waiting_.clear();
    context_->turns->clear();
    for (const auto& connection : context_->connections.all()) connection->close();
  }

  void stop(milliseconds grace, std::function<void()> done) {
    context_->stopping = true;
    done_ = std::move(done);
    for (const auto& connection : context_->connections.all()) connection->drain();
    after(grace_timer_, grace, &Core::close_rest);
    asio::post(context_->io, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->tell_if_stopped();
    });
  }

  void limit_grace(milliseconds grace) {
    if (done_) after(grace_timer_, grace, &Core::close_rest);
  }

  const Endpoint& endpoint() const { return endpoint_; }
  std::size_t connections() const { return context_->connections.size(); }
  std::uint64_t body_bytes() const { return context_->connections.bytes(); }

 private:
  void wait() {
    listener_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [weak = weak_from_this()](const boost::system::error_code& error) {
                           const auto self = weak.lock();
                           if (self && !error) self->accept();
                         });
  }

  void accept() {
    context_->refresh_clock();  // no sweep keeps it while nobody is connected
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
      int error = 0;
      auto accepted = accept_one(listener_.native_handle(), error);
      if (accepted) {
        // Where the next one would take its place it has a turn first, in which its head can come.
        const auto entered = serve(std::move(*accepted));
        if (entered == ConnectionTable::Entered::Full ||
            entered == ConnectionTable::Entered::KeptBack)
          break;
      } else if (error == EACCES) {  // another user, by a Unix socket
        if (context_->options.on_refusal) context_->options.on_refusal("server.listen");
      } else if (error == ECONNABORTED || error == EINTR) {
        continue;
      } else if (error != 0) {
        return pause(error);
      } else {
        break;
      }
    }
    wait();
  }

  // Out of descriptors or memory: an idle connection gives its own back.
  void pause(int error) {
    log::warning("transport", "cannot accept a connection", {{"why", std::strerror(error)}});
    context_->connections.close_oldest_idle();
    after(pause_timer_, kAcceptPause, &Core::wait);
  }

  ConnectionTable::Entered serve(Accepted accepted) {
    HttpConnection::Socket socket(context_->io.get_executor());
    boost::system::error_code error;
    socket.assign({accepted.family, 0}, accepted.fd.get(), error);
    if (error) return ConnectionTable::Entered::No;
    accepted.fd.release();
    socket.non_blocking(true, error);
    const auto connection =
        std::make_shared<HttpConnection>(context_, std::move(socket), std::move(accepted.address));
    const auto entered = context_->connections.enter(connection);
    if (entered == ConnectionTable::Entered::No) return entered;  // which closes it
    connection->start();
    if (!std::exchange(sweeping_, true)) after(sweep_timer_, interval_, &Core::sweep);
    return entered;
  }

  void sweep() {
    context_->refresh_clock();
    for (const auto& connection : context_->connections.all()) connection->sweep();
    sweeping_ = context_->connections.size() > 0;
    if (sweeping_) after(sweep_timer_, interval_, &Core::sweep);
  }

  void watch_waiting() {
    for (const auto& connection : std::exchange(waiting_, {})) connection->watch_if_waiting();
  }

  void close_rest() {
    for (const auto& connection : context_->connections.all()) connection->close();
    tell_if_stopped();
  }

  void tell_if_stopped() {
    if (!context_->stopping || context_->awaited > 0 || !done_) return;
    grace_timer_.cancel();
    asio::post(context_->io, std::exchange(done_, nullptr));
  }

  void after(asio::steady_timer& timer, milliseconds time, void (Core::*then)()) {
    timer.expires_after(time);
    timer.async_wait([weak = weak_from_this(), then](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (self && !error) (*self.*then)();
    });
  }

  const Endpoint endpoint_;
  const std::shared_ptr<HttpContext> context_;
  const milliseconds interval_;
  asio::posix::stream_descriptor listener_;
  std::unique_ptr<UnixSocketFile> file_;  // null: it is no Unix socket, or is closed
  asio::steady_timer sweep_timer_;
  asio::steady_timer watch_timer_;
  asio::steady_timer pause_timer_;
  asio::steady_timer grace_timer_;
  bool sweeping_ = false;
  std::vector<std::shared_ptr<HttpConnection>> waiting_;
  std::function<void()> done_;
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::io_context& io, HttpHandler& handler,
                                                       HttpOptions options) {
  HOST_TRY_ASSIGN(UniqueFd fd, listen_on(options.listen));
  auto core = std::make_shared<Core>(io, handler, std::move(options), std::move(fd));
  core->start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

HttpServer::HttpServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() {
  core_->close();
}

std::string HttpServer::address() const {
  return to_string(core_->endpoint());
}
std::uint16_t HttpServer::port() const {
  return core_->endpoint().port;
}
std::size_t HttpServer::connections() const {
  return core_->connections();
}
std::uint64_t HttpServer::body_bytes() const {
  return core_->body_bytes();
}
void HttpServer::stop(milliseconds grace, std::function<void()> done) {
  core_->stop(grace, std::move(done));
}
void HttpServer::close() {
  core_->close();
}
void HttpServer::limit_grace(milliseconds grace) {
  core_->limit_grace(grace);
}

}  // namespace host::transport
