#include "skill/pinned_repository.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace host::skill {
namespace {

UniqueFd open_version(const std::filesystem::path& folder) {
  return UniqueFd(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
}

}  // namespace

std::shared_ptr<const Skill> read_version(const std::filesystem::path& folder,
                                          const std::string& source, const std::string& name,
                                          std::vector<config::Diagnostic>& diagnostics) {
  const std::string file = source + "/" + name + "/" + kSkillFile;
  const UniqueFd opened = open_version(folder);
  auto text = opened
                  ? read_beneath(opened.get(), kSkillFile, kMaxFileBytes)
                  : Error{ErrorKind::Io, std::string("cannot be opened: ") + std::strerror(errno)};
  if (!text) {
    config::Diagnostic fault;
    fault.file = file;
    fault.code = "S001";
    fault.message = text.error().message;
    diagnostics.push_back(std::move(fault));
    return nullptr;
  }
  auto skill = parse_skill(*text, file, name, diagnostics);
  if (!skill) return nullptr;
  skill->source = source;
  return std::make_shared<const Skill>(*std::move(skill));
}

void PinnedRepository::serve(std::vector<Version> versions,
                             std::vector<config::Diagnostic> diagnostics) {
  versions_.clear();
  for (Version& one : versions) {
    std::string folder = one.skill->folder;
    versions_.emplace(std::move(folder), std::move(one));
  }
  diagnostics_ = std::move(diagnostics);
  changed_ = true;
}

Listing PinnedRepository::list() {
  changed_ = false;
  Listing listing;
  for (const auto& [folder, version] : versions_) {
    listing.skills.push_back(version.skill);
    listing.names[folder] = version.skill->name;
  }
  listing.diagnostics = diagnostics_;
  return listing;
}

Result<UniqueFd> PinnedRepository::open(const Skill& skill) const {
  const auto found = versions_.find(skill.folder);
  if (found == versions_.end())
    return Error{ErrorKind::NotFound, "the skill is not served any more"};
  UniqueFd folder = open_version(found->second.folder);
  if (folder) return folder;
  return Error{ErrorKind::Io,
               "the skill's folder cannot be opened: " + std::string(std::strerror(errno))};
}

Result<FileList> PinnedRepository::files(const Skill& skill) {
  HOST_TRY_ASSIGN(const UniqueFd folder, open(skill));
  return list_files(folder.get());
}

Result<std::string> PinnedRepository::read(const Skill& skill, const std::string& path) {
  HOST_TRY(check_relative(path));
  HOST_TRY_ASSIGN(const UniqueFd folder, open(skill));
  return read_beneath(folder.get(), path, kMaxFileBytes);
}

}  // namespace host::skill
