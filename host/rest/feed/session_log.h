// Reads the stored changes of a session's calls in pages, and writes them as events and results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"
#include "tool/call/record.h"

namespace host::rest {

struct LogEntry {
  tool::Transition transition;
  std::shared_ptr<const tool::Record> record;  // the current record; null: it was removed
};

struct LogPage {
  std::vector<LogEntry> entries;
  std::uint64_t next = 0;  // the number after which the next page begins
  bool more = false;       // true: there may be further entries
  bool lost = false;       // true: the store has removed calls that ended after `after`
};

enum class LogPart {
  Everything,
  Ends,  // only the changes that end a call
};

// Reads the entries with numbers greater than `after`, but not more than `limit` entries. The page
// ends earlier if its records have more than `bytes` bytes. The function blocks. Call read_log() on
// the store's thread.
Result<LogPage> read_log(store::Store& store, LogPart part, const std::string& session,
                         std::uint64_t after, std::uint32_t limit, std::size_t bytes);

// Writes a change as an event: {"type":...,"seq":...,"request":...,"state":...}.
std::string event_json(const LogEntry& entry);
// Writes the JSON object about a call that has ended, with its `tool_result`. `entry` must have the
// record of a call that has ended.
std::string result_json(const LogEntry& entry);

}  // namespace host::rest
