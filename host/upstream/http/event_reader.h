// Reads a stream of server-sent events (WHATWG HTML, section 9.2) from untrusted bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::upstream {

struct ServerEvent {
  std::string type;  // empty: "message"
  std::string data;
};

class EventReader {
 public:
  // `event_bytes` limits the longest line, and the data of one event.
  explicit EventReader(std::size_t event_bytes) : event_bytes_(event_bytes) {}

  // Calls `on_event` for each event that the bytes complete. The function take() returns the number
  // of bytes that were read: all bytes, or fewer if `may_go_on` returned false. The reader calls
  // `may_go_on` after each event and from time to time. After an Error, the reader cannot be used
  // any more.
  Result<std::size_t> take(std::string_view bytes,
                           const std::function<void(const ServerEvent&)>& on_event,
                           const std::function<bool()>& may_go_on);
  // Returns the number of bytes of the event that is not complete yet.
  std::size_t unfinished() const { return line_.size() + event_.data.size(); }

  // Returns the id of the last event that had an id, for a reconnection. If no event had an id, the
  // returned text is empty.
  const std::string& last_id() const { return last_id_; }
  // Returns the pause before a reconnection, if the server sent one.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  Error too_long() const;
  void take_field(std::string_view line);
  bool take_line(const std::function<void(const ServerEvent&)>& on_event);

  const std::size_t event_bytes_;
  std::string line_;  // the part of the line that has arrived
  ServerEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;  // after a carriage return: a newline belongs to the same line end
  bool is_first_ = true;   // the stream's first line may begin with a byte order mark
  bool too_long_ = false;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace host::upstream
