#include "transport/http_server.h"

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "transport/http_connection.h"
#include "transport/http_context.h"
#include "transport/listener.h"

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
                options.write_timeout, options.stream_comment});
  return std::clamp(shortest / 4, milliseconds(5), milliseconds(1000));
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

  void shut_down() {
    context_->on_closed = nullptr;
    context_->watch_later = [](const auto&) {};
    boost::system::error_code ignored;
    listener_.close(ignored);
    waiting_.clear();
    for (const auto& connection : context_->connections.all()) connection->close();
  }

  void stop(milliseconds grace, std::function<void()> done) {
    context_->stopping = true;
    done_ = std::move(done);
    boost::system::error_code ignored;
    listener_.close(ignored);
    for (const auto& connection : context_->connections.all()) connection->drain();
    after(grace_timer_, grace, &Core::close_rest);
    asio::post(context_->io, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->tell_if_stopped();
    });
  }

  const Endpoint& endpoint() const { return endpoint_; }
  std::size_t connections() const { return context_->connections.size(); }

 private:
  void wait() {
    listener_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [weak = weak_from_this()](const boost::system::error_code& error) {
                           const auto self = weak.lock();
                           if (self && !error && !self->context_->stopping) self->accept();
                         });
  }

  void accept() {
    context_->refresh_clock();  // no sweep keeps it while nobody is connected
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
      int error = 0;
      auto accepted = accept_one(listener_.native_handle(), error);
      if (accepted) {
        serve(std::move(*accepted));
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
    if (const auto oldest = context_->connections.oldest_idle()) oldest->close();
    after(pause_timer_, kAcceptPause, &Core::wait);
  }

  void serve(Accepted accepted) {
    if (!make_room(accepted.address)) return;  // all are at work: the new one is closed
    using Protocol = asio::ip::tcp;
    HttpConnection::Socket socket(context_->io.get_executor());
    boost::system::error_code error;
    socket.assign(accepted.is_v6 ? Protocol::v6() : Protocol::v4(), accepted.fd.get(), error);
    if (error) return;
    accepted.fd.release();
    socket.non_blocking(true, error);
    auto connection =
        std::make_shared<HttpConnection>(context_, std::move(socket), std::move(accepted.address));
    context_->connections.add(connection);
    connection->start();
    if (!std::exchange(sweeping_, true)) after(sweep_timer_, interval_, &Core::sweep);
  }

  // A new client always gets in where somebody is idle.
  bool make_room(const std::string& address) {
    ConnectionTable& table = context_->connections;
    std::shared_ptr<HttpConnection> leaves;
    if (table.of_address(address) >= context_->options.connections_per_address) {
      leaves = table.oldest_idle(address);
    } else if (table.size() >= context_->options.connections) {
      leaves = table.oldest_idle();
    } else {
      return true;
    }
    if (leaves) leaves->close();
    return leaves != nullptr;
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
    if (!context_->stopping || context_->connections.size() > 0 || !done_) return;
    grace_timer_.cancel();
    sweep_timer_.cancel();
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
  core_->shut_down();
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
void HttpServer::stop(milliseconds grace, std::function<void()> done) {
  core_->stop(grace, std::move(done));
}

}  // namespace host::transport
