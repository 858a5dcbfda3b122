// The folders of the user that runs the host: home, and those of the XDG Base Directory
// Specification. The one rule for where a host without other settings reads and keeps things.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::config {

// Each is empty if it is unknown. All but `home` are this program's own: they end in "toolpost".
struct UserFolders {
  std::filesystem::path home;    // HOME, otherwise what the system says
  std::filesystem::path config;  // below XDG_CONFIG_HOME, otherwise ~/.config
  std::filesystem::path state;   // below XDG_STATE_HOME, otherwise ~/.local/state
  std::filesystem::path cache;   // below XDG_CACHE_HOME, otherwise ~/.cache
  std::filesystem::path data;    // below XDG_DATA_HOME, otherwise ~/.local/share
};

// As the specification has it, an XDG variable that is empty or not an absolute path is ignored.
UserFolders user_folders(const char* const* environment);

// The names of the XDG variables that are ignored because they are not absolute paths.
std::vector<std::string> ignored_variables(const char* const* environment);

// The database that a host of this user had before XDG_STATE_HOME was set, if it exists and the
// state folder of today has none.
std::optional<std::filesystem::path> database_elsewhere(const UserFolders& folders);

// The folder that a word in a configuration stands for ("@state", "@cache", "@data"), or null.
const std::filesystem::path* folder_of_word(std::string_view word, const UserFolders& folders);

// All these words.
std::vector<std::string_view> words_of_folders();

}  // namespace host::config
