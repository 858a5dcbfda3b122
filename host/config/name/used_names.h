// Finds the names of plugins, tools, skills, repositories and groups that a configuration uses. A
// table in used_names.cpp lists all keys in which names of plugins, tools, skills, repositories and
// groups occur.
#pragma once

#include <string_view>
#include <vector>

#include "config/document/node.h"
#include "config/document/report.h"
#include "config/name_use.h"

namespace host::config {

// Returns each use of a name in the configuration file, in the order of the file's lines.
std::vector<NameUse> names_in(const Node& root, const Report& report);

// Returns the paths of the keys in the table, like "agent.*.rule.*.tool". In a path, `*` stands for
// any key, or any member of an array.
std::vector<std::string_view> places_of_names();

}  // namespace host::config
