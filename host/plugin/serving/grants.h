// Makes the sandbox profile of a worker from the configuration.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "sandbox/profile.h"

namespace host::plugin {

sandbox::Profile profile_of(const config::Plugin& settings, const config::Sandbox& sandbox);

// Makes missing folders of write grants, but only folders below `own`. `own` is a folder of the
// host that no other user can change. ensure_own_folders() makes no folder outside of `own`,
// because the file system of such a folder is possibly not mounted.
void ensure_own_folders(const config::Plugin& settings, const std::filesystem::path& own);

// Returns the profile for a plugin whose tools are all read-only. In this profile, write grants
// become read grants, and the worker cannot run programs.
sandbox::Profile reading_only(sandbox::Profile profile);

// Returns the profile of separate workers for the read-only calls of a plugin that also has other
// calls. The profile is equal to the profile of reading_only(), with one addition. If the
// configuration allows the plugin to run programs and `programs` is not empty, the worker can run
// the shell and the programs in `programs`. A worker that can run programs has no sockets, so that
// no program can send data to the network. If `programs` is empty, the worker can run no program.
sandbox::Profile held_to_reading(sandbox::Profile profile, std::vector<std::string> programs);

// Returns the profile for the validation load of an unknown library. The profile is equal to the
// profile of reading_only(), but has no sockets, and limits the processor time to `timeout`. A
// library that will run inline may read all files that the host may read.
sandbox::Profile for_trial(sandbox::Profile profile, config::Isolation isolation,
                           std::chrono::milliseconds timeout);

// Returns the grants in the form of the configuration, such as "rw:/srv/data", "sockets" or
// "memory_mib 1024".
std::vector<std::string> in_words(const sandbox::Profile& profile,
                                  const std::vector<std::string>& env);

}  // namespace host::plugin
