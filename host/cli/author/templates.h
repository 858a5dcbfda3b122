// Makes the files for `plugin new` and `skill new` from the files of sdk/templates, which are built
// into this program.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::cli {

struct TemplateFile {
  std::string_view name;  // a path like "cpp/NAME.cpp.in"
  std::string_view text;
};

std::span<const TemplateFile> template_files();

// Writes the files of one template below the new folder `into`. The function replaces NAME in file
// names and @KEY@ in the files' texts by their values in `values`. Returns an Error if the folder
// already exists. Returns the paths of the new files.
Result<std::vector<std::filesystem::path>> make_from_template(
    std::string_view which, const std::filesystem::path& into,
    const std::map<std::string, std::string>& values);

}  // namespace host::cli
