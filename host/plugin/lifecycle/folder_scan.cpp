#include "plugin/lifecycle/folder_scan.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "plugin/file/origin_check.h"
#include "plugin/lifecycle/side_file.h"

namespace host::plugin {
namespace fs = std::filesystem;
namespace {

FileMark mark_of(const struct stat& info) {
  const auto ns = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {info.st_dev, info.st_ino, info.st_size, ns(info.st_mtim), ns(info.st_ctim)};
}

FileMark mark_of(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? mark_of(info) : FileMark();
}

// A link to nowhere is a side file that cannot be read, and not none.
FileMark mark_of_side_file(const fs::path& path) {
  struct stat info {};
  const FileMark mark = mark_of(path);
  if (mark.size >= 0 || ::lstat(path.c_str(), &info) != 0) return mark;
  return mark_of(info);
}

LibraryMark mark_of_library(const fs::path& path, const struct stat& info) {
  return {mark_of(info), mark_of(checksum_of(path)), mark_of(signature_of(path)),
          mark_of_side_file(side_file_of(path))};
}

// Every other error says nothing of what is there: too many open files, a share whose server is
// away, a right that is missing.
bool means_nothing_is_there(int error) {
  return error == ENOENT || error == ENOTDIR;
}

class Scan {
 public:
  explicit Scan(const std::map<std::string, Found>& before) : before_(before) {}

  void look_into(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
      look_at(entry->path());
    if (!error || means_nothing_is_there(error.value())) return;
    out.unread[folder] = error.message();
    for (const auto& [name, found] : before_) {
      // Compared so, a folder may be given with a slash at its end.
      if (folder / found.path.filename() == found.path) add(name, found);
    }
  }

  FoundLibraries out;

 private:
  void look_at(const fs::path& path) {
    if (path.extension() != ".so" || path.filename().string().starts_with('.')) return;
    const std::string name = path.stem().string();
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return look_at_unread(name, path, errno);
    if (S_ISREG(info.st_mode)) add(name, {path, mark_of_library(path, info), {}});
  }

  void look_at_unread(const std::string& name, const fs::path& path, int error) {
    const auto known = before_.find(name);
    const bool was_there = known != before_.end() && known->second.path == path;
    if (was_there && !means_nothing_is_there(error)) add(name, known->second);
  }

  void add(const std::string& name, Found found) {
    const auto known = out.by_name.find(name);
    if (known == out.by_name.end()) {
      found.refused.clear();  // later folders are looked into again
      out.by_name.emplace(name, std::move(found));
      return;
    }
    Found& first = known->second;
    if (first.path == found.path) return;
    first.refused.push_back({found.path.string(), "a plugin of this name is already loaded from " +
                                                      first.path.string() +
                                                      ": rename one of them"});
  }

  const std::map<std::string, Found>& before_;
};

}  // namespace

FoundLibraries find_libraries(const std::vector<fs::path>& folders,
                              const std::map<std::string, Found>& before) {
  Scan scan(before);
  for (const fs::path& folder : folders) scan.look_into(fs::absolute(folder));
  return std::move(scan.out);
}

std::vector<fs::path> link_targets(const std::map<std::string, Found>& found) {
  std::vector<fs::path> targets;
  for (const auto& [name, one] : found) {
    for (const fs::path& path : {one.path, side_file_of(one.path)}) {
      std::error_code error;
      if (!fs::is_symlink(path, error)) continue;
      fs::path target = fs::canonical(path, error);
      if (!error) targets.push_back(std::move(target));
    }
  }
  return targets;
}

}  // namespace host::plugin
