#include "roots/roots.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <toolpost/toolpost.hpp>

#include "roots/utf8.h"

namespace {

using Parts = std::vector<std::string>;

// "." and empty parts left out.
Parts split(const std::string& path) {
  Parts parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    std::string part = path.substr(at, slash - at);
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    at = slash + 1;
  }
  return parts;
}

std::string join(const Parts& parts, std::size_t from = 0) {
  std::string path;
  for (std::size_t i = from; i < parts.size(); ++i) path += "/" + parts[i];
  return path;
}

bool starts_with(const Parts& path, const Parts& folder) {
  return path.size() >= folder.size() && std::equal(folder.begin(), folder.end(), path.begin());
}

// The kernel's O_LARGEFILE and the like are not openat2's: only what was asked for.
Fd beneath(int root, const std::string& rest, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0;; ++attempt) {
    const long fd = ::syscall(SYS_openat2, root, rest.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR) || attempt == 16)
      return Fd(static_cast<int>(fd));
  }
}

Fd open_root(const std::string& folder) {
  return Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

std::string reason(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string Place::path() const {
  return parts.empty() ? root : (root == "/" ? "" : root) + join(parts);
}

std::string Place::rest() const {
  return parts.empty() ? "." : join(parts).substr(1);
}

Place Place::parent() const {
  return {root, Parts(parts.begin(), parts.end() - 1)};
}

Place Place::below(const std::string& path) const {
  Place place = *this;
  for (std::string& part : split(path)) place.parts.push_back(std::move(part));
  return place;
}

std::string path_of_setting(const std::string& written, const std::string& setting) {
  const char* home = std::getenv("HOME");
  const bool at_home = written == "~" || written.starts_with("~/");
  const std::string path = at_home && home != nullptr ? home + written.substr(1) : written;
  const auto refuse = [&](const char* why) {
    throw toolpost::Error("setting " + setting + ": \"" + written + "\" " + why);
  };
  if (!path.starts_with('/')) refuse("is no absolute path: write it from / or ~/");
  const Parts parts = split(path);
  if (std::find(parts.begin(), parts.end(), "..") != parts.end())
    refuse("has \"..\": write the path without it");
  return parts.empty() ? "/" : join(parts);
}

Roots::Roots(const std::vector<std::string>& folders, std::string plugin)
    : plugin_(std::move(plugin)) {
  for (const std::string& folder : folders) {
    folders_.push_back(path_of_setting(folder, "/roots of plugin " + plugin_));
    std::vector<std::string>& spellings = spellings_.emplace_back();
    spellings.push_back(folders_.back());
    char real[PATH_MAX];
    if (::realpath(folders_.back().c_str(), real) != nullptr && folders_.back() != real)
      spellings.emplace_back(real);
  }
}

std::string Roots::told() const {
  if (folders_.empty())
    return "no folder is granted: the operator names them in config.toml, [plugin." + plugin_ +
           ".settings] roots = [\"/path\"], and grants them in [plugin." + plugin_ + "]";
  std::string text = "granted are ";
  for (const std::string& folder : folders_) text += (text.ends_with(' ') ? "" : ", ") + folder;
  return text;
}

Place Roots::find(const std::string& path) const {
  if (folders_.empty()) throw toolpost::Error(told());
  const auto refuse = [&](const std::string& why) {
    throw toolpost::Error("path \"" + std::string(toolpost::cut(path, 200)) + "\" " + why + "; " +
                          told());
  };
  if (path.find('\0') != path.npos) refuse("has a NUL byte");
  if (path.size() >= PATH_MAX) refuse("is too long");
  if (!path.starts_with('/')) refuse("is not absolute: give it from /");
  const Parts parts = split(path);
  for (const std::string& part : parts) {
    if (part == "..") refuse("has \"..\": give it without");
  }
  // The deepest root that it lies beneath, by whole parts.
  Place found;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    for (const std::string& spelling : spellings_[i]) {
      const Parts folder = split(spelling);
      if (!starts_with(parts, folder) || (!found.root.empty() && folder.size() <= depth)) continue;
      found = {folders_[i], Parts(parts.begin() + static_cast<long>(folder.size()), parts.end())};
      depth = folder.size();
    }
  }
  if (found.root.empty()) refuse("is outside the granted folders");
  return found;
}

Fd Roots::open(const Place& place, int flags, unsigned mode) const {
  const Fd root = open_root(place.root);
  if (!root) return Fd();
  Fd fd = beneath(root.get(), place.rest(), flags, mode);
  if (!fd && errno == ENOSYS) return walk(place, flags, mode);
  return fd;
}

Fd Roots::walk(const Place& place, int flags, unsigned mode) const {
  Fd at = open_root(place.root);
  if (!at) return at;
  flags |= O_NOFOLLOW | O_CLOEXEC;
  if (place.parts.empty()) return Fd(::openat(at.get(), ".", flags, mode));
  for (std::size_t i = 0; i + 1 < place.parts.size(); ++i) {
    const char* part = place.parts[i].c_str();
    Fd next(::openat(at.get(), part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return next;
    at = std::move(next);
  }
  // O_PATH with O_NOFOLLOW gives the link itself, where openat2 gives ELOOP.
  Fd last(::openat(at.get(), place.name().c_str(), flags, mode));
  char target;
  if (last && (flags & O_PATH) != 0 && ::readlinkat(last.get(), "", &target, 1) >= 0) {
    last.reset();
    errno = ELOOP;
  }
  return last;
}

std::string Roots::explain(const Place& place, int error) const {
  if (!open_root(place.root))
    return "the granted folder " + place.root + " cannot be opened: " + reason(errno) +
           "; the operator makes it, or grants it in [plugin." + plugin_ + "]";
  Place upto{place.root, {}};
  for (const std::string& part : place.parts) {
    const Fd folder = walk(upto, O_PATH | O_DIRECTORY);
    if (!folder) break;
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(folder.get(), part.c_str(), target, sizeof target);
    upto.parts.push_back(part);
    if (size < 0) continue;
    return upto.path() + " is a symbolic link to " +
           printable({target, static_cast<std::size_t>(size)}) +
           ", and links are not followed: name the place itself";
  }
  const bool denied = error == EACCES || error == EPERM;
  if (!denied || Fd(::open(place.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    return place.path() + ": " + reason(error);
  return place.path() + ": " + reason(error) + "; the operator grants the folder " + place.root +
         " in [plugin." + plugin_ + "], by fs = [\"ro:" + place.root + "\"], or \"rw:\" to write";
}
