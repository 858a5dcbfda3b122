// Names in a configuration that refer to things defined elsewhere: plugins, tools, also those of
// upstreams, skills and groups. The file alone does not show whether such a name is right. So each
// use is recorded with its position, and compared later with what the host has found
// (app/core/name_check.h). names.cpp has the table of all keys that contain such names.
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

enum class Named { Plugin, Tool, ToolOfPlugin, ToolsOfUpstream, Skill, Group };

struct NameUse {
  Named what = Named::Plugin;
  std::string name;      // of Named::ToolsOfUpstream it may have `*`
  std::string plugin;    // of Named::ToolOfPlugin
  std::string upstream;  // of Named::ToolsOfUpstream
  std::string where;     // "[plugin.shell]", "tool in [[rule]]"
  // behavior = "deny", enabled = false, tools_denied: an unknown name would forbid nothing
  bool forbids = false;
  Diagnostic place;  // file, line, column and source

  bool operator==(const NameUse&) const = default;
};

// Positions are not settings: two configurations that differ only in positions are equal.
struct NameUses {
  std::vector<NameUse> all;

  bool operator==(const NameUses&) const { return true; }
};

// The uses of names in a file, in the order of their lines.
std::vector<NameUse> names_in(const Node& root, const Report& report);

// The paths in the table, like "agent.*.rule.*.tool". `*` is any key, or any member of an array.
std::vector<std::string_view> places_of_names();

// The names that exist.
struct KnownNames {
  std::set<std::string, std::less<>> plugins;  // also those that are disabled or were refused
  // Names of tools, by the plugin that declares them. "host": the host's own tools. Only plugins
  // that serve. With plugins.on_conflict = "namespace", the prefixed names too.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> tools;
  std::set<std::string, std::less<>> skills;
  // The tools of each upstream whose list was read at least once.
  struct OfUpstream {
    std::set<std::string, std::less<>> own;     // as the upstream names them
    std::set<std::string, std::less<>> served;  // mcp__UPSTREAM__TOOL
  };
  std::map<std::string, OfUpstream, std::less<>> upstreams;

  // Plugins that were not read. A tool with an unknown name may belong to one of them.
  std::vector<std::string_view> unread_plugins() const;
};

// One Diagnostic (C019) for each unknown name that plugins.expected does not list. It is an error
// if the setting forbids something, otherwise a warning. If the tool of a rule may belong to a
// plugin that was not read, it is a warning too, unless a known tool has nearly the same name. The
// same is true of tools of an upstream, because an upstream may drop a tool at any time. For an
// upstream whose tools are not known yet, no Diagnostic is returned.
std::vector<Diagnostic> unknown_names(const Config& config, const KnownNames& known);

bool has_error(const std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
