// Folders for what only the host's own user may read.
#pragma once

#include <filesystem>

namespace host::store {

// Makes it (0700), and what is above it, where absent. What cannot be made is told by the open()
// that follows.
void make_private_folder(const std::filesystem::path& folder);

}  // namespace host::store
