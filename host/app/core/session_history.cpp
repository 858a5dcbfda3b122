#include "app/core/session_history.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "json/object_text.h"
#include "task/outcome.h"
#include "tool/call/outcome.h"

namespace host::app {
namespace {

bool may_some_plugin_read(const config::Config& config) {
  // A side file of a trusted folder may grant it later.
  if (!config.plugins.trusted_dirs.empty()) return true;
  return std::any_of(config.plugins.by_name.begin(), config.plugins.by_name.end(),
                     [](const auto& one) { return one.second.history; });
}

session::History::Limits history_limits(const config::Limits& limits) {
  session::History::Limits made;
  made.calls = limits.history_calls;
  made.bytes = limits.history_bytes_per_session;
  made.all_bytes = limits.history_bytes;
  return made;
}

std::string json_of(const session::PastCall& past) {
  const auto text_or_null = [](const std::string& text) -> std::string_view {
    return text.empty() ? std::string_view("null") : std::string_view(text);
  };
  std::string out = "{";
  json::add_member(out, "number", std::to_string(past.number));
  json::add_text(out, "call", past.call);
  json::add_text(out, "tool", past.tool);
  json::add_member(out, "arguments", text_or_null(past.arguments));
  json::add_text(out, "outcome", past.outcome);
  json::add_member(out, "result", text_or_null(past.result));
  json::add_member(out, "left_out", past.left_out ? "true" : "false");
  json::add_text(out, "ended", to_rfc3339(past.ended));
  return out + "}";
}

// It ended with questions, waits, or goes on as a task: its end comes later.
bool is_no_end(const tool::Call& call, const Result<tool::CallResult>& result) {
  if (call.outcome == "pending" || call.outcome == "asked") return true;
  return result && (result->round || !result->task.empty() || !result->lacking.empty());
}

}  // namespace

SessionHistory::SessionHistory(const config::Config& config)
    : is_read_(may_some_plugin_read(config)),
      history_(history_limits(config.limits)),
      service_(config.plugins, [this](const tool::Peer& who, std::uint64_t before,
                                      std::uint32_t most) { return page(who, before, most); }) {}

// Unknown and hidden tools are left out, and so are calls that plugins made.
void SessionHistory::ended(const tool::Call& call, const std::string& arguments,
                           const Result<tool::CallResult>& result) {
  const tool::Passport& passport = *call.passport;
  const bool is_of_client = passport.origin == tool::Origin::Peer;
  if (passport.who.session.empty() || !is_of_client || is_no_end(call, result)) return;
  if (!result && result.error().kind == ErrorKind::NotFound) return;
  if (call.outcome == "unknown_tool") return;  // call_tool named it
  session::PastCall past;
  past.principal = passport.who.principal;
  past.call = passport.call;
  past.tool = call.name;
  past.arguments = arguments == "null" ? "{}" : arguments;
  past.outcome = tool::outcome_of(call, result);
  if (result) past.result = task::text_of(*result);
  past.ended = system_clock().wall();
  history_.add(passport.who.session, std::move(past));
}

void SessionHistory::take_over(const task::Records& records) {
  if (!is_read_) return;
  std::vector<task::RecordPtr> ended = records.ended();
  std::sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) {
    return std::pair(a->updated, a->id) < std::pair(b->updated, b->id);
  });
  for (const task::RecordPtr& record : ended) {
    if (record->session.empty()) continue;
    session::PastCall past;
    past.principal = record->principal;
    past.call = record->id;
    past.tool = record->tool;
    past.arguments = record->arguments;
    past.outcome = record->code.empty() ? "ok" : record->code;
    past.result = record->result;
    past.ended = record->updated;
    history_.add(record->session, std::move(past));
  }
}

plugin::HistoryService::Page SessionHistory::page(const tool::Peer& who, std::uint64_t before,
                                                  std::uint32_t most) const {
  const session::History::Page found = history_.list(who.session, who.principal, before, most);
  plugin::HistoryService::Page page;
  page.more = found.more;
  page.json = "[";
  for (const session::PastCall* past : found.calls) {
    if (page.json.size() > 1) page.json += ",";
    page.json += json_of(*past);
  }
  page.json += "]";
  return page;
}

}  // namespace host::app
