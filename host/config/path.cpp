#include "config/path.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/text/nearest.h"

namespace host::config {
namespace {

namespace fs = std::filesystem;

fs::path executable_folder() {
  std::error_code fault;
  const fs::path executable = fs::read_symlink("/proc/self/exe", fault);
  return executable.parent_path();
}

// The first that exists of these, seen from the executable's folder; else the first of all.
fs::path first_there(std::initializer_list<const char*> candidates) {
  const fs::path from = executable_folder();
  for (const char* candidate : candidates) {
    const fs::path at = (from / candidate).lexically_normal();
    std::error_code fault;
    if (fs::is_directory(at, fault)) return at;
  }
  return (from / *candidates.begin()).lexically_normal();
}

Error unknown(const std::string& what) {
  return Error{ErrorKind::InvalidArgument, what + " is unknown: write the path in full"};
}

// `~` and words such as `@state`, with what follows them.
Result<fs::path> with_word_replaced(std::string_view written, const UserFolders& user) {
  const std::string_view word = written.substr(0, written.find('/'));
  const std::string_view rest = written.substr(std::min(written.size(), word.size() + 1));
  if (word == "~") {
    if (user.home.empty()) return unknown("the home folder");
    return user.home / (rest.empty() ? "." : rest);
  }
  if (!word.starts_with('@')) return fs::path(written);
  const fs::path* const folder = folder_of_word(word, user);
  if (folder == nullptr) {
    return Error{ErrorKind::InvalidArgument, "no folder is called \"" + std::string(word) + "\" (" +
                                                 suggest(word, words_of_folders()) +
                                                 "): if you mean a folder of that name, "
                                                 "write ./" +
                                                 std::string(word)};
  }
  if (folder->empty()) return unknown("the folder \"" + std::string(word) + "\"");
  return *folder / rest;
}

}  // namespace

Result<fs::path> resolve(std::string_view written, const PathBase& base) {
  if (written.empty()) return Error{ErrorKind::InvalidArgument, "an empty path"};
  if (written.find('\0') != std::string_view::npos) {
    return Error{ErrorKind::InvalidArgument, "a path with a NUL character"};
  }
  HOST_TRY_ASSIGN(fs::path path, with_word_replaced(written, base.user));
  if (path.is_relative()) path = base.folder / path;
  std::error_code fault;
  path = fs::absolute(path, fault).lexically_normal();
  if (!path.has_filename() && path.has_relative_path())
    path = path.parent_path();  // no trailing slash
  return path;
}

fs::path shipped_plugins() {
  return first_there({TP_SHIPPED_PLUGINS, "plugins", "../plugins"});
}

fs::path shipped_skills() {
  // A build tree stands at build/PRESET/ of its checkout; nothing of a skill is built.
  return first_there({TP_SHIPPED_SKILLS, "../../skills", "../../../skills"});
}

}  // namespace host::config
