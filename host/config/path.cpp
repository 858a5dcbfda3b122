#include "config/path.h"

#include <pwd.h>
#include <unistd.h>

#include <initializer_list>
#include <string>
#include <vector>

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

}  // namespace

Result<fs::path> resolve(std::string_view written, const PathBase& base) {
  if (written.empty()) return Error{ErrorKind::InvalidArgument, "an empty path"};
  if (written.find('\0') != std::string_view::npos) {
    return Error{ErrorKind::InvalidArgument, "a path with a NUL character"};
  }
  fs::path path(written);
  if (written == "~" || written.starts_with("~/")) {
    if (base.home.empty()) {
      return Error{ErrorKind::InvalidArgument,
                   "the home folder is unknown: write the path in full"};
    }
    path = base.home / (written.size() > 2 ? written.substr(2) : ".");
  }
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

fs::path state_folder(const char* const* environment) {
  const auto folder = resolve("~/.local/state/toolpost", {{}, home_folder(environment)});
  return folder ? *folder : fs::path();
}

fs::path home_folder(const char* const* environment) {
  for (const char* const* at = environment; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable(*at);
    if (variable.starts_with("HOME=/")) return fs::path(variable.substr(5));
  }
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
  return found != nullptr && found->pw_dir != nullptr ? fs::path(found->pw_dir) : fs::path();
}

}  // namespace host::config
