// Makes HTTP exchanges with libcurl on the event loop of the I/O thread. The client follows no
// redirects and resolves no names. The client connects only to the given address.
//
// The client sends a request with a body at most once, unless Hop::may_repeat is set. After a
// reused connection was closed before a response, libcurl itself would send the request again. The
// server can have acted on a request even if it sent no response.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace host::outbound {

struct HopAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string location;  // for a redirect, the absolute URL; otherwise empty
};

// Receives a response whose body arrives in pieces. For a redirect, the client calls neither of the
// two functions of Pieces.
struct Pieces {
  std::function<void(HopAnswer)> head;         // called once; the HopAnswer has no body
  std::function<void(std::string_view)> body;  // called any number of times
};

struct Hop {
  std::string method;
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  boost::asio::ip::address address;
  std::uint64_t max_bytes = 0;  // maximum size of the decompressed body; 0: no limit, with `pieces`
  std::chrono::milliseconds connect_timeout{10'000};
  std::filesystem::path ca_file;         // empty: the system's certificates
  std::shared_ptr<const Pieces> pieces;  // null: the body is returned at the end
  // `may_repeat` is true if the server recognizes a repeated request. If `may_repeat` is true and a
  // reused connection was closed before a response, libcurl can send the request again.
  bool may_repeat = false;
  // The client sets `*sent` to true when it sends the first byte of the request's body, because
  // from then on the server can have received a part of the body. `sent` can be null.
  std::shared_ptr<bool> sent;
};

// The functions of CurlClient are called on the I/O thread.
class CurlClient {
 public:
  // The Errors are Unavailable (no connection could be made; a different address could work), Io,
  // Internal (the response is too large) and Cancelled (stop() was called). If the request has a
  // receiver for pieces (Hop::pieces), the HopAnswer has neither headers nor body.
  using Done = std::function<void(Result<HopAnswer>)>;

  static Result<std::unique_ptr<CurlClient>> create(boost::asio::any_io_executor io);
  ~CurlClient();  // drops exchanges in progress; Done is not called
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  // Starts one HTTP exchange and returns its id. The client calls `done` once, after it has
  // delivered all pieces, and never before start() returns.
  std::uint64_t start(Hop hop, Done done);
  void stop(std::uint64_t id);  // calls `done` with Cancelled; ignored if the exchange has ended

  // Pauses the delivery of the response's body. After 64 KiB have been received, reading from the
  // connection pauses too, so that the server has to wait.
  void hold(std::uint64_t id);
  void release(std::uint64_t id);

 private:
  class Impl;
  explicit CurlClient(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::outbound
