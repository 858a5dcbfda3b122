// A blocking client of raw bytes on loopback. It sends exactly the bytes that a test gives it, and
// reads the head and the body of each answer.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace host::test {

struct RawAnswer {
  int status = 0;  // 0: the connection has ended, or no answer arrived in time
  std::string head;
  std::string body;

  bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  // Connects to a Unix socket.
  explicit RawClient(const std::string& path)
      : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void end() { ::shutdown(fd_.get(), SHUT_WR); }
  void close() { fd_.reset(); }
  void reset() {  // ends the connection with RST
    const linger none{1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    fd_.reset();
  }

  // Waits for more bytes. Returns false if the connection has ended, or if no bytes arrived in
  // time.
  bool fill() {
    pollfd wait{fd_.get(), POLLIN, 0};
    if (::poll(&wait, 1, kPatienceMs) <= 0) return false;
    char bytes[16384];
    const ssize_t count = ::recv(fd_.get(), bytes, sizeof bytes, 0);
    if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }

  // True if bytes have arrived or the connection has ended, within `within_ms`.
  bool readable(int within_ms) const {
    pollfd wait{fd_.get(), POLLIN, 0};
    return ::poll(&wait, 1, within_ms) > 0;
  }

  // Reads the remaining bytes. Returns true if the server has ended the connection.
  bool ended() {
    for (;;) {
      pollfd wait{fd_.get(), POLLIN, 0};
      if (::poll(&wait, 1, kPatienceMs) <= 0) return false;
      char bytes[16384];
      const ssize_t count = ::recv(fd_.get(), bytes, sizeof bytes, 0);
      if (count <= 0) return true;
    }
  }

  bool read_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
      if (!fill()) return false;
    }
    return true;
  }

  RawAnswer read_head() {
    RawAnswer answer;
    if (!read_until("\r\n\r\n")) return answer;
    const std::size_t end = buffer_.find("\r\n\r\n") + 4;
    answer.head = buffer_.substr(0, end);
    buffer_.erase(0, end);
    answer.status = std::atoi(answer.head.c_str() + sizeof "HTTP/1.1");
    return answer;
  }

  // Reads an answer whose body has a Content-Length.
  RawAnswer read_answer() {
    RawAnswer answer = read_head();
    const std::size_t field = answer.head.find("Content-Length: ");
    if (field == std::string::npos) return answer;
    const auto length = static_cast<std::size_t>(std::atoll(answer.head.c_str() + field + 16));
    while (buffer_.size() < length) {
      if (!fill()) return {};
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
  }

  const std::string& buffer() const { return buffer_; }

 private:
  static constexpr int kPatienceMs = 10'000;

  UniqueFd fd_;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace host::test
