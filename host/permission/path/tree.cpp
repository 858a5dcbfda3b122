#include "permission/path/tree.h"

#include <filesystem>
#include <system_error>

namespace host::permission {
namespace {

constexpr std::size_t kMostEntries = 4096;
constexpr const char* kTooMany = "too many files to look at";

}  // namespace

std::optional<std::string> TreeLook::find_below(const std::string& folder) {
  if (!budget_.take_path(folder.size())) return kTooMany;
  std::string real = real_path(folder);
  const auto known = found_.find(real);
  if (known != found_.end()) return known->second;
  auto found = look_below(real);
  found_.emplace(std::move(real), found);
  return found;
}

std::optional<std::string> TreeLook::look_below(const std::string& real) {
  std::error_code error;
  if (!std::filesystem::is_directory(real, error)) return std::nullopt;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk at(real, error), end; !error && at != end; at.increment(error)) {
    const std::string& path = at->path().native();
    if (++seen_ > kMostEntries || !budget_.take_path(path.size())) return kTooMany;
    if (auto entry = paths_.find(path, place_, extra_)) return entry;
  }
  if (error) return "a folder that cannot be read";
  return std::nullopt;
}

}  // namespace host::permission
