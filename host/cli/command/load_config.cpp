#include "cli/command/load_config.h"

#include <unistd.h>

#include "config/reader/operating_part.h"
#include "config/reader/readable_part.h"
#include "config/user_folders.h"

namespace host::cli {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::optional<fs::path> default_file() {
  const fs::path user = config::user_folders(environ).config;
  if (!user.empty() && is_there(user / "config.toml")) return user / "config.toml";
  if (is_there("/etc/toolpost/config.toml")) return fs::path("/etc/toolpost/config.toml");
  return std::nullopt;
}

std::vector<fs::path> absolute(const std::vector<fs::path>& paths) {
  std::vector<fs::path> out;
  for (const fs::path& path : paths) out.push_back(fs::absolute(path).lexically_normal());
  return out;
}

// Empty: the built-in defaults. `dev` works with these, so that a user's configuration cannot
// change what a plugin's author sees.
fs::path file_of(const CommandLine& line) {
  if (line.verb == Verb::Dev && !line.config) return {};
  const std::optional<fs::path> file = line.config ? line.config : default_file();
  return file.value_or(fs::path());
}

void take_flags(const CommandLine& line, config::Config& config) {
  if (!line.plugin_dirs.empty()) config.plugins.dirs = absolute(line.plugin_dirs);
  if (!line.skill_dirs.empty()) config.skills.dirs = absolute(line.skill_dirs);
  if (line.page_dir) config.server.page_dir = fs::absolute(*line.page_dir);
  if (line.listen) config.server.listen = *line.listen;
}

}  // namespace

config::Loaded load_config(const CommandLine& line) {
  config::Loaded loaded = config::load(file_of(line), environ);
  if (loaded.config) take_flags(line, *loaded.config);
  return loaded;
}

std::optional<config::Config> load_readable_part(const CommandLine& line) {
  auto config = config::readable_part(file_of(line), environ);
  if (config) take_flags(line, *config);
  return config;
}

config::Loaded load_operating_part(const CommandLine& line) {
  config::Loaded loaded = config::operating_part(file_of(line), environ);
  if (loaded.config) take_flags(line, *loaded.config);
  return loaded;
}

}  // namespace host::cli
