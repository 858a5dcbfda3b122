// Loads config.toml.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/diagnostic.h"

namespace host::config {

// A relative path in a file is relative to the file's folder. A relative path in an environment
// variable is relative to the current folder. A leading `~/` means the home folder. Environment
// variables override the file. TOOLPOST_SECTION__KEY overrides a key of a section.
// TOOLPOST_PLUGIN__NAME__KEY overrides a key of a plugin. TOOLPOST_PLUGIN__NAME__SETTINGS__KEY
// overrides one setting of a plugin. A list in an environment variable has the same form as in
// TOML. If a list has only one member, the variable can have this member alone. The host ignores
// variables without `__`.
//
// `environment` has the form of environ. If `environment` is nullptr, no environment variables are
// read. If loading fails, `config` is nullopt and `diagnostics` has all faults. If `file` is empty,
// there is no file, and the environment overrides the defaults.
struct Loaded {
  std::optional<Config> config;
  std::vector<Diagnostic> diagnostics;
};
Loaded load(const std::filesystem::path& file, const char* const* environment);
Loaded parse(std::string_view text, const std::filesystem::path& file,
             const char* const* environment);
// Reads only the given sections of the file. The function reads all variables of the environment.
Loaded parse_sections(std::span<const std::string_view> sections, std::string_view text,
                      const std::filesystem::path& file, const char* const* environment);

}  // namespace host::config
