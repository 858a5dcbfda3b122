// Edits the text of a configuration file, so that comments, order and form of all else are kept.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/upstream.h"

namespace host::config {

// The text with a further [[upstream]] at its end.
std::string with_upstream(std::string_view text, const Upstream& upstream);

// The text without the [[upstream]] with this name: its header and its lines down to the last key,
// and the tables below it ([upstream.env]). Comments before and after it are kept. NotFound: there
// is none. InvalidArgument: it is written in a form that can only be removed by hand.
Result<std::string> without_upstream(std::string_view text, std::string_view name);

// Replaces the file's text, in one step: readers see the whole old or the whole new one. If the
// file is a symbolic link, the file that it leads to is replaced. Mode and owner are kept. Fails if
// the file has not the text `before` any more, or its owner cannot be kept. A file that does not
// exist is made, for its user alone; then `before` is empty.
Result<void> replace_text(const std::filesystem::path& file, std::string_view before,
                          std::string_view after);

}  // namespace host::config
