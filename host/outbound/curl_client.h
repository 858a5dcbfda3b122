// One HTTP exchange at a time each, many at once: libcurl driven by the I/O thread's loop. Follows
// no redirect and resolves no name; connects to the address that it is told and to no other.
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
  std::string location;  // absolute, where it is a redirect; else empty
};

// I/O thread only.
class CurlClient {
 public:
  // Errors: Unavailable where no connection came about: another address may do; Io, Internal (too
  // large), Cancelled (stopped).
  using Done = std::function<void(Result<HopAnswer>)>;

  static Result<std::unique_ptr<CurlClient>> create(boost::asio::any_io_executor io);
  ~CurlClient();  // what is under way ends without its Done
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  // `done` comes once, never before this returns.
  std::uint64_t start(Hop hop, Done done);
  void stop(std::uint64_t id);  // done comes with Cancelled; nothing where it is over

 private:
  class Impl;
  explicit CurlClient(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::outbound
