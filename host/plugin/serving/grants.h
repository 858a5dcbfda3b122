// Makes a worker's sandbox profile from the configuration.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "sandbox/profile.h"

namespace host::plugin {

sandbox::Profile profile_of(const config::Plugin& settings, const config::Sandbox& sandbox);

// Makes missing folders of write grants, if they are below the host's own folder, which no other
// user can change. Other folders belong to the operator: a missing one may be a file system that is
// not mounted.
void ensure_own_folders(const config::Plugin& settings, const std::filesystem::path& own);

// For a plugin whose tools all only read: write grants become read grants, and it cannot run
// programs.
sandbox::Profile reading_only(sandbox::Profile profile);

// For the read-only calls of a plugin that also has other calls: as reading_only(). If the host
// judges the plugin's commands, the worker can run `programs`, by name, and the shell. It has no
// sockets, so that a program that reads cannot send data. Empty `programs`: it can run no program.
sandbox::Profile held_to_reading(sandbox::Profile profile, std::vector<std::string> programs);

// For the validation of an unknown library: as reading_only(), without sockets, and with processor
// time limited to `timeout`. A library that will run inline may read everything that the host may.
sandbox::Profile for_trial(sandbox::Profile profile, config::Isolation isolation,
                           std::chrono::milliseconds timeout);

// The grants in the form of the configuration: "rw:/srv/data", "sockets", "memory_mib 1024", ...
std::vector<std::string> in_words(const sandbox::Profile& profile,
                                  const std::vector<std::string>& env);

}  // namespace host::plugin
