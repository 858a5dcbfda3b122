// Names in a configuration that refer to things defined elsewhere: plugins, tools, also those of
// upstreams, skills, their repositories and groups. The file alone does not show whether such a
// name is right. So each use is recorded with its position, and compared later with what the host
// has found (app/core/name_check.h). names.cpp has the table of all keys that contain such names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

struct Config;
struct Node;
class Report;

enum class Named { Plugin, Tool, ToolOfPlugin, ToolsOfUpstream, Skill, SkillRepository, Group };

struct NameUse {
  Named what = Named::Plugin;
  std::string name;      // for Named::ToolsOfUpstream, it may have `*`
  std::string plugin;    // for Named::ToolOfPlugin: the plugin
  std::string upstream;  // for Named::ToolsOfUpstream: the upstream
  std::string where;     // "[plugin.shell]", "tool in [[rule]]"
  // True for settings such as behavior = "deny", enabled = false or tools_denied: with an unknown
  // name, the setting would forbid nothing.
  bool forbids = false;
  Diagnostic place;  // file, line, column and source

  bool operator==(const NameUse&) const = default;
};

// All uses of names in a configuration. Two NameUses are always equal, so that two configurations
// that differ only in positions are equal.
struct NameUses {
  std::vector<NameUse> all;

  bool operator==(const NameUses&) const { return true; }
};

// The uses of names in a file, in the order of their lines.
std::vector<NameUse> names_in(const Node& root, const Report& report);

// Returns the paths of the keys in the table, like "agent.*.rule.*.tool". `*` stands for any key,
// or any member of an array.
std::vector<std::string_view> places_of_names();

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

bool has_error(const std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
