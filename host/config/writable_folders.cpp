#include "config/writable_folders.h"

#include <algorithm>

namespace host::config {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostLinks = 40;  // as the kernel follows

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [of_path, of_folder] =
      std::mismatch(path.begin(), path.end(), folder.begin(), folder.end());
  return of_folder == folder.end() && of_path != path.end();
}

void push_parts(const fs::path& path, std::vector<fs::path>& rest) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  rest.insert(rest.end(), parts.rbegin(), parts.rend());
}

// Follows an absolute path as the kernel does. The places of its components are added to `places`:
// whoever can write the folder of one of them decides where the path leads. What does not exist is
// no link.
fs::path followed(const fs::path& path, std::vector<fs::path>& places) {
  std::vector<fs::path> rest;
  push_parts(path.relative_path(), rest);
  fs::path at = "/";
  for (unsigned links = 0; !rest.empty();) {
    const fs::path part = rest.back();
    rest.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    places.push_back(at / part);
    std::error_code fault;
    const fs::path target = fs::read_symlink(places.back(), fault);
    if (fault || ++links > kMostLinks) {
      at = places.back();
      continue;
    }
    if (target.is_absolute()) at = "/";
    push_parts(target.relative_path(), rest);
  }
  return at;
}

}  // namespace

std::vector<UsedPath> paths_of(const Upstream& upstream, std::string_view variable) {
  std::vector<UsedPath> paths;
  for (std::size_t i = 0; upstream.sandbox && i < upstream.sandbox->fs.size(); ++i)
    paths.push_back({"fs", i, upstream.sandbox->fs[i].path});
  std::error_code fault;
  const fs::path here = upstream.cwd.empty() ? fs::current_path(fault) : upstream.cwd;
  if (!upstream.cwd.empty()) paths.push_back({"cwd", 0, upstream.cwd});
  if (upstream.command.find('/') != std::string::npos)
    paths.push_back({"command", 0, here / upstream.command});
  // Also of a command with a path: it can be a script, and its interpreter is looked up.
  for (std::size_t begin = 0; begin <= variable.size();) {
    const std::size_t end = std::min(variable.find(':', begin), variable.size());
    paths.push_back({"PATH", 0, here / variable.substr(begin, end - begin) / "*"});
    begin = end + 1;
  }
  return paths;
}

WritableFolders::WritableFolders(const Config& config)
    : WritableFolders(config.plugins, config.upstream) {}

WritableFolders::WritableFolders(const Plugins& plugins, const std::vector<Upstream>& upstreams) {
  for (const auto& [name, plugin] : plugins.by_name) add(plugin.fs, "[plugin." + name + "]", false);
  for (const Upstream& one : upstreams) {
    if (one.sandbox) add(one.sandbox->fs, "the upstream \"" + one.name + "\"", true);
  }
}

void WritableFolders::add(const std::vector<sandbox::FsGrant>& grants, const std::string& writer,
                          bool of_upstream) {
  std::vector<fs::path> places;
  for (const sandbox::FsGrant& grant : grants) {
    if (!grant.write) continue;
    folders_.push_back({grant.path, followed(grant.path, places), writer, of_upstream});
  }
}

Result<void> WritableFolders::check(const fs::path& path, Of of) const {
  std::vector<fs::path> places;
  followed(path, places);
  for (const Folder& folder : folders_) {
    if (of == Of::Upstreams && !folder.of_upstream) continue;
    const bool goes_through = std::any_of(places.begin(), places.end(), [&](const fs::path& place) {
      return is_below(place, folder.real);
    });
    if (!goes_through && !is_below(path.lexically_normal(), folder.written)) continue;
    return Error{ErrorKind::InvalidArgument,
                 path.string() + " depends on the folder " + folder.written.string() + ", which " +
                     folder.writer + " can write: a link there could lead to any file"};
  }
  return {};
}

Result<void> WritableFolders::check(const Upstream& upstream, std::string_view variable) const {
  for (const UsedPath& used : paths_of(upstream, variable)) {
    const Result<void> good = check(used.path, Of::All);
    if (!good) return good.error().within(used.key);
  }
  return {};
}

}  // namespace host::config
