// The gate for outgoing HTTP: every request that the host makes to a URL from a plugin or a
// configuration passes it, and so does each redirect.
//
// https only, except for configured origins on this machine. A name is resolved once, all its
// addresses are checked, and the connection goes to one of the checked addresses. Time, bytes,
// redirects and number of requests are limited. I/O thread only. Names are resolved on threads of
// the gate, so a name server that does not answer delays no other gate. libcurl is loaded by the
// first request.
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
#include "outbound/resolver.h"
#include "outbound/stream.h"

namespace host::outbound {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string url;
  Headers headers;
  std::string body;
  AllowList allowed;  // the requester's allowed origins, also for redirects
  // The source of `allowed`, for errors. A literal.
  const char* allowed_by = "is not in the plugin's `net`";
  SteadyTime deadline{};          // time_point{}: only the gate's limit; ignored for a stream
  std::uint64_t max_bytes = 0;    // of the body; 0: only the gate's limit; ignored for a stream
  std::uint32_t redirects = ~0u;  // most redirects to follow, at most the gate's limit
  bool keeps_method = false;      // redirects that would make a POST a GET are refused
  std::shared_ptr<Cancel> cancel;
};

struct Response {
  int status = 0;
  std::string url;   // final URL, after redirects
  Headers headers;   // of the last hop
  std::string body;  // decompressed
};

struct Settings {
  std::chrono::milliseconds timeout{std::chrono::seconds(30)};
  std::uint64_t response_bytes = 8u << 20u;
  std::uint32_t redirects = 5;
  std::uint32_t concurrent = 32;
  std::uint32_t streams = 1024;       // at once, in addition to `concurrent`
  std::vector<std::string> loopback;  // allowed origins on this machine
  // https origins whose addresses may also be those of private networks
  std::vector<std::string> internal;
  // The key of `loopback` in config.toml, for errors. A literal.
  const char* loopback_key = "outbound.loopback";
  std::filesystem::path ca_file;  // empty: the system's
  std::uint32_t lookups = 8;      // names that are looked up at once
  LookUp look_up = look_up_by_system;
};

class Gate {
 public:
  // Errors: InvalidArgument (malformed request), Denied (an address, origin or redirect that is not
  // allowed), Unavailable (too many at once, or no libcurl), DeadlineExceeded, Cancelled, Io (no
  // connection, a bad certificate, malformed HTTP), Internal (the response is too large).
  using Done = std::function<void(Result<Response>)>;

  Gate(boost::asio::any_io_executor io, Settings settings);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // `done` is called once, never before this function returns. It is not called if the gate is
  // destroyed first.
  void send(Request request, Done done);

  // The same for a response that is read as it arrives. `handlers.end` gets Errors.
  std::unique_ptr<Stream> open(Request request, StreamLimits limits, StreamHandlers handlers);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::outbound
