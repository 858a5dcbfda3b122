// An event log contains the events that the streams of one MCP session have sent most recently. A
// client whose connection broke can request the events that it missed (protocol versions until
// 2025-11-25, header Last-Event-ID). Each log has a limit, and all logs of one principal together
// have a limit. When an event log reaches its own limit, it loses its oldest events. When all logs
// of a principal reach their common limit, the largest log loses its oldest events, and small logs
// keep their events. The functions of this header are called on the I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace host::mcp {

class EventLog;

// The limit on the size of all event logs of one principal together.
struct EventBudget {
  std::size_t most = 16u << 20u;  // the limit in bytes
  std::size_t used = 0;
  std::set<std::pair<std::size_t, EventLog*>> by_bytes = {};  // each log with its size
};

class EventLog {
 public:
  using Stream = std::uint64_t;

  struct Event {
    Stream stream;
    std::string id;
    std::string text;
  };
  // Missed contains the events that a stream sent after a given event. `whole` is false if some
  // missed events were removed, or if the given event does not belong to this log.
  struct Missed {
    Stream stream = 0;
    std::vector<Event> events = {};
    bool whole = true;
  };

  EventLog(std::size_t most_events, std::shared_ptr<EventBudget> budget);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // kNoStream is returned for an event that does not belong to this log.
  static constexpr Stream kNoStream = ~Stream{0};

  Stream open() { return ++last_stream_; }
  // Returns the id of the new event, PREFIX.STREAM.NUMBER. A client cannot guess ids of a different
  // session.
  std::string add(Stream stream, std::string_view text);
  // Returns the events that the stream of the event `id` sent after this event. The id of an event
  // contains the number of its stream, so the stream is found even if the event was removed or the
  // host has restarted. A malformed id is treated as an id of stream 0.
  Missed after(std::string_view id) const;

 private:
  struct Named {
    Stream stream = 0;
    bool own = false;  // true: the id belongs to this log
  };
  Named read(std::string_view id) const;
  void count(std::size_t before, std::size_t after);
  void forget_oldest();
  void keep_budget();
  // Returns the event log that must lose its oldest event, because the logs of a principal reached
  // their common limit. Returns null if the log contains only its newest event.
  EventLog* largest_log();

  const std::size_t most_events_;
  const std::shared_ptr<EventBudget> budget_;
  const std::string prefix_;
  std::deque<Event> events_;  // the oldest event is the first
  std::size_t bytes_ = 0;     // the size of the events in events_
  Stream last_stream_ = 0;
  std::uint64_t last_event_ = 0;
};

}  // namespace host::mcp
