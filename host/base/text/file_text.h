// Reads the whole content of a file, in blocks. Any thread can call the functions of this header.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace host {

// Reads the file to its current end, also if the file system gives no size for the file (/proc).
// Returns nullopt if the file cannot be opened. The function needs twice as much memory as the
// content of the file. If other users can choose the file, the caller must limit the file's size.
std::optional<std::string> file_text(const std::filesystem::path& file);

}  // namespace host
