// Collects the names in a configuration that refer to things which are defined elsewhere. The
// collected names are those of plugins, tools (also of upstreams), skills, and the repositories and
// groups of skills. The reader records each use of a name with its position (used_names.h). The
// host later checks whether a plugin, tool or skill with each collected name exists (known_names.h,
// app/core/name_check.h).
#pragma once

#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

enum class Named { Plugin, Tool, ToolOfPlugin, ToolsOfUpstream, Skill, SkillRepository, Group };

struct NameUse {
  Named what = Named::Plugin;
  std::string name;      // the name, or a pattern with `*` for Named::ToolsOfUpstream
  std::string plugin;    // for Named::ToolOfPlugin: the plugin
  std::string upstream;  // for Named::ToolsOfUpstream: the upstream
  std::string where;     // "[plugin.shell]", "tool in [[rule]]"
  // `forbids` is true for settings such as behavior = "deny", enabled = false or tools_denied.
  bool forbids = false;
  Diagnostic place;  // file, line, column and source

  bool operator==(const NameUse&) const = default;
};

// All places where a configuration names a plugin, a tool or another thing that is defined
// elsewhere. The operator== always returns true, because the places of names make no difference
// between two configurations.
struct NameUses {
  std::vector<NameUse> all;

  bool operator==(const NameUses&) const { return true; }
};

}  // namespace host::config
