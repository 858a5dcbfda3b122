#include "plugin/declared/manifest.h"

#include <toolpost/plugin.h>

#include <algorithm>
#include <set>

#include "json/json.h"
#include "plugin/wire/news.h"
#include "tool/definition/declared_text.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostManifestBytes = 16u << 20u;
constexpr std::size_t kMostVersionBytes = 128;
constexpr std::size_t kMostBuildInfoBytes = 1024;
constexpr std::size_t kMostPermissions = 64;
constexpr std::size_t kMostPermissionBytes = 4096;

Error bad(std::string why) {
  return Error{ErrorKind::PluginFault, "bad descriptor: " + std::move(why)};
}

std::string text(const json::Value& object, std::string_view key) {
  return std::string(json::find_text(object, key));
}

std::uint64_t number(const json::Value& object, std::string_view key) {
  const json::Value* member = json::find(object, key);
  return member && member->IsUint64() ? member->GetUint64() : 0;
}

std::uint32_t small(const json::Value& object, std::string_view key) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number(object, key), UINT32_MAX));
}

std::vector<std::string> texts(const json::Value& object, std::string_view key) {
  std::vector<std::string> out;
  const json::Value* list = json::find(object, key);
  if (!list || !list->IsArray()) return out;
  for (const json::Value& item : list->GetArray()) out.emplace_back(json::text(item));
  return out;
}

void set_flags(tool::Declaration& tool, std::uint64_t flags) {
  const auto has = [flags](std::uint64_t bit) { return (flags & bit) != 0; };
  tool.read_only = has(TP_TOOL_READ_ONLY);
  tool.concurrency_safe = !has(TP_TOOL_SERIAL);
  tool.external = has(TP_TOOL_EXTERNAL);
  tool.state_injected = has(TP_TOOL_STATE_INJECTED);
  if (has(TP_TOOL_STRICT)) tool.strict = true;
  if (has(TP_TOOL_NOT_STRICT)) tool.strict = false;
  tool.idempotent = has(TP_TOOL_IDEMPOTENT);
  tool.destructive = !has(TP_TOOL_NOT_DESTRUCTIVE);
  tool.open_world = !has(TP_TOOL_CLOSED_WORLD);
  tool.nonblocking = has(TP_TOOL_NONBLOCKING);
  if (has(TP_TOOL_LONG_RUNNING)) tool.tasks = tool::TaskUse::Offered;
  if (tool.external) tool.tasks = tool::TaskUse::Offered;  // nobody knows how long it takes
  if (has(TP_TOOL_NEEDS_TASK)) tool.tasks = tool::TaskUse::Needed;
  tool.asks_first = has(TP_TOOL_ASKS_FIRST);
  tool.has_check_permissions = has(TP_TOOL_HAS_CHECK_PERMISSIONS);
  tool.has_match_rule = has(TP_TOOL_HAS_MATCH_RULE);
  tool.has_generate_suggestions = has(TP_TOOL_HAS_GENERATE_SUGGESTIONS);
  tool.has_check_read_only = has(TP_TOOL_HAS_CHECK_READ_ONLY);
}

Result<tool::Declaration> read_tool(const json::Value& object) {
  if (!object.IsObject()) return bad("a tool is no object");
  tool::Declaration tool;
  tool.name = text(object, "name");
  if (!tool::is_plain_name(tool.name)) {
    return bad(tool::quoted_name(tool.name) +
               " is no tool's name: " + std::string(tool::kPlainNameForm));
  }
  if (tool.name.starts_with("mcp_"))
    return bad("tool \"" + tool.name + "\": the prefix mcp_ is the host's own");
  tool.title = text(object, "title");
  tool.description = text(object, "description");
  tool.input_schema = text(object, "input_schema");
  tool.output_schema = text(object, "output_schema");
  tool.presets = text(object, "presets");
  tool.icons = text(object, "icons");
  tool.exclusive = text(object, "exclusive");
  tool.group = text(object, "group");
  tool.command_arg = text(object, "command_arg");
  tool.dangerous_paths = texts(object, "dangerous_paths");
  tool.path_args = texts(object, "path_args");
  tool.after = texts(object, "after");
  tool.max_inflight = small(object, "max_inflight");
  tool.timeout = std::chrono::milliseconds(small(object, "timeout_ms"));
  if (tool.description.empty()) return bad("tool \"" + tool.name + "\" has no description");
  if (tool.input_schema.empty()) return bad("tool \"" + tool.name + "\" has no input schema");
  const std::uint64_t flags = number(object, "flags");
  if ((flags & TP_TOOL_STRICT) && (flags & TP_TOOL_NOT_STRICT)) {
    return bad("tool \"" + tool.name + "\" says both STRICT and NOT_STRICT");
  }
  set_flags(tool, flags);
  return tool;
}

// As people and clients are shown them.
Result<void> show_texts(Manifest& manifest) {
  struct Line {
    std::string_view what;
    std::string& text;
    std::size_t most;
  };
  const Line lines[] = {{"its name", manifest.name, tool::kMostTitleBytes},
                        {"its version", manifest.version, kMostVersionBytes},
                        {"its vendor", manifest.vendor, tool::kMostTitleBytes},
                        {"its license", manifest.license, tool::kMostTitleBytes},
                        {"its build info", manifest.build_info, kMostBuildInfoBytes}};
  for (const Line& line : lines) {
    auto shown = tool::short_line(line.what, line.text, line.most);
    if (!shown) return bad(shown.error().message);
    line.text = *std::move(shown);
  }
  if (manifest.permissions.size() > kMostPermissions) {
    return bad("it asks for " + std::to_string(manifest.permissions.size()) +
               " permissions; at most " + std::to_string(kMostPermissions) + " are allowed");
  }
  for (std::string& permission : manifest.permissions) {
    auto shown =
        tool::short_line("a permission that it asks for", permission, kMostPermissionBytes);
    if (!shown) return bad(shown.error().message);
    permission = *std::move(shown);
  }
  return {};
}

Result<void> check(const Manifest& manifest) {
  if (manifest.id.empty() || manifest.name.empty() || manifest.version.empty()) {
    return bad("id, name and version must not be empty");
  }
  if (!tool::is_id(manifest.id)) {
    return bad(tool::quoted_name(manifest.id) +
               " is no id: expected a name like \"org.example.adder\", 1 to 128 letters, digits, "
               "dots, _ and -");
  }
  if (manifest.needs_inline && manifest.no_inline)
    return bad("it says both NEEDS_INLINE and NO_INLINE");
  std::set<std::string_view> names;
  for (const tool::Declaration& tool : manifest.tools) {
    if (!names.insert(tool.name).second) return bad("two tools are called \"" + tool.name + "\"");
  }
  return {};
}

}  // namespace

Result<Manifest> read_manifest(std::string_view source) {
  if (source.size() > kMostManifestBytes) return bad("longer than 16 MiB");
  const auto tree = json::parse(source);
  if (!tree) return bad(tree.error().message);
  const json::Value& root = tree->root();
  const json::Value* tools = json::find(root, "tools");
  if (!root.IsObject() || !tools || !tools->IsArray()) return bad("no object with a list of tools");

  Manifest manifest;
  manifest.id = text(root, "id");
  manifest.name = text(root, "name");
  manifest.version = text(root, "version");
  manifest.vendor = text(root, "vendor");
  manifest.license = text(root, "license");
  manifest.build_info = text(root, "build_info");
  manifest.config_schema = text(root, "config_schema");
  manifest.permissions = texts(root, "permissions");
  manifest.serial = number(root, "serial") != 0;
  manifest.has_state = number(root, "state") != 0;
  manifest.has_resources = number(root, "resources") != 0;
  manifest.has_prompts = number(root, "prompts") != 0;
  manifest.completes = number(root, "completes") != 0;
  manifest.intercepts = {
      number(root, "intercepts_before") != 0,      number(root, "intercepts_enter") != 0,
      number(root, "intercepts_message") != 0,     number(root, "intercepts_leave") != 0,
      number(root, "intercepts_nonblocking") != 0, number(root, "intercepts_no_arguments") != 0};
  const std::uint64_t flags = number(root, "flags");
  manifest.pin = (flags & TP_PLUGIN_PIN) != 0;
  manifest.needs_inline = (flags & TP_PLUGIN_NEEDS_INLINE) != 0;
  manifest.no_inline = (flags & TP_PLUGIN_NO_INLINE) != 0;
  // The library's own process counts them too, but the plugin's code runs in that process.
  if (tools->Size() > News::kMostTools)
    return bad("describes more than " + std::to_string(News::kMostTools) + " tools");
  for (const json::Value& object : tools->GetArray()) {
    HOST_TRY_ASSIGN(tool::Declaration tool, read_tool(object));
    manifest.tools.push_back(std::move(tool));
  }
  HOST_TRY(check(manifest));
  HOST_TRY(show_texts(manifest));
  return manifest;
}

}  // namespace host::plugin
