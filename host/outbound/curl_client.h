// HTTP exchanges with libcurl, driven by the I/O thread's loop. It follows no redirects and
// resolves no names. It connects only to the given address.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace host::outbound {

struct Hop {
  std::string method;
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  boost::asio::ip::address address;
  std::uint64_t max_bytes = 0;  // of the decompressed body
  std::chrono::milliseconds connect_timeout{10'000};
  std::filesystem::path ca_file;  // empty: the system's
};

struct HopAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string location;  // absolute, if it is a redirect; otherwise empty
};

// I/O thread only.
class CurlClient {
 public:
  // Errors: Unavailable (no connection; a different address may work), Io, Internal (too large),
  // Cancelled (stopped).
  using Done = std::function<void(Result<HopAnswer>)>;

  static Result<std::unique_ptr<CurlClient>> create(boost::asio::any_io_executor io);
  ~CurlClient();  // drops exchanges in progress without calling Done
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  // `done` is called once, never before this returns.
  std::uint64_t start(Hop hop, Done done);
  void stop(std::uint64_t id);  // calls done with Cancelled; ignored if it has ended

 private:
  class Impl;
  explicit CurlClient(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::outbound
