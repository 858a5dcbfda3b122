#include "outbound/curl_transfer.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text/letters.h"

namespace host::outbound {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostAnswerHeaderBytes = 64u << 10u;
constexpr std::size_t kSmallUploadBuffer = 16u << 10u;  // the least that libcurl takes
constexpr std::size_t kMostWaitingBytes = 64u << 10u;
constexpr std::uint64_t kMostRedirectBytes = 64u << 10u;  // of a body that nobody reads
// Many servers close a connection after 5 s without a request. A request that has to be sent at
// most once must not meet that moment.
constexpr long kMostIdleSeconds = 3;

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

// Of "HTTP/1.1 200 OK"; 0: it has none.
int status_of(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  int status = 0;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  return status;
}

}  // namespace

CurlTransfer::CurlTransfer(const CurlLibrary& curl, CurlHandles& handles, CurlSockets& sockets,
                           std::uint64_t id, std::vector<std::uint64_t>& arrived, Hop hop,
                           CurlClient::Done done)
    : curl_(curl),
      handles_(handles),
      sockets_(sockets),
      id_(id),
      arrived_(arrived),
      hop_(std::move(hop)),
      done_(std::move(done)),
      easy_(handles.take()) {
  set(CURLOPT_PRIVATE, reinterpret_cast<void*>(id));
  set_up();
  set_up_connection();
  set_up_request();
}

CurlTransfer::~CurlTransfer() {
  handles_.give_back(easy_);
  curl_.slist_free_all(headers_);
  curl_.slist_free_all(connect_to_);
}

void CurlTransfer::set_up() {
  set(CURLOPT_URL, hop_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PROXY, "");  // an environment's proxy would connect where it likes
  set(CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, this);
  if (hop_.pieces) {
    // A stream of HTTP/2 would be buffered by libcurl while it is held, up to 32 MiB each.
    set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  } else {
    set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
  }
  // libcurl keeps this buffer as long as a stream is open. Its default is 64 KiB.
  if (hop_.pieces || hop_.body.size() <= kSmallUploadBuffer)
    set(CURLOPT_UPLOAD_BUFFERSIZE, long{kSmallUploadBuffer});
}

void CurlTransfer::set_up_connection() {
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(hop_.connect_timeout.count()));
  if (!hop_.ca_file.empty()) {
    set(CURLOPT_CAINFO, hop_.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  const std::string address =
      hop_.address.is_v6() ? "[" + hop_.address.to_string() + "]" : hop_.address.to_string();
  connect_to_ = curl_.slist_append(nullptr, ("::" + address + ":").c_str());
  set(CURLOPT_CONNECT_TO, connect_to_);
  set(CURLOPT_OPENSOCKETFUNCTION, &on_open);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_CLOSESOCKETFUNCTION, &on_close);
  set(CURLOPT_CLOSESOCKETDATA, &sockets_);
  // So that a stream ends whose server vanished, or whose machine slept.
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, 30L);
  set(CURLOPT_TCP_KEEPINTVL, 10L);
}

// libcurl counts whole seconds, so a connection counts as old for two seconds too long.
void CurlTransfer::use_connections_since(SteadyTime begin) {
  const auto age = std::chrono::floor<std::chrono::seconds>(steady_now() - begin);
  if (age.count() < 2) {
    set(CURLOPT_FRESH_CONNECT, 1L);
  } else {
    set(CURLOPT_MAXLIFETIME_CONN, static_cast<long>(age.count() - 1));
  }
}

void CurlTransfer::set_up_request() {
  if (hop_.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (!hop_.body.empty() || hop_.method != "GET") {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(hop_.body.size()));
    set(CURLOPT_CUSTOMREQUEST, hop_.method.c_str());
    set_up_body();
  }
  const auto add = [&](const std::string& line) {
    headers_ = curl_.slist_append(headers_, line.c_str());
  };
  bool has_type = false;
  for (const std::string& line : hop_.headers) {
    has_type = has_type || lower(line.substr(0, line.find(':'))) == "content-type";
    add(line);
  }
  if (!has_type) add("Content-Type:");  // curl's own says that each body is a form
  if (hop_.pieces) add("Accept-Encoding: identity");
  add("Expect:");  // curl's own would wait for a second
  set(CURLOPT_HTTPHEADER, headers_);
}

void CurlTransfer::set_up_body() {
  if (hop_.body.empty()) {
    set(CURLOPT_POSTFIELDS, "");
    set(CURLOPT_FRESH_CONNECT, 1L);
    return;
  }
  set(CURLOPT_MAXAGE_CONN, kMostIdleSeconds);
  if (hop_.may_repeat) {  // libcurl sends head and body at once, and on a new connection again
    set(CURLOPT_POSTFIELDS, hop_.body.c_str());
    if (hop_.sent) *hop_.sent = true;
    return;
  }
  // libcurl cannot rewind this, and so it sends no body twice.
  set(CURLOPT_READFUNCTION, &on_send);
  set(CURLOPT_READDATA, this);
}

// ---- libcurl calls these: nothing may be thrown through it

curl_socket_t CurlTransfer::on_open(void* self, curlsocktype, curl_sockaddr* to) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (!is_at(&to->addr, transfer.hop_.address)) {
    transfer.strayed_ = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

int CurlTransfer::on_close(void* sockets, curl_socket_t socket) {
  static_cast<CurlSockets*>(sockets)->forget(socket);
  return ::close(socket);
}

std::size_t CurlTransfer::on_send(char* to, std::size_t, std::size_t space, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const std::string& body = transfer.hop_.body;
  const std::size_t count = std::min(space, body.size() - transfer.body_sent_);
  std::memcpy(to, body.data() + transfer.body_sent_, count);
  transfer.body_sent_ += count;
  if (count > 0 && transfer.hop_.sent) *transfer.hop_.sent = true;
  return count;
}

std::size_t CurlTransfer::on_header(char* bytes, std::size_t, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  transfer.header_bytes_ += count;
  if (transfer.header_bytes_ > kMostAnswerHeaderBytes) {
    transfer.too_large_ = true;
    return 0;
  }
  return transfer.read_header(std::string_view(bytes, count)) ? count : 0;
}

bool CurlTransfer::read_header(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    answer_.headers.clear();  // a new head: an interim one stood before it
    answer_.status = status_of(line);
    head_complete_ = false;
    return true;
  }
  if (head_complete_) return true;  // trailers
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    std::string name = trimmed(line.substr(0, colon));
    std::string value = trimmed(line.substr(colon + 1));
    const bool redirects = lower(name) == "location" && answer_.status / 100 == 3;
    if (redirects) answer_.location = value;  // outcome() makes it absolute
    encoded_ = encoded_ || (lower(name) == "content-encoding" && lower(value) != "identity");
    answer_.headers.emplace_back(std::move(name), std::move(value));
    return true;
  }
  const bool ends = trimmed(line).empty() && answer_.status >= 200;
  if (!ends) return true;
  head_complete_ = true;
  head_is_new_ = hop_.pieces && answer_.location.empty();
  if (head_is_new_) arrived_.push_back(id_);
  return !head_is_new_ || !encoded_;
}

std::size_t CurlTransfer::on_body(char* bytes, std::size_t, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const std::string_view piece(bytes, count);
  return transfer.hop_.pieces ? transfer.hold_or_keep(piece) : transfer.keep(piece);
}

std::size_t CurlTransfer::keep(std::string_view bytes) {
  if (answer_.body.size() + bytes.size() > hop_.max_bytes) {
    too_large_ = true;
    return 0;
  }
  answer_.body.append(bytes);
  return bytes.size();
}

std::size_t CurlTransfer::hold_or_keep(std::string_view bytes) {
  const bool is_redirect = !answer_.location.empty();
  if (!is_redirect && waiting_.size() >= kMostWaitingBytes) {
    stalled = true;
    return CURL_WRITEFUNC_PAUSE;  // the piece comes again
  }
  body_bytes_ += bytes.size();
  const std::uint64_t most = is_redirect ? kMostRedirectBytes : hop_.max_bytes;
  if (most != 0 && body_bytes_ > most) {
    too_large_ = true;
    return 0;
  }
  if (is_redirect) return bytes.size();
  if (waiting_.empty()) arrived_.push_back(id_);
  waiting_.append(bytes);
  return bytes.size();
}

// ---- outside libcurl

void CurlTransfer::hand_on() {
  if (head_is_new_) {
    head_is_new_ = false;
    hop_.pieces->head(answer_);
  }
  if (held || waiting_.empty()) return;
  const std::string piece = std::exchange(waiting_, {});
  hop_.pieces->body(piece);
}

Result<HopAnswer> CurlTransfer::outcome(CURLcode code) {
  if (strayed_) return Error{ErrorKind::Denied, "it would have connected to another address"};
  if (too_large_) return Error{ErrorKind::Internal, "the response is too large"};
  if (hop_.pieces && encoded_ && answer_.location.empty()) {
    return Error{ErrorKind::Io, "the response is compressed, which the request did not allow"};
  }
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT) {
    return Error{ErrorKind::Unavailable, "cannot connect"};
  }
  if (code == CURLE_SEND_FAIL_REWIND) {
    return Error{ErrorKind::Io, "the connection closed before a response"};
  }
  if (code != CURLE_OK) return Error{ErrorKind::Io, curl_.easy_strerror(code)};
  long status = 0;
  const char* location = nullptr;
  curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  curl_.easy_getinfo(easy_, CURLINFO_REDIRECT_URL, &location);
  answer_.status = static_cast<int>(status);
  answer_.location = location ? location : "";
  return std::move(answer_);
}

}  // namespace host::outbound
