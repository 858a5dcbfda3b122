#include "rest/call/calls.h"

#include <algorithm>
#include <chrono>

#include "json/object_text.h"
#include "task/detached.h"
#include "tool/call/outcome.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostCalls = 1000;

std::string call_json(const tool::Call& call, milliseconds lasts, WallTime now) {
  std::string out = "{";
  const tool::Passport& by = *call.passport;
  json::add_text(out, "id", by.call);
  json::add_text(out, "kind", tool::kind_of(call.function));
  json::add_text(out, "tool", call.name);
  json::add_text(out, "principal", by.who.principal);
  if (!by.who.agent.empty()) json::add_text(out, "agent", by.who.agent);
  json::add_text(out, "plugin", call.provider);
  json::add_text(out, "state", tool::to_string(call.phase));
  json::add_text(out, "since", to_rfc3339(now - lasts));
  json::add_member(out, "ms", std::to_string(lasts.count()));
  if (!by.who.session.empty()) json::add_text(out, "session", by.who.session);
  if (by.caller) json::add_text(out, "caller_call", by.caller->passport->call);
  return out + "}";
}

// The plugin of a task is not known before its call runs again.
std::string task_json(const tool::Record& record, WallTime now) {
  const auto lasts =
      std::max(std::chrono::duration_cast<milliseconds>(now - record.created), milliseconds(0));
  std::string out = "{";
  json::add_text(out, "id", record.id);
  json::add_text(out, "kind", tool::kind_of(tool::Function::Call));
  json::add_text(out, "tool", record.tool);
  json::add_text(out, "principal", record.principal);
  if (!record.agent.empty()) json::add_text(out, "agent", record.agent);
  json::add_text(out, "plugin", "");
  json::add_text(out, "state", tool::to_string(tool::Phase::AsksClient));
  json::add_text(out, "since", to_rfc3339(record.created));
  json::add_member(out, "ms", std::to_string(lasts.count()));
  if (!record.session.empty()) json::add_text(out, "session", record.session);
  return out + "}";
}

}  // namespace

awaitable<void> CallRoutes::list(const Asked& asked) {
  if (answers_head(asked)) co_return;
  const WallTime now = services_.clock.wall();
  const SteadyTime steady = services_.clock.steady();
  const auto calls = services_.calls.list(kMostCalls);
  const auto tasks = services_.detached.tasks_without_call();
  const std::size_t all = services_.calls.size() + tasks.size();
  std::string out = "{";
  json::add_text(out, "now", to_rfc3339(now));
  json::add_member(out, "all", std::to_string(all));
  out += ",\"calls\":[";
  for (const tool::Call* const call : calls) {
    if (out.back() != '[') out += ',';
    out += call_json(*call, std::chrono::duration_cast<milliseconds>(steady - call->started), now);
  }
  for (std::size_t i = 0; i < std::min(tasks.size(), kMostCalls - calls.size()); ++i) {
    if (out.back() != '[') out += ',';
    out += task_json(*tasks[i], now);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
  co_return;
}

awaitable<void> CallRoutes::end(const Asked& asked) {
  const tool::Call* const call = services_.calls.find(asked.id());
  if (!call && end_task(asked)) co_return asked.exchange.respond(204, {}, {}, {});
  if (!call) {
    co_return transport::answer_error(asked.exchange, transport::Problem::NotFound,
                                      "no call of this id waits or runs: it may have ended");
  }
  services_.audit.note(store::AuditEvent::Cancel, {{"call", call->passport->call},
                                                   {"by", way_of(asked)},
                                                   {"principal", call->passport->who.principal},
                                                   {tool::kind_of(call->function), call->name},
                                                   {"outcome", "ended_by_operator"}});
  const std::shared_ptr<Cancel> cancel = call->cancel;  // the call may end by it
  cancel->request(Cancel::By::Operator);
  asked.exchange.respond(204, {}, {}, {});
}

bool CallRoutes::end_task(const Asked& asked) {
  const task::RecordPtr record = services_.records.find(asked.id());
  const auto tasks = services_.detached.tasks_without_call();
  if (!record || std::find(tasks.begin(), tasks.end(), record) == tasks.end()) return false;
  services_.audit.note(store::AuditEvent::Cancel,
                       {{"call", record->id},
                        {"by", way_of(asked)},
                        {"principal", record->principal},
                        {tool::kind_of(tool::Function::Call), record->tool},
                        {"outcome", "ended_by_operator"}});
  services_.detached.end_by_operator(record, way_of(asked));
  return true;
}

}  // namespace host::rest
