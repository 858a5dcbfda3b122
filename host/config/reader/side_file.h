// Reads the side file of a plugin: NAME.toml next to its library NAME.so. A side file has the same
// keys as [plugin.NAME], but the section of a tool has the name [tool.TOOL]. A side file can only
// restrict what the configuration allows the plugin (plugin/declared/narrowing.h), unless its
// folder is in plugins.trusted_dirs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "config/diagnostic.h"

namespace host::config {

struct SideFile {
  static constexpr std::size_t kMostBytes = 64u << 10u;
  static constexpr std::size_t kMostTools = 1024;

  std::filesystem::path file;
  std::string text;
  Plugin plugin;  // members that the side file does not set have their defaults
  // The position of each key that the side file has, by the path of the key, such as "timeout_s",
  // "tool.greet" or "tool.greet.presets".
  std::map<std::string, Diagnostic, std::less<>> places;

  bool has(std::string_view key) const { return places.find(key) != places.end(); }
  std::vector<std::string> keys() const;         // all keys; section headers are left out
  std::vector<std::string> plugin_keys() const;  // the file's keys outside the sections [tool.TOOL]

  // Returns the fault of a key in one line: "/p/hello.toml:3:1: error[C023]: ...; <help>".
  Error fault(std::string_view key, std::string code, std::string message, std::string help) const;
};

// An Error names the first fault of the side file with its line and column, and the number of
// faults. parse_side_file() needs `environment` to resolve paths with `~` and `@state`. Any thread
// can call this function.
Result<std::shared_ptr<const SideFile>> parse_side_file(std::string text,
                                                        const std::filesystem::path& file,
                                                        const char* const* environment);

}  // namespace host::config
