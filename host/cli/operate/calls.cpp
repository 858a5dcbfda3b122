// `toolpost calls`: the calls that outlive their request, one of them, and its cancellation. Lists
// come from the store, without arguments and results: those are for the call's own principal, and
// for an operator who asks for the whole call. A running host cancels.
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/orders/call_orders.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/table.h"
#include "json/object_text.h"
#include "store/part/record_store.h"

namespace host::cli {
namespace {

using tool::Record;

constexpr std::size_t kMostOfText = 1u << 20u;  // of arguments and results as text; --json has all

constexpr std::chrono::seconds kCancelWithin{20};

std::string time_or_dash(WallTime time) {
  return time == WallTime{} ? "-" : to_rfc3339(time);
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

// What it waits for, or how it ended.
const std::string& why_of(const Record& record) {
  return record.is_over() ? record.code : record.reason;
}

void print_records(const std::vector<Record>& records) {
  Table table({"CALL", "TOOL", "STATE", "WHY", "PRINCIPAL", "SESSION", "MADE", "HEARTBEAT"});
  for (const Record& one : records) {
    table.add({one.id, one_line(one.tool, 40), std::string(to_string(one.state)),
               or_dash(why_of(one)), one_line(one.principal, 20), or_dash(one.session),
               to_rfc3339(one.created), time_or_dash(one.heartbeat)});
  }
  std::cout << (records.empty() ? "There are no such calls.\n" : table.text());
}

void add_time(std::string& out, std::string_view key, WallTime time) {
  if (time != WallTime{}) json::add_text(out, key, to_rfc3339(time));
}

void add_if(std::string& out, std::string_view key, const std::string& text) {
  if (!text.empty()) json::add_text(out, key, text);
}

std::string members_of(const Record& record) {
  std::string out = "{";
  json::add_text(out, "id", record.id);
  add_if(out, "session", record.session);
  json::add_text(out, "principal", record.principal);
  add_if(out, "agent", record.agent);
  json::add_text(out, "tool", record.tool);
  json::add_text(out, "state", to_string(record.state));
  if (!record.is_over()) add_if(out, "reason", record.reason);
  add_if(out, "code", record.code);
  add_if(out, "approval", record.approval);
  json::add_text(out, "executes", to_string(record.executes));
  add_if(out, "worker", record.lease.worker);
  add_if(out, "tool_use_id", record.tool_use_id);
  add_time(out, "created", record.created);
  add_time(out, "updated", record.updated);
  add_time(out, "heartbeat", record.heartbeat);
  add_time(out, "expires", record.expires);
  return out;
}

std::string listed_json(const Record& record) {
  return members_of(record) + "}";
}

std::string whole_json(const Record& record) {
  std::string out = members_of(record);
  const auto add = [&out](std::string_view key, const std::string& text) {
    if (!text.empty()) json::add_member(out, key, text);
  };
  add("arguments", record.arguments);
  add("context", record.context);
  add("result", record.result);
  add("failure", record.failure);
  return out + "}";
}

int list_calls(const CommandLine& line, const config::Config& config) {
  const auto opened = look_into_store(config);
  if (!opened) return complain(opened.error());
  std::vector<Record> records;
  if (*opened) {
    store::RecordStore::Filter filter{line.session, std::nullopt};
    if (line.state) filter.state = tool::record_state_from(*line.state);
    auto found = (*opened)->records().newest(filter, line.limit);
    if (!found) return complain(found.error());
    records = *std::move(found);
  }
  if (!line.json) {
    print_records(records);
    return kExitOk;
  }
  std::string out = "[";
  for (const Record& one : records) out += (out.size() > 1 ? ",\n" : "") + listed_json(one);
  std::cout << out << "]\n";
  return kExitOk;
}

Result<Record> stored_call(store::Store& store, const std::string& id) {
  HOST_TRY_ASSIGN(std::optional<Record> found, store.records().find(id));
  if (!found) {
    return Error{ErrorKind::NotFound,
                 "there is no call \"" + id + "\": it is unknown or has expired"};
  }
  return *std::move(found);
}

void print_record(const Record& record, bool is_whole) {
  const auto row = [](std::string_view what, std::string_view value) {
    if (!value.empty()) Line(std::cout) << what << one_line(std::string(value), kMostOfText);
  };
  row("call         ", record.id);
  row("tool         ", record.tool);
  row("state        ", to_string(record.state));
  row(record.is_over() ? "code         " : "reason       ", why_of(record));
  row("approval     ", record.approval);
  row("principal    ", record.principal);
  row("agent        ", record.agent.empty() ? "none" : record.agent);
  row("session      ", record.session.empty() ? "none" : record.session);
  row("run by       ", record.executes == tool::Executes::Host ? "the host" : "a client");
  row("worker       ", record.lease.worker);
  row("tool use id  ", record.tool_use_id);
  row("made         ", to_rfc3339(record.created));
  row("changed      ", to_rfc3339(record.updated));
  row("heartbeat    ", time_or_dash(record.heartbeat));
  if (is_whole) {
    row("arguments    ", record.arguments);
    row("context      ", record.context);
    row("result       ", record.result);
    row("failure      ", record.failure);
  }
  if (!record.is_over() && !record.approval.empty() && !record.reason.empty())
    Line(std::cout) << "To see the request: toolpost approvals show " << record.approval;
}

int show_call(const CommandLine& line, const config::Config& config) {
  const auto opened = open_store(config, "no calls are kept");
  if (!opened) return complain(opened.error());
  const auto record = stored_call(**opened, line.name);
  if (!record) return complain(record.error());
  if (line.json) {
    std::cout << (line.whole ? whole_json(*record) : listed_json(*record)) << '\n';
  } else {
    print_record(*record, line.whole);
  }
  return kExitOk;
}

// Each host knows its own calls. The one that has this call cancels it.
Result<std::string> order_cancel(store::Store& store, const std::string& id) {
  HOST_TRY(stored_call(store, id));
  HOST_TRY_ASSIGN(const std::vector<store::HostRecord> hosts, running_hosts(store));
  Result<std::string> answer =
      Error{ErrorKind::Unavailable, "no host is running: only a running host can cancel a call"};
  for (HostAnswer& one : give_orders(store, hosts, app::kCallCancel, id, kCancelWithin)) {
    if (one.answer) return std::move(one.answer);
    if (answer.error().kind != ErrorKind::Unavailable &&
        one.answer.error().kind == ErrorKind::NotFound)
      continue;
    answer = one.answer.error().within(host_in_words(one.host));
  }
  return answer;
}

int cancel_call(const CommandLine& line, const config::Config& config) {
  const auto opened = open_store(config, "no calls are kept");
  if (!opened) return complain(opened.error());
  const auto done = order_cancel(**opened, line.name);
  if (!done) {  // a call that has ended is no wrong usage
    const bool ended = done.error().kind == ErrorKind::InvalidArgument;
    return complain(done.error(), ended ? kExitFailure : exit_code_for(done.error().kind));
  }
  Line(std::cout) << line.name << " is cancelled";
  return kExitOk;
}

}  // namespace

int calls(const CommandLine& line, const config::Config& config) {
  if (line.verb == Verb::CallsShow) return show_call(line, config);
  if (line.verb == Verb::CallsCancel) return cancel_call(line, config);
  return list_calls(line, config);
}

}  // namespace host::cli
