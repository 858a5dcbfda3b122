#include "rest/feed/session_log.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "json/object_text.h"
#include "rest/wire/tool_result.h"

namespace host::rest {

using tool::Record;
using tool::RecordState;
using tool::Transition;

Result<LogPage> read_log(store::Store& store, LogPart part, const std::string& session,
                         std::uint64_t after, std::uint32_t limit, std::size_t bytes) {
  store::RecordStore& records = store.records();
  HOST_TRY_ASSIGN(std::vector<Transition> transitions,
                  part == LogPart::Ends ? records.ends_after(session, after, limit)
                                        : records.transitions_after(session, after, limit));
  HOST_TRY_ASSIGN(const std::uint64_t last_lost, records.last_lost(session));
  LogPage page;
  page.next = after;
  page.lost = after < last_lost;
  std::size_t taken = 0;
  for (Transition& transition : transitions) {
    if (taken > bytes) break;
    HOST_TRY_ASSIGN(std::optional<Record> record, records.find(transition.record));
    LogEntry entry;
    if (record) {
      taken += record->bytes();
      entry.record = std::make_shared<const Record>(*std::move(record));
    }
    page.next = transition.seq;
    entry.transition = std::move(transition);
    page.entries.push_back(std::move(entry));
  }
  page.more = transitions.size() == limit || page.entries.size() < transitions.size();
  return page;
}

std::string event_json(const LogEntry& entry) {
  const Transition& change = entry.transition;
  const Record* const record = entry.record.get();
  const bool waits = change.to == RecordState::Pending && !change.why.empty();
  std::string out = "{";
  // What a call waits for is what its listener may have to do.
  json::add_text(out, "type", waits ? std::string_view(change.why) : "state");
  if (change.seq > 0) json::add_member(out, "seq", std::to_string(change.seq));
  json::add_text(out, "request", change.record);
  json::add_text(out, "name", change.tool);
  if (change.from) json::add_text(out, "from", to_string(*change.from));
  json::add_text(out, "state", to_string(change.to));
  if (!change.why.empty()) {
    json::add_text(out, change.to == RecordState::Error ? "code" : "reason", change.why);
  }
  json::add_text(out, "by", change.by);
  json::add_text(out, "at", to_rfc3339(change.at));
  if (!record || record->state != change.to) return out + "}";  // it has changed since
  if (waits && record->reason == change.why) json::add_member(out, "arguments", record->arguments);
  if (record->is_over()) json::add_member(out, "tool_result", tool_result_json(*record));
  return out + "}";
}

std::string result_json(const LogEntry& entry) {
  const Record& record = *entry.record;
  std::string out = "{";
  json::add_member(out, "seq", std::to_string(entry.transition.seq));
  json::add_text(out, "request", record.id);
  json::add_text(out, "name", record.tool);
  json::add_text(out, "state", to_string(record.state));
  if (!record.code.empty()) json::add_text(out, "code", record.code);
  json::add_text(out, "at", to_rfc3339(entry.transition.at));
  json::add_member(out, "tool_result", tool_result_json(record));
  return out + "}";
}

}  // namespace host::rest
