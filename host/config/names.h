// The names that a configuration uses of things that are found elsewhere: plugins, tools, skills
// and groups. The file alone cannot say whether such a name is right, so each use is kept with its
// place, and is compared with what the host has found (app/name_check.h). names.cpp has the one
// table of the places in which a configuration uses a name.
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

enum class Named { Plugin, Tool, ToolOfPlugin, Skill, Group };

struct NameUse {
  Named what = Named::Plugin;
  std::string name;
  std::string plugin;    // of Named::ToolOfPlugin
  std::string where;     // "[plugin.shell]", "tool in [[rule]]"
  bool forbids = false;  // behavior = "deny" or enabled = false: unknown, it would forbid nothing
  Diagnostic place;      // file, line, column and source

  bool operator==(const NameUse&) const = default;
};

// Where names stand is no setting: two configurations that differ in nothing else are equal.
struct NameUses {
  std::vector<NameUse> all;

  bool operator==(const NameUses&) const { return true; }
};

// Those of a whole file, in the order of their lines.
std::vector<NameUse> names_in(const Node& root, const Report& report);

// The paths of the table, like "agent.*.rule.*.tool": `*` is any key, or any member of an array.
std::vector<std::string_view> places_of_names();

// What there is.
struct KnownNames {
  std::set<std::string, std::less<>> plugins;  // also those that are disabled or were refused
  // The tools of each plugin that was read, by the names that it gives them, and the host's own.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> tools;
  std::set<std::string, std::less<>> skills;

  // Nothing has read these: a tool with an unknown name may be theirs.
  std::vector<std::string_view> unread_plugins() const;
};

// One Diagnostic (C019) for each name that is not known, and not among plugins.expected. An error
// where it forbids something, otherwise a warning. A warning, too, for a rule whose tool may belong
// to a plugin that was not read, unless a known tool has nearly the same name.
std::vector<Diagnostic> unknown_names(const Config& config, const KnownNames& known);

bool has_error(const std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
