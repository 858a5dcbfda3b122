#include "rest/wire/record_json.h"

#include "json/json.h"
#include "json/object_text.h"
#include "rest/wire/tool_result.h"

namespace host::rest {
namespace {

constexpr std::size_t kLongArguments = 4096;  // lists leave longer ones out

void add_time(std::string& out, std::string_view key, WallTime time) {
  if (time != WallTime{}) json::add_text(out, key, to_rfc3339(time));
}

void add_if(std::string& out, std::string_view key, const std::string& text) {
  if (!text.empty()) json::add_text(out, key, text);
}

}  // namespace

std::string record_json(const tool::Record& record, const task::Records::LastBeat& beat,
                        Results results) {
  std::string out = "{";
  json::add_text(out, "id", record.id);
  json::add_text(out, "sessionId", record.session);
  json::add_text(out, "name", record.tool);
  if (results == Results::LeftOut && record.arguments.size() > kLongArguments) {
    json::add_member(out, "arguments_bytes", std::to_string(record.arguments.size()));
  } else {
    json::add_member(out, "arguments", record.arguments);
  }
  if (results != Results::LeftOut && !record.context.empty())
    json::add_member(out, "context", record.context);
  json::add_text(out, "state", to_string(record.state));
  add_if(out, "reason", record.is_over() ? std::string() : record.reason);
  add_if(out, "code", record.code);
  add_if(out, "approval", record.approval);
  json::add_text(out, "executes", to_string(record.executes));
  add_if(out, "tool_use_id", record.tool_use_id);
  add_if(out, "worker", record.lease.worker);
  add_time(out, "created", record.created);
  add_time(out, "updated", record.updated);
  add_time(out, "heartbeat", beat.at);
  if (beat.client_clock)
    json::add_member(out, "client_heartbeat", std::to_string(*beat.client_clock));
  if (!record.is_over()) return out + "}";
  add_time(out, "expires", record.expires);
  if (results == Results::LeftOut) return out + "}";
  if (!record.result.empty()) json::add_member(out, "result", record.result);
  json::add_member(out, "tool_result", tool_result_json(record));
  return out + "}";
}

}  // namespace host::rest
