// A stream is an HTTP exchange through the gate whose response body arrives in pieces, without a
// limit for the total time. The gate checks the request of a stream like any other request (see
// gate.h). If the response ends normally, the connection is kept for the next request to the same
// server and address.
//
// The reader of the body controls the speed of the transfer. While the stream is paused, or the
// body arrives faster than its limit, the host does not read from the connection, and the server
// has to wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace host::outbound {

class StreamFlight;

struct StreamLimits {
  std::chrono::milliseconds head{std::chrono::seconds(30)};  // time limit of the head; 0: none
  std::chrono::milliseconds idle{0};  // the longest silence in the body; 0: no limit
  std::uint64_t bytes_per_s = 0;      // the highest speed of the body; 0: no limit
};

struct StreamHead {
  int status = 0;
  std::string url;  // the final URL, after redirects
  std::vector<std::pair<std::string, std::string>> headers;

  // Returns the value of the first header with this name, in any letter case. Returns an empty text
  // if the header is absent.
  std::string_view header(std::string_view name) const;
};

struct StreamEnd {
  // `error` is nullopt if the body is complete. A stream fails with the same ErrorKinds as a
  // request of Gate.
  std::optional<Error> error;
  bool sent = false;  // the server may have received a byte of the request's body
  // `redirect` is the HTTP status of a redirect that the gate did not follow. If `redirect` is set,
  // `error` is set too.
  int redirect = 0;
};

struct StreamHandlers {
  std::function<void(const StreamHead&)> head;  // called once, first
  std::function<void(std::string_view)> body;
  // The stream calls end() once, after all other handlers. If no response arrived, the stream never
  // calls head().
  std::function<void(const StreamEnd&)> end;
};

// The functions of Stream are called on the I/O thread. The destructor of a Stream closes its
// connection. After the destructor, the stream calls no handler. A handler can destroy its own
// Stream.
class Stream {
 public:
  explicit Stream(std::shared_ptr<StreamFlight> flight) : flight_(std::move(flight)) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void pause();  // a pause does not count as silence (StreamLimits::idle)
  void resume();

 private:
  const std::shared_ptr<StreamFlight> flight_;
};

}  // namespace host::outbound
