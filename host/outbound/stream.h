// Streams through the gate: an exchange whose response body arrives in pieces, without a limit of
// time. The same checks as for other requests apply (see gate.h). The connection is kept for the
// next request to the same server and address, if the response ended.
//
// The reader controls the speed of the body. While the stream is paused, or the body is faster than
// its limit, the connection is not read, and the server has to wait.
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
  std::chrono::milliseconds head{std::chrono::seconds(30)};  // until the response's head; 0: none
  std::chrono::milliseconds idle{0};  // the longest silence in the body; 0: none
  std::uint64_t bytes_per_s = 0;      // faster bodies have to wait; 0: no limit
};

struct StreamHead {
  int status = 0;
  std::string url;  // after redirects
  std::vector<std::pair<std::string, std::string>> headers;

  // The first header of this name in any letter case; empty: there is none.
  std::string_view header(std::string_view name) const;
};

struct StreamEnd {
  std::optional<Error> error;  // nullopt: the body is complete. The kinds are those of the gate.
  bool sent = false;           // the server may have received a byte of the request's body
};

struct StreamHandlers {
  std::function<void(const StreamHead&)> head;  // once, first
  std::function<void(std::string_view)> body;
  std::function<void(const StreamEnd&)> end;  // once, last; without a head if there was none
};

// I/O thread only. The destructor closes the connection, and no handler is called any more. A
// handler may destroy its own stream.
class Stream {
 public:
  explicit Stream(std::shared_ptr<StreamFlight> flight) : flight_(std::move(flight)) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void pause();  // a pause does not count as silence
  void resume();

 private:
  const std::shared_ptr<StreamFlight> flight_;
};

}  // namespace host::outbound
