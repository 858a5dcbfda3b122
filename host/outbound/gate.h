// The Gate checks and limits outgoing HTTP. Each HTTP request to a URL that comes from a plugin or
// the configuration passes through the gate, and so does each redirect.
//
// The gate allows only https, except for configured origins on this machine. The gate resolves a
// name once, checks all its addresses, and connects to one of the checked addresses. The gate
// limits the time, bytes, redirects and number of requests. The functions of this header are called
// on the I/O thread. Each Gate has its own threads for name look-ups, so a name server that does
// not answer delays no request of another Gate. The first request loads libcurl.
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
  // If `allowed` does not contain an origin, the error message consists of this origin and the text
  // `allowed_by`. `allowed_by` names the setting that `allowed` comes from, and must
  // be a string literal.
  const char* allowed_by = "is not in the plugin's `net`";
  SteadyTime deadline{};          // time_point{}: only the gate's own timeout; streams ignore it
  std::uint64_t max_bytes = 0;    // maximum body size; 0: the gate's limit; streams ignore it
  std::uint32_t redirects = ~0u;  // maximum number of redirects; the gate's own limit applies too
  bool may_repeat = false;        // see Hop
  bool keeps_method = false;      // refuse redirects that would turn a POST into a GET
  std::shared_ptr<Cancel> cancel;
  // `owner` is the owner of the request: a principal, a plugin, or the origin of an upstream. One
  // owner of requests cannot occupy all threads that look up names.
  std::string owner;
};

struct Response {
  int status = 0;
  std::string url;   // final URL, after redirects
  Headers headers;   // headers of the last response, after redirects
  std::string body;  // decompressed
};

struct Settings {
  std::chrono::milliseconds timeout{std::chrono::seconds(30)};
  std::uint64_t response_bytes = 8u << 20u;
  std::uint32_t redirects = 5;
  std::uint32_t concurrent = 32;
  std::uint32_t streams = 1024;       // limit of open streams, in addition to `concurrent`
  std::vector<std::string> loopback;  // allowed origins on this machine
  // `internal` contains the https origins that may have addresses in private networks.
  std::vector<std::string> internal;
  // `loopback_key` is the key of `loopback` in config.toml, for error messages. `loopback_key` must
  // be a string literal.
  const char* loopback_key = "outbound.loopback";
  std::filesystem::path ca_file;  // empty: the system's certificates
  std::uint32_t lookups = 8;      // maximum number of look-ups of names at the same time
  LookUp look_up = look_up_by_system;
};

class Gate {
 public:
  // The Errors are InvalidArgument (malformed request), Denied (an address, origin or redirect that
  // is not allowed), Unavailable (too many requests at the same time, or libcurl cannot be loaded),
  // DeadlineExceeded, Cancelled, Io (no connection, a bad certificate, malformed HTTP) and Internal
  // (the response is too large).
  using Done = std::function<void(Result<Response>)>;

  Gate(boost::asio::any_io_executor io, Settings settings);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Sends one HTTP request. The Gate calls `done` once, and never before send() returns. If the
  // Gate is destroyed while the request runs, the Gate does not call `done`.
  void send(Request request, Done done);

  // Sends an HTTP request whose response is read as it arrives. `handlers.end` gets the Errors. The
  // Gate never calls a handler before open() returns.
  std::unique_ptr<Stream> open(Request request, StreamLimits limits, StreamHandlers handlers);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::outbound
