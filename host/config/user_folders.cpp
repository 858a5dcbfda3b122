#include "config/user_folders.h"

#include <pwd.h>
#include <unistd.h>

namespace host::config {
namespace {

namespace fs = std::filesystem;

// One folder of the specification.
struct Kind {
  std::string_view variable;
  std::string_view under_home;
  std::string_view word;  // in a configuration; empty: none
  fs::path UserFolders::*folder;
};

constexpr Kind kKinds[] = {
    {"XDG_CONFIG_HOME", ".config", {}, &UserFolders::config},
    {"XDG_STATE_HOME", ".local/state", "@state", &UserFolders::state},
    {"XDG_CACHE_HOME", ".cache", "@cache", &UserFolders::cache},
    {"XDG_DATA_HOME", ".local/share", "@data", &UserFolders::data},
};

constexpr std::string_view kOwn = "toolpost";

std::string_view value_of(std::string_view name, const char* const* environment) {
  for (const char* const* at = environment; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable(*at);
    if (variable.starts_with(name) && variable.substr(name.size()).starts_with('='))
      return variable.substr(name.size() + 1);
  }
  return {};
}

fs::path home_folder(const char* const* environment) {
  const std::string_view home = value_of("HOME", environment);
  if (home.starts_with('/')) return fs::path(home);
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
  return found != nullptr && found->pw_dir != nullptr ? fs::path(found->pw_dir) : fs::path();
}

}  // namespace

UserFolders user_folders(const char* const* environment) {
  UserFolders folders;
  folders.home = home_folder(environment);
  for (const Kind& kind : kKinds) {
    const std::string_view set = value_of(kind.variable, environment);
    if (set.starts_with('/')) {
      folders.*kind.folder = (fs::path(set) / kOwn).lexically_normal();
    } else if (!folders.home.empty()) {
      folders.*kind.folder = (folders.home / kind.under_home / kOwn).lexically_normal();
    }
  }
  return folders;
}

std::vector<std::string> ignored_variables(const char* const* environment) {
  std::vector<std::string> ignored;
  for (const Kind& kind : kKinds) {
    const std::string_view set = value_of(kind.variable, environment);
    if (!set.empty() && !set.starts_with('/')) ignored.emplace_back(kind.variable);
  }
  return ignored;
}

std::optional<fs::path> database_elsewhere(const UserFolders& folders) {
  constexpr const char* kDatabase = "toolpost.db";
  if (folders.home.empty() || folders.state.empty()) return std::nullopt;
  const fs::path usual = (folders.home / ".local/state" / kOwn).lexically_normal();
  std::error_code error;
  if (usual == folders.state || fs::exists(folders.state / kDatabase, error)) return std::nullopt;
  if (!fs::exists(usual / kDatabase, error)) return std::nullopt;
  return usual / kDatabase;
}

const fs::path* folder_of_word(std::string_view word, const UserFolders& folders) {
  for (const Kind& kind : kKinds) {
    if (!kind.word.empty() && kind.word == word) return &(folders.*kind.folder);
  }
  return nullptr;
}

std::vector<std::string_view> words_of_folders() {
  std::vector<std::string_view> words;
  for (const Kind& kind : kKinds) {
    if (!kind.word.empty()) words.push_back(kind.word);
  }
  return words;
}

}  // namespace host::config
