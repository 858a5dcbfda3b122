#include "plugin/file/manifest_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/process/private_folder.h"
#include "base/unique_fd.h"

namespace host::plugin {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostKept = 256;
constexpr std::size_t kMostEntryBytes = 16u << 20u;  // of one manifest
constexpr std::size_t kDigestChars = 64;

// Which build of the worker it is, as far as stat() can tell.
std::string build_mark_of(const fs::path& worker) {
  struct stat info {};
  if (::stat(worker.c_str(), &info) != 0) return {};
  return std::to_string(info.st_dev) + ' ' + std::to_string(info.st_ino) + ' ' +
         std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + '.' +
         std::to_string(info.st_mtim.tv_nsec);
}

std::string digest_of(std::string_view text) {
  const Sha256 digest = sha256(text);
  return to_hex(digest);
}

void remove_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto written = entry.last_write_time(error);
    if (!error) kept.emplace_back(written, entry.path());
  }
  if (kept.size() <= kMostKept) return;
  std::sort(kept.begin(), kept.end());
  kept.resize(kept.size() - kMostKept);
  for (const auto& [written, path] : kept) fs::remove(path, error);
}

}  // namespace

Result<ManifestCache> ManifestCache::open(fs::path folder) {
  if (const auto mine = open_private_folder(folder, Make::Yes); !mine) return mine.error();
  return ManifestCache(std::move(folder));
}

fs::path ManifestCache::file_of(const Key& key) const {
  return folder_ / digest_of(key.hash + '\n' + build_mark_of(key.worker) + '\n' + key.settings);
}

std::optional<std::string> ManifestCache::find(const Key& key) const {
  const UniqueFd file(::open(file_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size < kDigestChars || size > kDigestChars + kMostEntryBytes) return {};
  std::string text(size, '\0');
  if (::read(file.get(), text.data(), size) != info.st_size) return {};
  std::string manifest = text.substr(kDigestChars);
  if (!text.starts_with(digest_of(manifest))) return {};
  return manifest;
}

void ManifestCache::keep(const Key& key, std::string_view manifest) const {
  if (manifest.size() > kMostEntryBytes) return;
  const fs::path final = file_of(key);
  std::string fresh = (folder_ / "new-XXXXXX").string();
  const UniqueFd file(::mkostemp(fresh.data(), O_CLOEXEC));
  if (!file) return;
  const std::string text = digest_of(manifest) + std::string(manifest);
  const bool written =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written || ::rename(fresh.c_str(), final.c_str()) != 0) ::unlink(fresh.c_str());
  remove_oldest(folder_);
}

void ManifestCache::forget(const Key& key) const {
  ::unlink(file_of(key).c_str());
}

}  // namespace host::plugin
