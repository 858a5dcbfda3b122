#include "session/stored.h"

#include <utility>

#include "json/object_text.h"
#include "json/own_text.h"
#include "permission/rule/rule.h"
#include "tool/call/sent_context.h"

namespace host::session {
namespace {

std::shared_ptr<const Context> context_in(std::string_view text) {
  const auto tree = json::parse_own(text);
  if (!tree) return nullptr;
  auto context = std::make_shared<Context>();
  if (const json::Value* const values = json::find(tree->root(), "values")) {
    for (const auto& member : values->GetObject()) {
      // An earlier version of the host let clients set them.
      if (!tool::why_reserved(json::text(member.name)).empty()) continue;
      context->values.emplace(json::text(member.name), json::text(member.value));
    }
  }
  if (const json::Value* const entries = json::find(tree->root(), "entries")) {
    for (const auto& member : entries->GetObject()) {
      if (!tool::why_reserved(json::text(member.name)).empty()) continue;
      context->entries.emplace(json::text(member.name), json::write(member.value));
    }
  }
  return context;
}

}  // namespace

std::string text_of(const Context& context) {
  std::string values = "{";
  for (const auto& [name, text] : context.values) json::add_text(values, name, text);
  std::string entries = "{";
  for (const auto& [name, text] : context.entries) json::add_member(entries, name, text);
  return "{\"values\":" + values + "},\"entries\":" + entries + "}}";
}

bool act_alike(const Settings& one, const Settings& other) {
  const auto same = [](const auto& a, const auto& b) { return a == b || (a && b && *a == *b); };
  return one.mode == other.mode && one.working_dirs == other.working_dirs &&
         one.groups == other.groups && one.mcp_providers == other.mcp_providers &&
         same(one.context, other.context) && same(one.tools, other.tools) &&
         same(one.presets, other.presets);
}

store::SessionRecord record_of(const Session& session, WallTime used) {
  const Settings& settings = session.settings;
  store::SessionRecord record;
  record.id = session.id;
  record.principal = session.principal;
  record.agent = session.agent;
  record.version = session.version;
  if (settings.mode) record.mode = permission::to_string(*settings.mode);
  record.working_dirs = settings.working_dirs;
  record.groups = settings.groups;
  record.providers = settings.mcp_providers;
  if (settings.context) record.context = text_of(*settings.context);
  if (settings.tools) record.tools = *settings.tools;
  if (settings.todos) record.todos = text_of(*settings.todos);
  if (settings.presets) record.presets = *settings.presets;
  record.webhooks = settings.webhooks;
  record.of_client = session.of_client;
  record.created = session.created;
  record.used = used;
  return record;
}

Session session_of(const store::SessionRecord& record) {
  Session session;
  session.id = record.id;
  session.principal = record.principal;
  session.agent = record.agent;
  session.version = record.version;
  Settings& settings = session.settings;
  if (!record.mode.empty()) {
    const auto mode = permission::parse_mode(record.mode);
    settings.mode = mode ? *mode : permission::Mode::Explore;
  }
  settings.working_dirs = record.working_dirs;
  settings.groups = record.groups;
  settings.mcp_providers = record.providers;
  if (!record.context.empty()) settings.context = context_in(record.context);
  if (!record.todos.empty()) {
    Todos todos = todos_in(record.todos);
    if (!todos.empty()) settings.todos = std::make_shared<const Todos>(std::move(todos));
  }
  if (!record.presets.empty())
    settings.presets = std::make_shared<const std::string>(record.presets);
  settings.webhooks = record.webhooks;
  session.of_client = record.of_client;
  session.created = record.created;
  return session;
}

}  // namespace host::session
