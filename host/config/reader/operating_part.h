// Reads the part of a faulty configuration that commands for a running host need. The operating
// part says where the store, the audit and the address are, and how the host handles approvals and
// logins. So an operator can revoke a key or decide about an approval although another section of
// config.toml has an error.
#pragma once

#include <filesystem>

#include "config/reader/load.h"

namespace host::config {

// The sections that belong to the operating part of a configuration.
inline constexpr std::string_view kOperatingSections[] = {"server",  "auth",  "oauth", "approval",
                                                          "plugins", "audit", "store"};

// Reads only the sections of kOperatingSections from the file, and the environment variables for
// them. Keys of other sections have their defaults, so the caller must not use these keys.
// `diagnostics` contains all faults of the file.
//
// `config` is nullopt in the following cases, because the file could name another store or audit:
// - the file cannot be read or is not TOML;
// - one of the sections, or an environment variable, has a fault;
// - an unknown key or section could be a misspelt or misplaced key of one of the sections.
Loaded operating_part(const std::filesystem::path& file, const char* const* environment);
Loaded operating_part_of(std::string_view text, const std::filesystem::path& file,
                         const char* const* environment);

}  // namespace host::config
