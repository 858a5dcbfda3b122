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

// The names that exist.
struct KnownNames {
  std::set<std::string, std::less<>> plugins;  // also plugins that are disabled or were refused
  // Names of tools, by the plugin that declares them. The key "host" has the host's own tools. Only
  // plugins that serve are included. With plugins.on_conflict = "namespace", the prefixed names are
  // included too.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> tools;
  std::set<std::string, std::less<>> skills;
  std::set<std::string, std::less<>> skill_repositories;  // folders, and plugin:NAME
  // The tools of each upstream whose list was read at least once.
  struct OfUpstream {
    std::set<std::string, std::less<>> own;     // as the upstream names them
    std::set<std::string, std::less<>> served;  // mcp__UPSTREAM__TOOL
  };
  std::map<std::string, OfUpstream, std::less<>> upstreams;

  // Returns the plugins whose libraries the host could not read. A tool with an unknown name may
  // belong to one of them.
  std::vector<std::string_view> unread_plugins() const;
};

// Returns one Diagnostic (C019) for each unknown name that plugins.expected does not list. The
// Diagnostic is an error if the setting forbids something, otherwise a warning. There are two
// exceptions in which it is a warning, unless a known tool has nearly the same name: the tool of a
// rule may belong to a plugin that was not read, or to an upstream, which may drop a tool at any
// time. For an upstream whose tools are not known yet, no Diagnostic is returned.
std::vector<Diagnostic> unknown_names(const Config& config, const KnownNames& known);

}  // namespace host::config
