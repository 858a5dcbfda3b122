#include "outbound/curl_client.h"

#include <sys/socket.h>
#include <unistd.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstring>
#include <map>

#include "outbound/curl_library.h"

namespace host::outbound {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostAnswerHeaderBytes = 64u << 10u;

// Whether curl is about to connect to the address that was checked.
bool is_at(const sockaddr* to, const asio::ip::address& address) {
  if (to->sa_family == AF_INET && address.is_v4()) {
    const auto* in = reinterpret_cast<const sockaddr_in*>(to);
    return ntohl(in->sin_addr.s_addr) == address.to_v4().to_uint();
  }
  if (to->sa_family == AF_INET6 && address.is_v6()) {
    const auto* in = reinterpret_cast<const sockaddr_in6*>(to);
    return std::memcmp(&in->sin6_addr, address.to_v6().to_bytes().data(), 16) == 0;
  }
  return false;
}

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1));
}

// A socket of curl's that the loop watches. curl owns it.
struct Watch {
  Watch(const asio::any_io_executor& io, int socket) : descriptor(io, socket), fd(socket) {}
  asio::posix::stream_descriptor descriptor;
  const int fd;
  int wanted = 0;  // CURL_POLL_...
  bool reading = false;
  bool writing = false;
  bool gone = false;
};

struct Transfer {
  Hop hop;
  CurlClient::Done done;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  HopAnswer answer;
  std::size_t header_bytes = 0;
  bool too_large = false;
  bool strayed = false;  // curl would have gone to another address
};

}  // namespace

class CurlClient::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::any_io_executor io, const CurlLibrary& curl)
      : io_(std::move(io)), curl_(curl), timer_(io_), multi_(curl.multi_init()) {
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &on_socket);
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &on_timer);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 8L);
  }

  // Nothing that was posted may find it half gone.
  void close() {
    for (auto& [id, transfer] : transfers_) release(*transfer);
    transfers_.clear();
    curl_.multi_cleanup(multi_);
    timer_.cancel();
  }

  std::uint64_t start(Hop hop, Done done) {
    const std::uint64_t id = next_++;
    auto transfer = std::make_unique<Transfer>();
    transfer->hop = std::move(hop);
    transfer->done = std::move(done);
    transfer->easy = curl_.easy_init();
    set_up(id, *transfer);
    curl_.multi_add_handle(multi_, transfer->easy);  // its timer starts it, from the loop
    transfers_.emplace(id, std::move(transfer));
    return id;
  }

  void stop(std::uint64_t id) {
    asio::post(io_, [self = shared_from_this(), id] {
      self->finish(id, Error{ErrorKind::Cancelled, "stopped"});
    });
  }

 private:
  template <class T>
  void set(Transfer& transfer, CURLoption option, T value) {
    curl_.easy_setopt(transfer.easy, option, value);
  }

  void set_up(std::uint64_t id, Transfer& transfer) {
    const Hop& hop = transfer.hop;
    set(transfer, CURLOPT_PRIVATE, reinterpret_cast<void*>(id));
    set(transfer, CURLOPT_URL, hop.url.c_str());
    set(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
    set(transfer, CURLOPT_PROXY, "");  // an environment's proxy would connect where it likes
    set(transfer, CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
    set(transfer, CURLOPT_FOLLOWLOCATION, 0L);
    set(transfer, CURLOPT_NOSIGNAL, 1L);
    set(transfer, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    set(transfer, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(hop.connect_timeout.count()));
    if (!hop.ca_file.empty()) {
      set(transfer, CURLOPT_CAINFO, hop.ca_file.c_str());
      set(transfer, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    }
    set_up_request(transfer);
    const std::string address =
        hop.address.is_v6() ? "[" + hop.address.to_string() + "]" : hop.address.to_string();
    transfer.connect_to = curl_.slist_append(nullptr, ("::" + address + ":").c_str());
    set(transfer, CURLOPT_CONNECT_TO, transfer.connect_to);
    set(transfer, CURLOPT_OPENSOCKETFUNCTION, &on_open);
    set(transfer, CURLOPT_OPENSOCKETDATA, &transfer);
    set(transfer, CURLOPT_HEADERFUNCTION, &on_header);
    set(transfer, CURLOPT_HEADERDATA, &transfer);
    set(transfer, CURLOPT_WRITEFUNCTION, &on_body);
    set(transfer, CURLOPT_WRITEDATA, &transfer);
  }

  void set_up_request(Transfer& transfer) {
    const Hop& hop = transfer.hop;
    if (hop.method == "HEAD") {
      set(transfer, CURLOPT_NOBODY, 1L);
    } else if (!hop.body.empty() || hop.method != "GET") {
      set(transfer, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(hop.body.size()));
      set(transfer, CURLOPT_POSTFIELDS, hop.body.data());
      set(transfer, CURLOPT_CUSTOMREQUEST, hop.method.c_str());
    }
    const auto add = [&](const std::string& line) {
      transfer.headers = curl_.slist_append(transfer.headers, line.c_str());
    };
    for (const std::string& line : hop.headers) add(line);
    add("Expect:");  // curl's own would wait for a second
    set(transfer, CURLOPT_HTTPHEADER, transfer.headers);
  }

  // ---- curl calls back: nothing may be thrown through it

  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void* watched) {
    auto& impl = *static_cast<Impl*>(self);
    if (what == CURL_POLL_REMOVE) {
      impl.unwatch(socket);
      return 0;
    }
    (void)watched;
    auto& watch = impl.watches_[socket];
    if (!watch) watch = std::make_shared<Watch>(impl.io_, socket);
    watch->wanted = what;
    impl.arm(watch);
    return 0;
  }

  static int on_timer(CURLM*, long wait_ms, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    if (wait_ms < 0) {
      impl.timer_.cancel();
      return 0;
    }
    impl.timer_.expires_after(std::chrono::milliseconds(wait_ms));
    impl.timer_.async_wait([weak = impl.weak_from_this()](boost::system::error_code error) {
      const auto there = weak.lock();
      if (there && !error) there->act(CURL_SOCKET_TIMEOUT, 0);
    });
    return 0;
  }

  static curl_socket_t on_open(void* context, curlsocktype, curl_sockaddr* to) {
    auto& transfer = *static_cast<Transfer*>(context);
    if (!is_at(&to->addr, transfer.hop.address)) {
      transfer.strayed = true;
      return CURL_SOCKET_BAD;
    }
    return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
  }

  static std::size_t on_header(char* bytes, std::size_t, std::size_t count, void* context) {
    auto& transfer = *static_cast<Transfer*>(context);
    const std::string_view line(bytes, count);
    transfer.header_bytes += count;
    if (transfer.header_bytes > kMostAnswerHeaderBytes) {
      transfer.too_large = true;
      return 0;
    }
    const std::size_t colon = line.find(':');
    if (line.starts_with("HTTP/")) {
      transfer.answer.headers.clear();  // a new head: an interim one stood before it
    } else if (colon != std::string_view::npos) {
      transfer.answer.headers.emplace_back(trimmed(line.substr(0, colon)),
                                           trimmed(line.substr(colon + 1)));
    }
    return count;
  }

  static std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* context) {
    auto& transfer = *static_cast<Transfer*>(context);
    if (transfer.answer.body.size() + count > transfer.hop.max_bytes) {
      transfer.too_large = true;
      return 0;
    }
    transfer.answer.body.append(bytes, count);
    return count;
  }

  // ---- the loop

  void unwatch(int socket) {
    const auto at = watches_.find(socket);
    if (at == watches_.end()) return;
    at->second->gone = true;
    at->second->descriptor.release();  // the socket is curl's
    watches_.erase(at);
  }

  void arm(const std::shared_ptr<Watch>& watch) {
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

  std::function<void(boost::system::error_code)> waited(std::shared_ptr<Watch> watch,
                                                        bool Watch::*flag, int event) {
    return [weak = weak_from_this(), watch, flag, event](boost::system::error_code error) {
      (*watch).*flag = false;
      const auto there = weak.lock();
      if (!there || error || watch->gone) return;
      const int wanted = event == CURL_CSELECT_IN ? CURL_POLL_IN : CURL_POLL_OUT;
      if (watch->wanted & wanted) there->act(watch->fd, event);
      if (!watch->gone) there->arm(watch);
    };
  }

  void act(curl_socket_t socket, int events) {
    int running = 0;
    curl_.multi_socket_action(multi_, socket, events, &running);
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      void* id = nullptr;
      const CURLcode code = message->data.result;
      curl_.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &id);
      const auto number = reinterpret_cast<std::uint64_t>(id);
      finish(number, outcome(*transfers_.at(number), code));
    }
  }

  Result<HopAnswer> outcome(Transfer& transfer, CURLcode code) {
    if (transfer.strayed) return Error{ErrorKind::Denied, "it would have gone to another address"};
    if (transfer.too_large) return Error{ErrorKind::Internal, "the response is too large"};
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT) {
      return Error{ErrorKind::Unavailable, "cannot connect"};
    }
    if (code != CURLE_OK) return Error{ErrorKind::Io, curl_.easy_strerror(code)};
    long status = 0;
    const char* location = nullptr;
    curl_.easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    curl_.easy_getinfo(transfer.easy, CURLINFO_REDIRECT_URL, &location);
    transfer.answer.status = static_cast<int>(status);
    if (location) transfer.answer.location = location;
    return std::move(transfer.answer);
  }

  void finish(std::uint64_t id, Result<HopAnswer> result) {
    const auto at = transfers_.find(id);
    if (at == transfers_.end()) return;
    const std::unique_ptr<Transfer> transfer = std::move(at->second);
    transfers_.erase(at);
    release(*transfer);
    transfer->done(std::move(result));
  }

  void release(Transfer& transfer) {
    curl_.multi_remove_handle(multi_, transfer.easy);
    curl_.easy_cleanup(transfer.easy);
    curl_.slist_free_all(transfer.headers);
    curl_.slist_free_all(transfer.connect_to);
  }

  const asio::any_io_executor io_;
  const CurlLibrary& curl_;
  asio::steady_timer timer_;
  CURLM* multi_;
  std::map<curl_socket_t, std::shared_ptr<Watch>> watches_;
  std::map<std::uint64_t, std::unique_ptr<Transfer>> transfers_;
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

}  // namespace host::outbound
