// Finds the libraries in the plugin folders. The functions of this header read only folders and the
// attributes of files. They read no file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plugin/lifecycle/lifecycle.h"
#include "tool/provider/catalog.h"

namespace host::plugin {

struct Found {
  std::filesystem::path path;
  LibraryMark mark;
  std::vector<tool::Refusal> refused;  // files of the same name in later folders
  bool operator==(const Found& other) const { return path == other.path && mark == other.mark; }
};

struct FoundLibraries {
  std::map<std::string, Found> by_name;  // by the plugin's name
  // The folders that exist but could not be read, with the reasons.
  std::map<std::filesystem::path, std::string> unread;
};

// If several folders have a library of the same name, the first folder wins. `before` is the result
// of the previous call of find_libraries(). If a folder or file cannot be read, the affected
// libraries stay as they were in `before`, because they may still exist.
FoundLibraries find_libraries(const std::vector<std::filesystem::path>& folders,
                              const std::map<std::string, Found>& before);

// Returns the targets of symbolic links among the libraries and side files. The target of a
// symbolic link can change although its folder is no plugin folder.
std::vector<std::filesystem::path> link_targets(const std::map<std::string, Found>& found);

}  // namespace host::plugin
