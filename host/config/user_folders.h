// The folders of the user that runs the host: the home folder, and the folders of the XDG Base
// Directory Specification. Without other settings, a host reads and stores its files in the folders
// of its user.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::config {

// A member of this struct is empty if the host does not know the folder. The paths of all folders
// except `home` end in "toolpost".
struct UserFolders {
  std::filesystem::path home;    // HOME, otherwise from the system's user database
  std::filesystem::path config;  // below XDG_CONFIG_HOME, otherwise ~/.config
  std::filesystem::path state;   // below XDG_STATE_HOME, otherwise ~/.local/state
  std::filesystem::path cache;   // below XDG_CACHE_HOME, otherwise ~/.cache
  std::filesystem::path data;    // below XDG_DATA_HOME, otherwise ~/.local/share
};

// The function user_folders() ignores an XDG variable that is empty or not an absolute path, as the
// XDG specification requires.
UserFolders user_folders(const char* const* environment);

// Returns the names of the XDG variables that user_folders() ignores because they are not absolute
// paths.
std::vector<std::string> ignored_variables(const char* const* environment);

// Returns the database that a host of this user had before XDG_STATE_HOME was set, if it exists and
// the current state folder has no database.
std::optional<std::filesystem::path> database_elsewhere(const UserFolders& folders);

// Returns the folder that a word in a configuration stands for ("@state", "@cache", "@data"). The
// returned pointer is null if the word is unknown.
const std::filesystem::path* folder_of_word(std::string_view word, const UserFolders& folders);

// Returns all words that folder_of_word() accepts.
std::vector<std::string_view> words_of_folders();

}  // namespace host::config
