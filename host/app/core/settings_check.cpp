#include "app/core/settings_check.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/core/core.h"
#include "config/place.h"

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
// "[plugin.NAME.tool.TOOL]".
std::optional<Keys> section_in(std::string_view error, const std::string& plugin) {
  const std::string begin = "[plugin." + plugin + ".";
  if (error.find(begin + "settings]") != std::string_view::npos)
    return Keys{"plugin", plugin, "settings"};
  const std::string tool = between(error, begin + "tool.", "]");
  if (tool.empty()) return std::nullopt;
  return Keys{"plugin", plugin, "tool", tool, "presets"};
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
    auto keys = section_in(status.last_error, status.name);
    if (!keys) continue;
    add_member(*keys, status.last_error);
    const auto& uses = core.config().names.all;
    const bool is_written = std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
      return use.where == "[plugin." + status.name + "]";
    });
    config::Diagnostic one = is_written ? config::place_of(file, *keys) : config::Diagnostic();
    if (!is_written) one.file = file.string();
    one.code = "C020";
    one.message = "plugin \"" + status.name + "\" does not take this: " + status.last_error;
    one.help =
        "`toolpost plugins` shows the plugin, `toolpost tools --json` the schemas of its tools";
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace host::app
