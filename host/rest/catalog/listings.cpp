#include "rest/catalog/listings.h"

#include "json/object_text.h"
#include "plugin/lifecycle/status_json.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

std::string as_json(const tool::Entry& entry) {
  const tool::Declaration& declared = entry.tool->declared();
  std::string out = "{";
  json::add_text(out, "name", declared.name);
  if (!declared.title.empty()) json::add_text(out, "title", declared.title);
  json::add_text(out, "description", declared.description);
  json::add_text(out, "class", tool::to_string(entry.tool->tool_class()));
  json::add_text(out, "provider", entry.provider->name());
  const tool::Standing standing = tool::standing_of(declared, entry.provider->identity().kind);
  json::add_bool(out, "read_only", standing.reads == tool::Reads::Always);
  json::add_member(out, "standing", tool::as_json(standing));
  json::add_bool(out, "concurrency_safe", declared.concurrency_safe);
  json::add_member(out, "input_schema", entry.tool->shown_input());
  if (!declared.output_schema.empty())
    json::add_member(out, "output_schema", declared.output_schema);
  return out + "}";
}

std::string as_json(const skill::Skill& skill) {
  std::string out = "{";
  json::add_text(out, "name", skill.name);
  json::add_text(out, "description", skill.description);
  json::add_text(out, "source", skill.source);
  json::add_text(out, "digest", "sha256:" + skill.digest);
  return out + "}";
}

// These routes take none. True: it was answered with the error.
bool has_parameters(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {});
  if (!given) transport::answer_error(asked.exchange, given.error());
  return !given;
}

}  // namespace

awaitable<void> ListingRoutes::list_tools(const Asked& asked) {
  if (has_parameters(asked) || answers_head(asked)) co_return;
  const tool::Peer peer{asked.visitor.principal.name, asked.visitor.agent};
  const router::Router::Listing visible = services_.router.visible(peer);
  std::string out = "{\"tools\":[";
  for (const tool::Entry* const entry : visible.tools) {
    if (out.back() != '[') out += ',';
    out += as_json(*entry);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
  co_return;
}

awaitable<void> ListingRoutes::list_plugins(const Asked& asked) {
  if (has_parameters(asked) || answers_head(asked)) co_return;
  std::string out = "{\"plugins\":[";
  for (const plugin::PluginStatus& status : services_.plugins.status()) {
    if (out.back() != '[') out += ',';
    out += plugin::as_json(status);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
  co_return;
}

awaitable<void> ListingRoutes::list_skills(const Asked& asked) {
  if (has_parameters(asked) || answers_head(asked)) co_return;
  const skill::State& state = services_.skills(asked.visitor.agent).state();
  std::string out = "{\"skills\":[";
  for (const auto& skill : state.skills) {
    if (out.back() != '[') out += ',';
    out += as_json(*skill);
  }
  std::vector<std::string> problems;
  for (const config::Diagnostic& fault : state.diagnostics) problems.push_back(fault.headline());
  transport::answer_json(asked.exchange, 200,
                         out + "],\"problems\":" + json::list_of(problems) + "}");
  co_return;
}

awaitable<void> ListingRoutes::show_store(const Asked& asked) {
  if (has_parameters(asked)) co_return;
  const std::string fault = services_.desk ? services_.desk->fault() : std::string();
  std::string out = "{";
  json::add_bool(out, "kept", services_.desk != nullptr);
  json::add_bool(out, "failing", !fault.empty());
  if (!fault.empty()) json::add_text(out, "error", fault);
  transport::answer_json(asked.exchange, 200, out + "}");
  co_return;
}

}  // namespace host::rest
