// Names in a configuration that refer to things defined elsewhere: plugins, tools, also those of
// upstreams, skills, their repositories and groups. The file alone does not show whether such a
// name is right. So each use is recorded with its position (used_names.h), and compared later with
// what the host has found (known_names.h, app/core/name_check.h).
#pragma once

#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

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

}  // namespace host::config
