// What the configuration lets a plugin's worker touch, as the profile that the worker puts on.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "sandbox/profile.h"

namespace host::plugin {

sandbox::Profile profile_of(const config::Plugin& settings, const config::Sandbox& sandbox);

// Makes the folders of grants to write that are missing below the host's own folder, which is no
// other user's. Others are the operator's: a missing one may be a file system that is not mounted.
void ensure_own_folders(const config::Plugin& settings, const std::filesystem::path& own);

// For a plugin all of whose tools only read: grants to write become grants to read, and it runs no
// programs.
sandbox::Profile reading_only(sandbox::Profile profile);

// For calls that only read, beside others of the same plugin: as above. Where its commands are
// judged, `programs` are what it runs nevertheless, by name and beside the shell; then it has no
// sockets, for a program that was to read must not tell others. Empty: it runs none.
sandbox::Profile held_to_reading(sandbox::Profile profile, std::vector<std::string> programs);

// For the first trial of a library, of which nothing is known: as above, no sockets, and no more
// processor time than it may take. What will be part of the host may read all that the host may.
sandbox::Profile for_trial(sandbox::Profile profile, config::Isolation isolation,
                           std::chrono::milliseconds timeout);

// In the words of the configuration: "rw:/srv/data", "sockets", "memory_mib 1024", ...
std::vector<std::string> in_words(const sandbox::Profile& profile,
                                  const std::vector<std::string>& env);

}  // namespace host::plugin
