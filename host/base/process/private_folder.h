// Opens folders and files that no other user can change. The functions open each folder of a path
// separately, from the root, and check the open descriptor of the folder. So after the check only
// the superuser and the host's own user can replace a part of the path. Any thread can call the
// functions of this header.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host {

enum class Make { No, Yes };

// In the mode Checked, each parent folder must belong to the host's user or the superuser. Other
// users must not be able to write to a parent folder, unless the folder is sticky, like /tmp. In
// the mode Trusted, the functions check only the folder itself. Use Trusted for places that system
// services share, like /var/log.
enum class Above { Checked, Trusted };

// Opens a folder. The folder must belong to the host's user or the superuser, and no other user
// must be able to write to it. If the folder does not exist and `make` is Yes, the function makes
// the folder and its parents (0700). The Error NotFound means that the folder does not exist. The
// Error Denied means that other users could change a folder of the path. The message of the Error
// Denied names the first folder that other users could change, and says what to do.
Result<UniqueFd> open_private_folder(const std::filesystem::path& folder, Make make,
                                     Above above = Above::Checked);

// The enumeration Others says what other users may do with a file.
enum class Others { None, MayRead };

// Checks a file's kind, owner and mode, without opening it. The Error NotFound means that the file
// does not exist. The Error Denied means that the file is not a regular file, that another user
// owns it, or that other users have more access than `others` allows.
Result<void> check_private_file(int folder, const std::filesystem::path& file, Others others);

// Checks a file as check_private_file() does, and its folder as open_private_folder() does. Call
// check_private_place() before the first read of the file. The function check_private_place()
// accepts an absent file or folder.
Result<void> check_private_place(const std::filesystem::path& file, Others others,
                                 Above above = Above::Checked);

}  // namespace host
