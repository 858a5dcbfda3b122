#include "rest/session/session_body.h"

#include <utility>

#include "json/fault.h"
#include "permission/rule/rule.h"
#include "session/stored.h"
#include "tool/call/sent_context.h"

namespace host::rest {
namespace {

using session::Settings;

// Each is looked at in every decision about a call of the session.
constexpr std::size_t kMostNames = 256;
// The schema of each is compiled for the session.
constexpr std::size_t kMostPresetTools = 32;

bool is_null(Members& members, std::string_view name) {
  const json::Value* const value = members.any_if(name);
  return value && value->IsNull();
}

void read_names(Members& members, std::string_view name, session::Names& into) {
  if (is_null(members, name)) {
    into.reset();
  } else if (auto texts = members.texts_if(name)) {
    if (texts->size() > kMostNames) {
      members.fault(name, "has " + std::to_string(texts->size()) + " members, more than the " +
                              std::to_string(kMostNames) + " allowed here");
    }
    into = *std::move(texts);
  }
}

void read_mode(Members& root, Settings& into) {
  if (is_null(root, "mode")) {
    into.mode.reset();
    return;
  }
  const auto word = root.text_if("mode");
  if (!word) return;
  const auto mode = permission::parse_mode(*word);
  if (mode) {
    into.mode = *mode;
  } else {
    root.fault("mode", mode.error().message);
  }
}

// {"values": {name: text}, "entries": {type: JSON}}
Result<void> read_context(const json::Value& given, Settings& into) {
  into.context.reset();
  if (given.IsNull()) return {};
  HOST_TRY_ASSIGN(const tool::SentContext read, tool::read_sent_context(given, "/context"));
  if (read) {
    into.context =
        std::make_shared<session::Context>(session::Context{read->values, read->entries});
  }
  return {};
}

// {"tool": {"argument": value}}
void read_presets(Members& root, Settings& into) {
  if (is_null(root, "presets")) {
    into.presets.reset();
    return;
  }
  const json::Value* const given = root.object_if("presets");
  if (!given) return;
  if (given->MemberCount() > kMostPresetTools) {
    root.fault("presets", "has " + std::to_string(given->MemberCount()) +
                              " members, more than the " + std::to_string(kMostPresetTools) +
                              " allowed here");
  }
  for (const auto& tool : given->GetObject()) {
    if (!tool.value.IsObject()) root.fault("presets", "expected objects of arguments by tool");
  }
  into.presets =
      given->ObjectEmpty() ? nullptr : std::make_shared<const std::string>(json::write(*given));
}

Result<void> read_tools(Members& extensions, SessionBody& into, const SessionLimits& limits) {
  const json::Value* const given = extensions.any_if("tools");
  if (!given) return {};
  if (given->IsNull()) {
    into.settings.tools.reset();
    return {};
  }
  HOST_TRY_ASSIGN(session::ReadTools read,
                  session::read_tools(*given, extensions.pointer_to("tools"), limits.tools));
  into.settings.tools =
      read.text == "{}" ? nullptr : std::make_shared<const std::string>(std::move(read.text));
  if (into.settings.tools) into.compiled = std::move(read.compiled);
  return {};
}

std::size_t bytes_of(const Settings& settings) {
  std::size_t bytes = settings.tools ? settings.tools->size() : 0;
  if (settings.context) bytes += session::text_of(*settings.context).size();
  if (settings.presets) bytes += settings.presets->size();
  for (const session::Names* names :
       {&settings.working_dirs, &settings.groups, &settings.mcp_providers, &settings.webhooks}) {
    if (!*names) continue;
    for (const std::string& name : **names) bytes += name.size() + 3;
  }
  return bytes;
}

Result<void> check_bytes(std::size_t bytes, const SessionLimits& limits) {
  if (bytes <= limits.bytes) return {};
  if (limits.tools.on_refusal) limits.tools.on_refusal("limits.session_bytes");
  return json::fault_at({}, "the session has " + std::to_string(bytes) +
                                " bytes of tools, context and names, more than the " +
                                std::to_string(limits.bytes) +
                                " allowed here (limits.session_bytes)");
}

// The tools come last, because only they take time.
Result<void> read_settings(const Body& body, Members* customizations, SessionBody& into,
                           const SessionLimits& limits) {
  Settings& settings = into.settings;
  read_mode(body.root(), settings);
  read_names(body.root(), "workingDirectories", settings.working_dirs);
  read_names(body.root(), "groups", settings.groups);
  read_names(body.root(), "webhooks", settings.webhooks);
  const json::Value* const context = body.root().any_if("context");
  read_presets(body.root(), settings);
  Members* const extensions = customizations ? customizations->members_if("extensions") : nullptr;
  if (extensions) read_names(*extensions, "mcpProviders", settings.mcp_providers);
  const json::Value* const tools = extensions ? extensions->any_if("tools") : nullptr;
  HOST_TRY(body.end());
  if (context) HOST_TRY(read_context(*context, settings));
  if (!extensions) return {};
  if (tools && !tools->IsNull()) {  // before they are compiled
    Settings rest = settings;
    rest.tools.reset();
    HOST_TRY(check_bytes(bytes_of(rest) + json::write(*tools).size(), limits));
  }
  return read_tools(*extensions, into, limits);
}

}  // namespace

Result<SessionBody> read_new_session(const transport::HttpRequest& http,
                                     const SessionLimits& limits) {
  if (http.body().size() > most_body_bytes(limits)) {
    return check_bytes(http.body().size(), limits).error();
  }
  HOST_TRY_ASSIGN(Body body, Body::read(http));
  SessionBody read;
  Members* const customizations = body.root().members_if("customizations");
  if (customizations) read.agent = customizations->text_if("agentId").value_or("");
  HOST_TRY(read_settings(body, customizations, read, limits));
  HOST_TRY(check_bytes(bytes_of(read.settings), limits));
  return read;
}

Result<SessionBody> read_session_change(const transport::HttpRequest& http,
                                        const session::Settings& before,
                                        const SessionLimits& limits) {
  if (http.body().size() > most_body_bytes(limits)) {
    return check_bytes(http.body().size(), limits).error();
  }
  HOST_TRY_ASSIGN(Body body, Body::read(http));
  SessionBody read;
  read.settings = before;
  read.version = body.root().number_if("version");
  Members* const customizations = body.root().members_if("customizations");
  HOST_TRY(read_settings(body, customizations, read, limits));
  HOST_TRY(check_bytes(bytes_of(read.settings), limits));
  return read;
}

}  // namespace host::rest
