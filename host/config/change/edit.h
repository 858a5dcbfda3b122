// Edits the text of a configuration file. An edit does not change the rest of the text: comments,
// order and formatting.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/upstream.h"

namespace host::config {

// Returns the text of the file with a further [[upstream]] section at its end.
std::string with_upstream(std::string_view text, const Upstream& upstream);

// Returns the text of the file without the [[upstream]] section that has the name `name`. The
// function removes the section's header, the section's lines down to the last key, and the tables
// below the section ([upstream.env]). Comments before and after the removed section stay. The Error
// NotFound means that no upstream has this name. The Error InvalidArgument means that the upstream
// is written in a form that only a person can remove.
Result<std::string> without_upstream(std::string_view text, std::string_view name);

// Replaces the text of a file in one step: readers see either the whole old text or the whole new
// text. If the file is a symbolic link, the function replaces the file to which the link leads. The
// new file has the mode and the owner of the old file. The function fails if the file's text no
// longer equals the argument `before`, or if the new file cannot get the same owner. If the file
// does not exist, `before` must be empty, and the function makes a file that only its user can
// access. Processes that call the function at the same time replace the file one after the other.
Result<void> replace_text(const std::filesystem::path& file, std::string_view before,
                          std::string_view after);

}  // namespace host::config
