// Folders and files of the host's own, which no other user may change. Every step of a path is
// opened by itself, from the root, and checked on the open descriptor: what was checked cannot be
// exchanged afterwards by anybody but the superuser and the host's own user. Any thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host {

enum class Make { No, Yes };

// Checked: each folder above has to be the host's or the superuser's too, and not to be written by
// others (a sticky one may, like /tmp). Trusted: only the folder itself is checked; for places that
// the system shares among its services, like /var/log.
enum class Above { Checked, Trusted };

// The folder, which belongs to the host's user or the superuser and which nobody else may write to;
// made (0700), with what is above it, where absent and `make` says so. NotFound: there is none.
// Denied names the first folder that others control, and what to do.
Result<UniqueFd> open_private_folder(const std::filesystem::path& folder, Make make,
                                     Above above = Above::Checked);

// Whom else a file may be open to.
enum class Others { None, MayRead };

// NotFound: there is none. Denied: it is a symbolic link or no regular file, belongs to another
// user, or is open to others. The file is not opened.
Result<void> check_private_file(int folder, const std::filesystem::path& file, Others others);

// Both: for what has to be right before the first thing is read from it. Absent is right.
Result<void> check_private_place(const std::filesystem::path& file, Others others,
                                 Above above = Above::Checked);

}  // namespace host
