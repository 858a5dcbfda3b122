#include "outbound/curl_client.h"

#include <boost/asio/post.hpp>

#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/suspension.h"
#include "outbound/curl_handles.h"
#include "outbound/curl_library.h"
#include "outbound/curl_sockets.h"
#include "outbound/curl_transfer.h"

namespace host::outbound {
namespace asio = boost::asio;
namespace {

constexpr long kMostIdleConnections = 64;

}  // namespace

class CurlClient::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::any_io_executor io, const CurlLibrary& curl)
      : io_(std::move(io)),
        curl_(curl),
        handles_(curl),
        sockets_(std::make_shared<CurlSockets>(
            io_, [this](curl_socket_t socket, int events) { act(socket, events); })),
        multi_(curl.multi_init()) {
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &on_socket);
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &on_timer);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kMostIdleConnections);
  }

  // Nothing that was posted may find it half gone.
  void close() {
    const auto dropped = std::move(transfers_);
    transfers_.clear();
    for (const auto& [id, transfer] : dropped) {
      curl_.multi_remove_handle(multi_, transfer->easy());
    }
    curl_.multi_cleanup(multi_);
    sockets_->close();
    multi_ = nullptr;
  }

  std::uint64_t start(Hop hop, Done done) {
    const std::uint64_t id = next_++;
    auto transfer = std::make_shared<CurlTransfer>(curl_, handles_, *sockets_, id, arrived_,
                                                   std::move(hop), std::move(done));
    // An idle connection from before a suspension may be dead, and a request on it would be lost.
    if (suspension_.was_suspended()) resumed_ = steady_now();
    if (resumed_) transfer->use_connections_since(*resumed_);
    transfers_.emplace(id, transfer);
    curl_.multi_add_handle(multi_, transfer->easy());  // its timer starts it, from the loop
    return id;
  }

  void stop(std::uint64_t id) {
    asio::post(io_, [self = shared_from_this(), id] {
      self->finish(id, Error{ErrorKind::Cancelled, "stopped"});
    });
  }

  void hold(std::uint64_t id) {
    if (const auto transfer = find(id)) transfer->held = true;
  }

  void release(std::uint64_t id) {
    const auto transfer = find(id);
    if (!transfer || !transfer->held) return;
    transfer->held = false;
    asio::post(io_, [self = shared_from_this(), id] {
      if (self->multi_) self->hand_on(id);
      self->hand_on_all();
    });
  }

 private:
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
    static_cast<Impl*>(self)->sockets_->want(socket, what);
    return 0;
  }

  static int on_timer(CURLM*, long wait_ms, void* self) {
    static_cast<Impl*>(self)->sockets_->wake_in(wait_ms);
    return 0;
  }

  static std::uint64_t id_of(const CurlLibrary& curl, CURL* easy) {
    void* id = nullptr;
    curl.easy_getinfo(easy, CURLINFO_PRIVATE, &id);
    return reinterpret_cast<std::uint64_t>(id);
  }

  std::shared_ptr<CurlTransfer> find(std::uint64_t id) const {
    const auto at = transfers_.find(id);
    return at == transfers_.end() ? nullptr : at->second;
  }

  // What is called here may destroy the client: it is kept until the end.
  void act(curl_socket_t socket, int events) {
    const auto self = shared_from_this();
    int running = 0;
    curl_.multi_socket_action(multi_, socket, events, &running);
    note_ends();
    hand_on_all();
  }

  void note_ends() {
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const std::uint64_t id = id_of(curl_, message->easy_handle);
      find(id)->ended = message->data.result;
      arrived_.push_back(id);
    }
  }

  void hand_on_all() {
    while (multi_ && !arrived_.empty()) {
      const std::vector<std::uint64_t> now = std::exchange(arrived_, {});
      for (const std::uint64_t id : now) {
        if (multi_) hand_on(id);
      }
    }
  }

  void hand_on(std::uint64_t id) {
    const auto transfer = find(id);
    if (!transfer) return;
    transfer->hand_on();
    if (!multi_ || transfer->is_waiting()) return;
    if (transfer->ended) return finish(id, transfer->outcome(*transfer->ended));
    if (transfer->stalled && !transfer->held) {
      transfer->stalled = false;
      curl_.easy_pause(transfer->easy(), CURLPAUSE_CONT);  // the rest follows from the loop
    }
  }

  void finish(std::uint64_t id, Result<HopAnswer> result) {
    const auto transfer = find(id);
    if (!transfer) return;
    transfers_.erase(id);
    curl_.multi_remove_handle(multi_, transfer->easy());
    transfer->done(std::move(result));
  }

  const asio::any_io_executor io_;
  const CurlLibrary& curl_;
  CurlHandles handles_;
  const std::shared_ptr<CurlSockets> sockets_;
  CURLM* multi_;  // null: closed
  std::map<std::uint64_t, std::shared_ptr<CurlTransfer>> transfers_;
  std::vector<std::uint64_t> arrived_;  // transfers that have something new
  SuspensionWatch suspension_;
  std::optional<SteadyTime> resumed_;  // when the end of the last suspension was noticed
  std::uint64_t next_ = 1;
};

CurlClient::CurlClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

CurlClient::~CurlClient() {
  impl_->close();
}

Result<std::unique_ptr<CurlClient>> CurlClient::create(asio::any_io_executor io) {
  HOST_TRY_ASSIGN(const CurlLibrary* curl, CurlLibrary::load());
  return std::unique_ptr<CurlClient>(new CurlClient(std::make_shared<Impl>(std::move(io), *curl)));
}

std::uint64_t CurlClient::start(Hop hop, Done done) {
  return impl_->start(std::move(hop), std::move(done));
}

void CurlClient::stop(std::uint64_t id) {
  impl_->stop(id);
}

void CurlClient::hold(std::uint64_t id) {
  impl_->hold(id);
}

void CurlClient::release(std::uint64_t id) {
  impl_->release(id);
}

}  // namespace host::outbound
