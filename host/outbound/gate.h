// The one way out: every HTTP request that the host makes to a URL which it was given goes through
// here, and so do its redirects, hop by hop.
//
// https only, save to configured origins of this machine. A name is resolved once, every address
// that it has is checked, and the connection goes to one that was. Bounded in time, bytes,
// redirects and number. I/O thread only; names are resolved on a thread of their own. libcurl is
// loaded by the first request.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/result.h"
#include "outbound/origin.h"

namespace host::outbound {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string url;
  Headers headers;
  std::string body;
  AllowList allowed;              // of who asks; redirects are held to it too
  SteadyTime deadline{};          // time_point{}: the gate's own bound alone
  std::uint64_t max_bytes = 0;    // of the body; 0: the gate's own bound alone
  std::uint32_t redirects = ~0u;  // that are followed; no more than the gate's own bound
  std::shared_ptr<Cancel> cancel;
};

struct Response {
  int status = 0;
  std::string url;   // where it came from, after redirects
  Headers headers;   // of the last hop
  std::string body;  // decompressed
};

struct Settings {
  std::chrono::milliseconds timeout{std::chrono::seconds(30)};
  std::uint64_t response_bytes = 8u << 20u;
  std::uint32_t redirects = 5;
  std::uint32_t concurrent = 32;
  std::vector<std::string> loopback;  // origins of this machine that may be asked
  std::filesystem::path ca_file;      // empty: the system's
};

class Gate {
 public:
  // Errors: InvalidArgument (no sound request), Denied (an address, an origin, a redirect that may
  // not be), Unavailable (too many at once, or there is no libcurl), DeadlineExceeded, Cancelled,
  // Io (no connection, a bad certificate, broken HTTP); Internal (the response is too large).
  using Done = std::function<void(Result<Response>)>;

  Gate(boost::asio::any_io_executor io, Settings settings);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // `done` comes once, never before this returns, unless the gate goes first.
  void send(Request request, Done done);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::outbound
