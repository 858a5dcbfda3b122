// The whole content of a file, read in blocks. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace host {

// Reads to the end that the file has now, also of files without a size (/proc). Without a value: it
// cannot be opened. Memory: the content and one copy of it; the caller limits the size where
// others choose the file.
std::optional<std::string> file_text(const std::filesystem::path& file);

}  // namespace host
