// What one session's streams sent lately, so that a client whose connection broke off can ask for
// what it missed (MCP until 2025-11-25, Last-Event-ID). Bounded, each and those of one principal
// together: the oldest events are forgotten. I/O thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace host::mcp {

// What the logs of one principal may hold together.
struct EventBudget {
  std::size_t most = 16u << 20u;  // bytes
  std::size_t used = 0;
};

class EventLog {
 public:
  using Stream = std::uint64_t;

  struct Event {
    Stream stream;
    std::string id;
    std::string text;
  };
  // What came after an event, on its own stream. Not whole: events between are forgotten, or the
  // event is not of this log.
  struct Missed {
    Stream stream = 0;
    std::vector<Event> events = {};
    bool whole = true;
  };

  EventLog(std::size_t most_events, std::shared_ptr<EventBudget> budget);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Which no answer has: of an event of another log.
  static constexpr Stream kNoStream = ~Stream{0};

  Stream open() { return ++last_stream_; }
  // The new event's id, PREFIX.STREAM.NUMBER; nobody can guess those of another session.
  std::string add(Stream stream, std::string_view text);
  // An id names its stream, so that a client is understood whose event was forgotten, or came from
  // the host before this one. What is no such id is taken for one of stream 0.
  Missed after(std::string_view id) const;

 private:
  struct Named {
    Stream stream = 0;
    bool own = false;  // an id of this log
  };
  Named read(std::string_view id) const;
  void forget_oldest();

  const std::size_t most_events_;
  const std::shared_ptr<EventBudget> budget_;
  const std::string prefix_;
  std::deque<Event> events_;  // oldest first
  Stream last_stream_ = 0;
  std::uint64_t last_event_ = 0;
};

}  // namespace host::mcp
