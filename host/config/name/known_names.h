// Compares the names that a configuration uses with the names that exist.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/diagnostic.h"

namespace host::config {

// The value of NameUse::where for the plugin that an [[interceptor]] names.
inline constexpr std::string_view kPluginOfInterceptor = "plugin in [[interceptor]]";

struct KnownNames {
  std::set<std::string, std::less<>> plugins;  // also the names of disabled and refused plugins
  // A map from the name of a plugin to the names of the tools that it declares. The host's own
  // tools have the plugin name "host". The map of tools contains only plugins that are in use. With
  // plugins.on_conflict = "namespace", the map also contains the prefixed names of tools.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> tools;
  std::set<std::string, std::less<>> skills;
  std::set<std::string, std::less<>> skill_repositories;  // folders, and plugin:NAME
  // The names of the tools of each upstream whose list of tools was read at least once.
  struct OfUpstream {
    std::set<std::string, std::less<>> own;     // the names that the upstream gives to the tools
    std::set<std::string, std::less<>> served;  // mcp__UPSTREAM__TOOL
  };
  std::map<std::string, OfUpstream, std::less<>> upstreams;
  bool has_all_skills = true;  // false: the skills of Git repositories are missing in `skills`
  // The names in `plugins` whose libraries were removed while the host runs.
  std::set<std::string, std::less<>> removed_plugins = {};

  // Returns the plugins whose libraries the host could not read. A tool with an unknown name could
  // belong to a plugin whose library the host could not read.
  std::vector<std::string_view> unread_plugins() const;
};

// Returns one Diagnostic (C019) for each unknown name that plugins.expected does not list. The
// Diagnostic about an unknown name is an error if the setting forbids something, otherwise a
// warning. If the tool of a rule could belong to a plugin that the host could not read, the
// Diagnostic is only a warning. An unknown tool of an upstream causes only a warning, because an
// upstream can drop a tool at any time. If the upstream has a tool with nearly the same name, the
// Diagnostic is an error, because the unknown name is probably a typing error. For an upstream
// whose tools are not known yet, the function returns no Diagnostic. The plugin of an
// [[interceptor]] must be installed, even if it is a shipped plugin.
std::vector<Diagnostic> unknown_names(const Config& config, const KnownNames& known);

// Returns one Diagnostic for each setting that would have no effect if the upstream `upstream` were
// removed, such as a rule that denies a tool of the upstream. A host does not start with a setting
// that would forbid nothing.
std::vector<Diagnostic> refused_without(const Config& config, std::string_view upstream);

}  // namespace host::config
