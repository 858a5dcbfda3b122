#include "rest/call/external_calls.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "json/object_text.h"
#include "rest/wire/parameters.h"
#include "router/view/router.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

using task::RecordPtr;

constexpr std::uint32_t kMostExternal = 1000;
constexpr std::size_t kMostBytes = 1u << 20u;  // then the list ends
constexpr std::size_t kMostOfOneText =
    16u << 10u;  // of arguments or context; the list leaves longer ones out

bool is_announced(const tool::Record& record) {
  return record.executes == tool::Executes::Caller && record.state == tool::RecordState::Pending &&
         record.reason == tool::kWaitsForCaller;
}

// The oldest of each principal, then the second of each, and so on: nobody's calls hide those of
// others.
std::vector<RecordPtr> announced(const task::Records& records) {
  std::vector<RecordPtr> waiting = records.open();
  std::erase_if(waiting, [](const RecordPtr& record) { return !is_announced(*record); });
  task::sort_by_age(waiting);
  std::map<std::string, std::size_t, std::less<>> seen;  // by principal
  std::vector<std::pair<std::size_t, RecordPtr>> ranked;
  for (RecordPtr& record : waiting) {
    const std::size_t rank = seen[record->principal]++;
    ranked.emplace_back(rank, std::move(record));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<RecordPtr> fair;
  for (auto& [rank, record] : ranked) fair.push_back(std::move(record));
  return fair;
}

// A long text is left out, and its length is told.
void add_unless_long(std::string& out, const std::string& name, const std::string& text) {
  if (text.size() <= kMostOfOneText) return json::add_member(out, name, text);
  json::add_member(out, name + "_bytes", std::to_string(text.size()));
}

std::string external_json(const router::Router& router, const tool::Record& record) {
  std::string out = "{";
  json::add_text(out, "id", record.id);
  json::add_text(out, "sessionId", record.session);
  json::add_text(out, "name", record.tool);
  json::add_text(out, "principal", record.principal);
  if (!record.agent.empty()) json::add_text(out, "agent", record.agent);
  add_unless_long(out, "arguments", record.arguments);
  if (!record.context.empty()) add_unless_long(out, "context", record.context);
  json::add_text(out, "created", to_rfc3339(record.created));
  json::add_text(out, "since", to_rfc3339(record.updated));
  const auto route = router.resolve({record.principal, record.agent, record.session}, record.tool);
  if (!route || route->tool->digest() != record.definition) return out + "}";  // it has changed
  const tool::Declaration& declared = route->tool->declared();
  json::add_text(out, "description", declared.description);
  if (!declared.output_schema.empty())
    json::add_member(out, "output_schema", declared.output_schema);
  return out + "}";
}

}  // namespace

ExternalCallRoutes::ExternalCallRoutes(const Services& services) : services_(services) {
  services.records.on_transition(
      [events = std::weak_ptr<Events>(services.events)](const tool::Transition&) {
        if (const auto open = events.lock()) open->changed("external");
      });
}

awaitable<void> ExternalCallRoutes::list(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {"limit"});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  const auto limit = read_limit(*given, kMostExternal, 100);
  if (!limit) co_return transport::answer_error(asked.exchange, limit.error());
  if (answers_head(asked)) co_return;
  const std::vector<RecordPtr> waiting = announced(services_.records);
  std::string out = R"({"calls":[)";
  const std::size_t listed = std::min<std::size_t>(waiting.size(), *limit);
  for (std::size_t i = 0; i < listed && out.size() <= kMostBytes; ++i) {
    if (i > 0) out += ',';
    out += external_json(services_.router, *waiting[i]);
  }
  out += ']';
  json::add_member(out, "all", std::to_string(waiting.size()));
  transport::answer_json(asked.exchange, 200, out + "}");
}

}  // namespace host::rest
