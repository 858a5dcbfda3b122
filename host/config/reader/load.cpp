#include "config/reader/load.h"

#include <algorithm>
#include <map>

#include "config/document/document.h"
#include "config/document/place.h"
#include "config/reader/environment.h"
#include "config/reader/readable_part.h"
#include "config/reader/reader.h"
#include "config/shipped_plugins.h"

namespace host::config {
namespace {

namespace fs = std::filesystem;

// The sections of a file that are read. Empty: all.
using OnlySections = std::span<const std::string_view>;

void read_text(std::string_view text, const fs::path& file, const PathBase& base, OnlySections only,
               Config& into, std::vector<Diagnostic>& diagnostics) {
  Report report(file.string(), text, diagnostics);
  auto root = parse_document(text, report);
  if (!root) return;
  if (!only.empty()) {
    std::erase_if(root->table, [only](const Member& member) {
      return std::find(only.begin(), only.end(), member.key) == only.end();
    });
  }
  Reader(report, base).read(*root, into);
  sort_by_place(diagnostics);
}

// Folders that stand as words until all is read: the defaults' too.
void resolve_folders(std::vector<fs::path>& folders, const fs::path& shipped,
                     const PathBase& base) {
  std::vector<fs::path> resolved;
  const auto add = [&resolved](fs::path folder) {
    folder = folder.lexically_normal();
    std::erase(resolved,
               folder);  // an install in the home has one folder for both; the later counts
    resolved.push_back(std::move(folder));
  };
  for (const fs::path& folder : folders) {
    if (folder == kShipped) {
      add(shipped);
    } else if (auto path = resolve(folder.string(), base)) {
      add(*std::move(path));
    }
    // Else a default below a home that nobody knows: there is nothing to look at.
  }
  folders = std::move(resolved);
}

// As resolve_folders() has them, so that the two can be compared; and plugin:NAME and git:NAME as
// they are written.
std::string resolved_repository(const std::string& written, const PathBase& base) {
  if (written.starts_with("plugin:") || written.starts_with("git:")) return written;
  if (written == kShipped) return shipped_skills().lexically_normal().string();
  const auto path = resolve(written, base);
  return path ? path->lexically_normal().string() : written;  // which no folder has
}

void resolve_repositories(Config& config, const PathBase& base) {
  for (auto& [name, agent] : config.agents) {
    if (!agent.skill_repositories) continue;
    for (std::string& one : *agent.skill_repositories) one = resolved_repository(one, base);
  }
  for (NameUse& use : config.names.all) {
    if (use.what == Named::SkillRepository) use.name = resolved_repository(use.name, base);
  }
}

// A default below a home that nobody knows: there is nowhere to keep it.
void resolve_file(fs::path& file, const PathBase& base) {
  if (file.empty()) return;
  auto path = resolve(file.string(), base);
  file = path ? *std::move(path) : fs::path();
}

// Keys of plugins that exclude each other: message and help.
std::map<std::string, std::string> contradictions(const Config& config) {
  std::map<std::string, std::string> found;
  for (const auto& [name, plugin] : config.plugins.by_name) {
    const std::string where = " in [plugin." + name + "]: ";
    if (trust_contradicts(plugin)) {
      found["trust" + where + kTrustContradiction] =
          "leave trust_read_only out: it is the old name of trust";
    }
    if (const char* const key = key_of_workers(plugin)) {
      found[key + where + "an inline plugin has no workers, it is part of the host"] =
          "set isolation to worker, or leave that key out";
    }
  }
  return found;
}

// The reader reports what the file says, with its line: here variables made it so.
void check_plugins(const Config& config, const std::map<std::string, std::string>& of_file,
                   std::vector<Diagnostic>& diagnostics) {
  Report report("environment", {}, diagnostics);
  for (const auto& [message, help] : contradictions(config)) {
    if (!of_file.contains(message)) report.error({}, "C018", message, help);
  }
}

// A key with a bad value counts as left out; that is no second fault.
bool was_reported(std::string_view key, const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [key](const Diagnostic& one) {
    return std::string_view(one.message).starts_with(key);
  });
}

// A fault of two sections together. It is at the first of the two.
void contradict(const Config& config, const std::vector<std::string>& keys, std::string message,
                std::string help, std::vector<Diagnostic>& diagnostics) {
  Diagnostic one = place_of(config.file, keys);
  if (one.line == 0) one.file = config.file.empty() ? "environment" : config.file.string();
  one.code = "C016";
  one.message = std::move(message);
  one.help = std::move(help);
  diagnostics.push_back(std::move(one));
}

// What an issuer says is nothing without whom it is said to.
void check_oauth(const Config& config, std::vector<Diagnostic>& diagnostics) {
  if (config.oauth.issuer.empty()) return;
  if (config.oauth.resource.empty() && !was_reported("resource in [oauth]", diagnostics)) {
    contradict(config, {"oauth", "issuer"}, "resource is missing in [oauth], which has an issuer",
               "add resource = \"https://tools.example/mcp\", the URL that clients have for "
               "this host: tokens are made for it",
               diagnostics);
  }
  if (config.oauth.algorithms.empty()) {
    contradict(config, {"oauth", "algorithms"},
               "algorithms in [oauth] are none, and there is an issuer",
               "leave the key out, or name what the issuer signs with", diagnostics);
  }
}

// Then every call would be refused.
void check_audit(const Config& config, std::vector<Diagnostic>& diagnostics) {
  if (!config.audit.required || !config.audit.file.empty()) return;
  contradict(config, {"audit", "required"},
             "required in [audit] is true, and file in [audit] is empty",
             "set file to the audit file's path, or set required = false", diagnostics);
}

void check_webhooks(const Config& config, std::vector<Diagnostic>& diagnostics) {
  if (config.webhook.empty() || !config.store.file.empty()) return;
  contradict(config, {"webhook", "0"}, "there is a [[webhook]], and file in [store] is empty",
             "set file to the database's path: events wait there until they are delivered",
             diagnostics);
}

// Words of user_folders.h, which are resolved when all has been read.
Config defaults_below_user_folders() {
  Config config;
  config.plugins.dirs = {kShipped, "@data/plugins"};
  config.plugins.manifest_cache = "@cache/manifests";
  config.skills.dirs = {kShipped, "@data/skills"};
  config.audit.file = "@state/audit.jsonl";
  config.store.file = "@state/toolpost.db";
  return config;
}

PathBase current_folder(const char* const* environment) {
  std::error_code fault;
  return {fs::current_path(fault), user_folders(environment)};
}

Config read_all(std::string_view text, const fs::path& file, const char* const* environment,
                OnlySections only, std::vector<Diagnostic>& diagnostics) {
  Config config = defaults_below_user_folders();
  config.file = file;
  const PathBase here = current_folder(environment);
  std::error_code fault;
  const PathBase beside{file.empty() ? here.folder : fs::absolute(file, fault).parent_path(),
                        here.user};
  config.plugins.by_name = defaults_of_shipped_plugins(here);
  read_text(text, file, beside, only, config, diagnostics);
  const auto of_file = contradictions(config);
  override_from(environment, here, config, diagnostics);
  check_plugins(config, of_file, diagnostics);
  check_oauth(config, diagnostics);
  resolve_folders(config.plugins.dirs, shipped_plugins(), here);
  resolve_folders(config.skills.dirs, shipped_skills(), here);
  resolve_repositories(config, beside);
  resolve_folders(config.plugins.trusted_dirs, shipped_plugins(), here);
  resolve_file(config.audit.file, here);
  check_audit(config, diagnostics);
  check_webhooks(config, diagnostics);
  resolve_file(config.store.file, here);
  resolve_file(config.plugins.manifest_cache, here);
  return config;
}

// Then the folders of plugins and skills may be others than those that were meant.
bool hides_folders(const Diagnostic& one) {
  const std::string_view about(one.message);
  return one.code == "C001" || one.code == "C002" || about.starts_with("plugins:") ||
         about.starts_with("skills:") || about.find("[plugins]") != std::string_view::npos ||
         about.find("[skills]") != std::string_view::npos;
}

}  // namespace

Loaded parse_sections(std::span<const std::string_view> sections, std::string_view text,
                      const fs::path& file, const char* const* environment) {
  Loaded loaded;
  Config config = read_all(text, file, environment, sections, loaded.diagnostics);
  if (loaded.diagnostics.empty()) loaded.config = std::move(config);
  return loaded;
}

Loaded parse(std::string_view text, const fs::path& file, const char* const* environment) {
  return parse_sections({}, text, file, environment);
}

std::optional<Config> readable_part(const fs::path& file, const char* const* environment) {
  const auto text =
      file.empty() ? Result<std::string>(std::string()) : read_document(file, kMostConfigBytes);
  if (!text) return std::nullopt;
  std::vector<Diagnostic> diagnostics;
  Config config = read_all(*text, file, environment, {}, diagnostics);
  if (std::any_of(diagnostics.begin(), diagnostics.end(), hides_folders)) return std::nullopt;
  return config;
}

Loaded load(const fs::path& file, const char* const* environment) {
  if (file.empty()) return parse({}, {}, environment);
  const auto text = read_document(file, kMostConfigBytes);
  if (text) return parse(*text, file, environment);
  Loaded loaded;
  Report(file.string(), {}, loaded.diagnostics).error({}, "C001", text.error().message);
  return loaded;
}

}  // namespace host::config
