// What `plugin new` and `skill new` make: files of sdk/templates, held in this program.
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
  std::string_view name;  // "cpp/NAME.cpp.in"
  std::string_view text;
};

std::span<const TemplateFile> template_files();

// Writes the files of one template below the new folder `into`, where NAME in their names and @KEY@
// in their texts is replaced by values. Refuses a folder that is there. The paths that were made.
Result<std::vector<std::filesystem::path>> make_from_template(
    std::string_view which, const std::filesystem::path& into,
    const std::map<std::string, std::string>& values);

}  // namespace host::cli
