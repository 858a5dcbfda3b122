#include "cli/load_config.h"

#include <unistd.h>

#include <cstdlib>

namespace host::cli {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::optional<fs::path> default_file() {
  fs::path user;
  if (const char* home = std::getenv("XDG_CONFIG_HOME"); home && *home) {
    user = fs::path(home);
  } else if (const char* own = std::getenv("HOME"); own && *own) {
    user = fs::path(own) / ".config";
  }
  if (!user.empty() && is_there(user / "toolpost/config.toml"))
    return user / "toolpost/config.toml";
  if (is_there("/etc/toolpost/config.toml")) return fs::path("/etc/toolpost/config.toml");
  return std::nullopt;
}

std::vector<fs::path> absolute(const std::vector<fs::path>& paths) {
  std::vector<fs::path> out;
  for (const fs::path& path : paths) out.push_back(fs::absolute(path).lexically_normal());
  return out;
}

}  // namespace

config::Loaded load_config(const CommandLine& line) {
  const std::optional<fs::path> file = line.config ? line.config : default_file();
  config::Loaded loaded = file ? config::load(*file, environ) : config::parse("", "", environ);
  if (!loaded.config) return loaded;
  if (!line.plugin_dirs.empty()) loaded.config->plugins.dirs = absolute(line.plugin_dirs);
  if (!line.skill_dirs.empty()) loaded.config->skills.dirs = absolute(line.skill_dirs);
  if (line.page_dir) loaded.config->server.page_dir = fs::absolute(*line.page_dir);
  if (line.listen) loaded.config->server.listen = *line.listen;
  return loaded;
}

}  // namespace host::cli
