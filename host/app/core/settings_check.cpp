#include "app/core/settings_check.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/core/core.h"
#include "config/document/place.h"
#include "plugin/lifecycle/side_file.h"
#include "router/view/preset_tools.h"

namespace host::app {
namespace {

using Keys = std::vector<std::string>;

std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from + begin.size());
  const std::size_t to = text.find(end);
  return to == std::string_view::npos ? std::string() : std::string(text.substr(0, to));
}

// Errors of a plugin's load name the section that is at fault: "[plugin.NAME.settings]" or
// "[plugin.NAME.tool.TOOL.presets]".
std::optional<Keys> section_in(std::string_view error, const std::string& plugin) {
  const std::string begin = "[plugin." + plugin + ".";
  if (error.find(begin + "settings]") != std::string_view::npos)
    return Keys{"plugin", plugin, "settings"};
  const std::string tool = between(error, begin + "tool.", "]");
  const std::size_t dot = tool.find('.');
  if (dot == std::string::npos) return std::nullopt;
  return Keys{"plugin", plugin, "tool", tool.substr(0, dot), tool.substr(dot + 1)};
}

// Only the plugin's create() knows what the schema of its settings cannot say, such as which texts
// are regular expressions.
bool is_refused_by_create(const Core& core, const plugin::PluginStatus& status) {
  const auto& plugins = core.config().plugins.by_name;
  const auto found = plugins.find(status.name);
  return found != plugins.end() && found->second.settings != config::Plugin().settings &&
         status.last_error.find("create() refused") != std::string::npos;
}

// The error of a side file names its place itself.
bool is_of_side_file(const plugin::PluginStatus& status) {
  return status.last_error.starts_with(plugin::side_file_of(status.path).string() + ":");
}

config::Diagnostic refused_side_file(const plugin::PluginStatus& status) {
  config::Diagnostic one;
  one.file = plugin::side_file_of(status.path).string();
  one.code = "C023";
  one.message = "plugin \"" + status.name + "\" is refused: " + status.last_error;
  one.help = "correct the side file, or remove it";
  return one;
}

// Where the file has the presets of an agent for a tool.
config::Diagnostic place_of_presets(const config::Config& config, const std::string& agent,
                                    const std::string& tool) {
  const auto& uses = config.names.all;
  const auto found = std::find_if(uses.begin(), uses.end(), [&](const config::NameUse& use) {
    return use.where == "[agent." + agent + ".presets." + tool + "]";
  });
  return found == uses.end() ? config::Diagnostic() : found->place;
}

void add_refused_presets(Core& core, const std::string& agent, const router::Presets& presets,
                         std::vector<config::Diagnostic>& out) {
  for (const auto& [tool, arguments] : presets) {
    const tool::Entry* const entry = core.catalog().snapshot()->find(tool);
    if (!entry) continue;  // app/core/name_check.h
    const auto made = router::with_presets(*entry, arguments, router::PresetsOf::Agent);
    if (made) continue;
    config::Diagnostic one = place_of_presets(core.config(), agent, tool);
    one.code = "C020";
    one.message = "presets of [agent." + agent + "] for \"" + tool +
                  "\" do not fit, so the agent does not see the tool: " + made.error().message;
    one.help = "`toolpost tools --json` shows the schema of the tool";
    out.push_back(std::move(one));
  }
}

// The member that is at fault, where the error begins with its JSON pointer.
void add_member(Keys& keys, std::string_view error) {
  std::string pointer = between(error, ": /", ": ");
  while (!pointer.empty()) {
    const std::size_t slash = pointer.find('/');
    keys.push_back(pointer.substr(0, slash));
    pointer = slash == std::string::npos ? std::string() : pointer.substr(slash + 1);
  }
}

}  // namespace

std::vector<config::Diagnostic> refused_settings(Core& core, const std::filesystem::path& file) {
  std::vector<config::Diagnostic> out;
  for (const plugin::PluginStatus& status : core.plugins().status()) {
    if (is_of_side_file(status)) out.push_back(refused_side_file(status));
    auto keys = section_in(status.last_error, status.name);
    const bool is_of_section = keys.has_value();
    if (is_of_section) {
      add_member(*keys, status.last_error);
    } else if (is_refused_by_create(core, status)) {
      keys = Keys{"plugin", status.name, "settings"};
    } else {
      continue;
    }
    const auto& uses = core.config().names.all;
    const bool is_written = std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
      return use.where == "[plugin." + status.name + "]";
    });
    config::Diagnostic one = is_written ? config::place_of(file, *keys) : config::Diagnostic();
    if (!is_written) one.file = file.string();
    one.code = "C020";
    one.message =
        "plugin \"" + status.name + "\" " +
        (is_of_section ? "does not take this: " : "does not start with these settings: ") +
        status.last_error;
    one.help =
        is_of_section
            ? "`toolpost plugins` shows the plugin, `toolpost tools --json` the schemas of its "
              "tools"
            : "the cause can also be a grant or a secret that the plugin lacks: `toolpost plugins` "
              "shows the plugin";
    out.push_back(std::move(one));
  }
  for (config::Diagnostic& one : refused_presets(core)) out.push_back(std::move(one));
  return out;
}

std::vector<config::Diagnostic> refused_presets(Core& core) {
  std::vector<config::Diagnostic> out;
  for (const auto& [name, agent] : core.config().agents)
    add_refused_presets(core, name, router::presets_in(agent.presets), out);
  return out;
}

}  // namespace host::app
