#include "app/core/grant_check.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "app/core/core.h"
#include "config/document/place.h"
#include "config/path.h"
#include "json/json.h"

namespace host::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExec = "exec";  // among a library's `permissions`

// Of the system: a worker may read much of them, and needs no grant for that.
constexpr std::array<std::string_view, 9> kOfSystem = {
    "/usr/", "/lib", "/etc/", "/bin/", "/sbin/", "/dev/", "/proc/", "/sys/", "/opt/"};

bool is_of_system(const std::string& path) {
  return path == "/" ||
         std::any_of(kOfSystem.begin(), kOfSystem.end(),
                     [&](std::string_view begin) { return path.starts_with(begin); });
}

bool is_at_or_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() || (end->empty() && std::next(end) == folder.end());
}

bool is_granted(const fs::path& path, const config::Plugin& settings) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return std::any_of(settings.fs.begin(), settings.fs.end(), [&](const sandbox::FsGrant& grant) {
    return is_at_or_below(path, grant.path) ||
           is_at_or_below(real, fs::weakly_canonical(grant.path, error));
  });
}

struct Setting {
  std::vector<std::string> keys;  // from the root of the settings; a list has no keys of its own
  std::string text;
};

void add_texts(const json::Value& value, std::vector<std::string> keys, std::vector<Setting>& out) {
  if (value.IsString()) {
    out.push_back({std::move(keys), std::string(json::text(value))});
  } else if (value.IsArray()) {
    for (const json::Value& one : value.GetArray()) add_texts(one, keys, out);
  } else if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      std::vector<std::string> below = keys;
      below.emplace_back(json::text(member.name));
      add_texts(member.value, std::move(below), out);
    }
  }
}

// The file that has [plugin.NAME]; empty: none has it.
std::string file_of(const config::Config& config, const std::string& name) {
  for (const config::NameUse& use : config.names.all) {
    if (use.where == "[plugin." + name + "]") return use.place.file;
  }
  return {};
}

config::Diagnostic warning(const std::string& file, const std::vector<std::string>& keys,
                           std::string message, std::string help) {
  config::Diagnostic one = config::place_of(file, keys);
  one.severity = config::Severity::Warning;
  one.code = "C022";
  one.message = std::move(message);
  one.help = std::move(help);
  return one;
}

void check_paths(const std::string& file, const std::string& name, const config::Plugin& settings,
                 std::vector<config::Diagnostic>& out) {
  const auto tree = json::parse(settings.settings);
  if (!tree) return;
  std::vector<Setting> texts;
  add_texts(tree->root(), {}, texts);
  for (const Setting& one : texts) {
    if (!one.text.starts_with('/') && !one.text.starts_with("~/")) continue;
    const auto path = config::resolve(one.text, {"/", config::user_folders(environ)});
    std::error_code error;
    if (!path || is_of_system(path->string()) || !fs::exists(*path, error) ||
        is_granted(*path, settings))
      continue;
    std::vector<std::string> keys = {"plugin", name, "settings"};
    keys.insert(keys.end(), one.keys.begin(), one.keys.end());
    out.push_back(warning(
        file, keys,
        "the worker of plugin \"" + name + "\" cannot open " + path->string() +
            ", because fs in [plugin." + name + "] does not grant it",
        "add \"ro:" + one.text + "\" to fs in [plugin." + name + "], or \"rw:\" to write too"));
  }
}

}  // namespace

std::vector<config::Diagnostic> missing_grants(Core& core, const config::Config& config) {
  std::vector<config::Diagnostic> out;
  for (const plugin::PluginStatus& status : core.plugins().status()) {
    const config::Plugin& settings = config::plugin(config, status.name);
    if (!status.serving || status.isolation != config::Isolation::Worker) continue;
    const std::string file = file_of(config, status.name);
    const auto& asked = status.permissions;
    if (!settings.exec && std::find(asked.begin(), asked.end(), kExec) != asked.end()) {
      out.push_back(
          warning(file, {"plugin", status.name},
                  "plugin \"" + status.name + "\" asks for exec, and may not run programs",
                  "set exec = true in [plugin." + status.name + "]"));
    }
    check_paths(file, status.name, settings, out);
  }
  return out;
}

}  // namespace host::app
