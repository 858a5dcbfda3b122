#include "skill/manifest.h"

#include <algorithm>
#include <chrono>

#include "base/digest.h"

namespace host::skill {
namespace {

constexpr std::size_t kMaxBytes = 16u << 20u;  // of one skill, as the extension has it
constexpr std::size_t kMaxKnown = 4096;

// Whether a further change would show in the files' times.
bool is_settled(const FileList& files) {
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  return std::all_of(files.files.begin(), files.files.end(),
                     [now](const FileEntry& file) { return now - file.changed_ns > kSettlesIn; });
}

}  // namespace

Manifest Manifests::read(const Skill& skill, const FileList& files) {
  Manifest manifest;
  manifest.complete = files.complete;
  manifest.files.push_back({kSkillFile, skill.text.size(), skill.digest});
  std::size_t bytes = skill.text.size();
  for (const FileEntry& file : files.files) {
    if (file.path == kSkillFile) continue;
    Result<std::string> content = Error{ErrorKind::InvalidArgument, "the skill is too large"};
    if (bytes + file.size <= kMaxBytes) content = catalog_.read(skill, file.path);
    if (!content) {
      manifest.complete = false;
      continue;
    }
    bytes += content->size();
    manifest.files.push_back({file.path, content->size(), to_hex(sha256(*content))});
  }
  std::sort(manifest.files.begin(), manifest.files.end(),
            [](const ManifestFile& a, const ManifestFile& b) { return a.path < b.path; });
  return manifest;
}

Manifest Manifests::of(const Skill& skill) {
  const auto files = catalog_.files(skill);
  if (!files) return {{{kSkillFile, skill.text.size(), skill.digest}}, false};
  const std::string key = skill.source + '\n' + skill.folder;
  const auto at = known_.find(key);
  if (at != known_.end() && at->second.digest == skill.digest && at->second.files == *files) {
    return at->second.manifest;
  }
  Manifest manifest = read(skill, *files);
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.erase(key);
  if (is_settled(*files)) known_.emplace(key, Known{skill.digest, *files, manifest});
  return manifest;
}

}  // namespace host::skill
