// The whole content of a file, read in blocks. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace host {

// Reads to the current end of the file, also for files without a size (/proc). nullopt: the file
// cannot be opened. Needs memory for twice the content. If other users choose the file, the caller
// must limit its size.
std::optional<std::string> file_text(const std::filesystem::path& file);

}  // namespace host
