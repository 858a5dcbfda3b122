#include "skill/folder_repository.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/text/encoding.h"

namespace host::skill {
namespace {

// A scan of all folders on the I/O thread is too much for each use of a skill.
constexpr std::chrono::seconds kLookEvery{1};
constexpr int kRereads = 3;                   // of a file that changes while it is read
constexpr std::size_t kMaxNames = 20'000;     // entries of the folder that are looked at
constexpr std::size_t kMaxDiagnostics = 200;  // of one look

std::int64_t wall_nanoseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Nothing: neither a folder nor worth a word.
std::optional<bool> is_folder(int parent, const dirent& entry) {
  unsigned char type = entry.d_type;
  if (type == DT_UNKNOWN) {
    struct stat about {};
    if (::fstatat(parent, entry.d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    type = static_cast<unsigned char>(IFTODT(about.st_mode));
  }
  if (type == DT_DIR) return true;
  if (type == DT_LNK) return false;
  return std::nullopt;
}

// Why what a plugin brings is not read: somebody else could have written it. Empty: it is read.
std::string why_not_trusted(const struct stat& about) {
  if (about.st_uid != 0 && about.st_uid != ::geteuid())
    return "belongs to another user, so it is not served";
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "can be written by other users, so it is not served: chmod go-w";
  return {};
}

// The host could not look, which says nothing about what is there.
bool is_hosts_own(int code) {
  return code == EMFILE || code == ENFILE || code == ENOMEM || code == EIO;
}

}  // namespace

FolderRepository::FolderRepository(std::filesystem::path folder, Of of)
    : folder_(std::move(folder)), of_(of), source_(folder_.string()) {}

FolderRepository::Stamp FolderRepository::stamp_of(const struct stat& about) {
  return {about.st_dev, about.st_ino, about.st_size, nanoseconds(about.st_mtim),
          nanoseconds(about.st_ctim)};
}

FolderRepository::Stamp FolderRepository::stamp_of_folder() const {
  struct stat about {};
  const int failed =
      of_ == Of::Operator ? ::stat(folder_.c_str(), &about) : ::lstat(folder_.c_str(), &about);
  return failed == 0 ? stamp_of(about) : Stamp{};
}

UniqueFd FolderRepository::open_folder() const {
  const int link = of_ == Of::Operator ? 0 : O_NOFOLLOW;
  return UniqueFd(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | link));
}

std::string FolderRepository::why_untrusted(int folder) const {
  if (of_ == Of::Operator) return {};
  struct stat about {};
  if (::fstat(folder, &about) != 0)
    return std::string("cannot be looked at: ") + std::strerror(errno);
  return why_not_trusted(about);
}

bool FolderRepository::changed() {
  const bool events = watch_.drain();
  const Stamp now = stamp_of_folder();
  // The folder behind the path may be another one now, or come into being.
  if (events || now != base_ || could_not_look_) return true;
  return !watched_ && base_ != Stamp{} && steady_now() - listed_ >= kLookEvery;
}

void FolderRepository::tell_if_unwatched() {
  if (watched_ || base_ == Stamp{} || std::exchange(told_, true)) return;
  log::warning("skill", "a folder of skills cannot be watched: edits are seen a second later",
               {{"folder", source_},
                {"help", "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches"}});
}

void FolderRepository::fault(Listing& listing, const std::string& where, std::string message,
                             config::Severity severity) const {
  config::Diagnostic diagnostic;
  diagnostic.file = where;
  diagnostic.severity = severity;
  diagnostic.code = "S011";
  diagnostic.message = std::move(message);
  listing.diagnostics.push_back(std::move(diagnostic));
}

Listing FolderRepository::list() {
  Listing listing;
  listed_ = steady_now();
  could_not_look_ = false;
  watched_ = watch_.add(folder_);
  base_ = stamp_of_folder();
  const UniqueFd folder = open_folder();
  if (!folder) {
    could_not_open(source_, errno, listing);
    return listing;
  }
  if (std::string why = why_untrusted(folder.get()); !why.empty()) {
    known_.clear();
    fault(listing, source_, std::move(why), config::Severity::Error);
    return listing;
  }
  text_bytes_ = 0;
  std::map<std::string, Known> seen;
  const auto names = subfolders(folder.get(), listing);
  if (!names) {
    could_not_open(source_, errno, listing);
    return listing;
  }
  for (const std::string& name : *names) look_at(folder.get(), name, seen, listing);
  known_ = std::move(seen);
  tell_if_unwatched();
  if (listing.diagnostics.size() > kMaxDiagnostics) listing.diagnostics.resize(kMaxDiagnostics);
  return listing;
}

void FolderRepository::could_not_open(const std::string& where, int code, Listing& listing) {
  std::error_code ignored;
  if (of_ == Of::Plugin && std::filesystem::is_symlink(where, ignored)) {
    fault(listing, where, "is a symbolic link, and those are not followed",
          config::Severity::Error);
  } else if (code != ENOENT) {
    fault(listing, where, std::string("cannot be opened: ") + std::strerror(code),
          config::Severity::Error);
  }
  if (!is_hosts_own(code)) return known_.clear();
  could_not_look_ = true;
  for (const auto& [name, known] : known_) {
    if (known.skill) listing.skills.push_back(known.skill);
  }
}

std::optional<std::vector<std::string>> FolderRepository::subfolders(int folder,
                                                                     Listing& listing) const {
  std::vector<std::string> names;
  UniqueFd again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again) return std::nullopt;
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(again.get()));
  if (!directory) return std::nullopt;
  again.release();
  bool all = true;
  std::size_t entries = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] == '.' || !is_utf8(entry->d_name)) continue;
    if (++entries > kMaxNames) {
      all = false;
      break;
    }
    const auto folder_or_link = is_folder(folder, *entry);
    if (folder_or_link == false) {
      fault(listing, source_ + "/" + entry->d_name,
            "is a symbolic link, and those are not followed", config::Severity::Warning);
    }
    if (folder_or_link == true) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  if (names.size() > kMaxSkillFolders) {
    names.resize(kMaxSkillFolders);
    all = false;
  }
  if (!all) {
    fault(listing, source_,
          "more than " + std::to_string(kMaxSkillFolders) + " folders: not all were looked at",
          config::Severity::Warning);
  }
  return names;
}

void FolderRepository::look_at(int folder, const std::string& name,
                               std::map<std::string, Known>& seen, Listing& listing) {
  const std::filesystem::path path = folder_ / name;
  if (!watch_.add(path)) watched_ = false;
  const UniqueFd skill_folder = open_beneath(folder, name, O_DIRECTORY);
  if (!skill_folder) {
    const int code = errno;
    if (code != ENOENT) {
      fault(listing, path.string(), std::string("cannot be opened: ") + std::strerror(code),
            config::Severity::Error);
    }
    const auto known = known_.find(name);
    if (code == ENOENT || known == known_.end()) return;
    if (!known->second.name.empty()) listing.names[name] = known->second.name;
    if (!is_hosts_own(code)) {
      seen[name].name = known->second.name;  // for the next fault
      return;
    }
    could_not_look_ = true;
    if (known->second.skill) listing.skills.push_back(known->second.skill);
    seen.insert(*known);
    return;
  }
  struct stat about {};
  if (::fstatat(skill_folder.get(), kSkillFile, &about, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) {
      fault(listing, path.string(), std::string("cannot be looked at: ") + std::strerror(errno),
            config::Severity::Error);
    }
    return;
  }
  std::string why = why_untrusted(skill_folder.get());
  if (why.empty() && of_ == Of::Plugin && S_ISREG(about.st_mode)) why = why_not_trusted(about);
  if (!why.empty())
    return fault(listing, (path / kSkillFile).string(), std::move(why), config::Severity::Error);
  const auto before = known_.find(name);
  const bool same =
      before != known_.end() && before->second.settled && before->second.stamp == stamp_of(about);
  Known known = same ? before->second : read_skill(skill_folder.get(), name, about);
  if (!known.skill && before != known_.end()) keep_last_valid(known, before->second, name);
  if (!known.name.empty()) listing.names[name] = known.name;
  listing.diagnostics.insert(listing.diagnostics.end(), known.diagnostics.begin(),
                             known.diagnostics.end());
  if (known.skill && (text_bytes_ += known.skill->text.size()) > kMaxTextBytes) {
    fault(listing, path.string(), "left out: the skills of this folder are more than 64 MiB in all",
          config::Severity::Error);
    return;
  }
  if (known.skill) listing.skills.push_back(known.skill);
  seen.emplace(name, std::move(known));
}

FolderRepository::Known FolderRepository::read_skill(int skill_folder, const std::string& name,
                                                     const struct stat& about) const {
  Known known;
  known.stamp = stamp_of(about);
  known.settled =
      wall_nanoseconds() - std::max(known.stamp.modified_ns, known.stamp.changed_ns) > kSettlesIn;
  const std::string file = (folder_ / name / kSkillFile).string();
  auto text = read_beneath(skill_folder, kSkillFile, kMaxFileBytes);
  for (int again = 0; again < kRereads;
       ++again) {  // it was written to meanwhile: half of it may be
    struct stat now {};
    if (::fstatat(skill_folder, kSkillFile, &now, AT_SYMLINK_NOFOLLOW) != 0 ||
        stamp_of(now) == known.stamp) {
      break;
    }
    known.stamp = stamp_of(now);
    known.settled = false;
    text = read_beneath(skill_folder, kSkillFile, kMaxFileBytes);
  }
  if (!text) {
    config::Diagnostic diagnostic;
    diagnostic.file = file;
    diagnostic.code = "S001";
    diagnostic.message = text.error().message;
    known.diagnostics.push_back(std::move(diagnostic));
    return known;
  }
  auto skill = parse_skill(*text, file, name, known.diagnostics, &known.name);
  if (!skill) return known;
  skill->source = source_;
  known.skill = std::make_shared<const Skill>(*std::move(skill));
  return known;
}

void FolderRepository::keep_last_valid(Known& known, const Known& before,
                                       const std::string& name) const {
  const std::shared_ptr<const Skill>& last = before.skill;
  if (last || known.name.empty()) known.name = last ? last->name : before.name;
  if (!last) return;
  known.skill = last;
  config::Diagnostic diagnostic;
  diagnostic.file = (folder_ / name / kSkillFile).string();
  diagnostic.severity = config::Severity::Warning;
  diagnostic.code = "S013";
  diagnostic.message = "the last valid text of the skill \"" + last->name + "\" is still served";
  diagnostic.help = "correct the file, or remove it to withdraw the skill";
  known.diagnostics.push_back(std::move(diagnostic));
}

Result<UniqueFd> FolderRepository::open(const Skill& skill) const {
  const UniqueFd folder = open_folder();
  if (!folder)
    return Error{ErrorKind::Io,
                 "the folder of skills cannot be opened: " + std::string(std::strerror(errno))};
  if (const std::string why = why_untrusted(folder.get()); !why.empty())
    return Error{ErrorKind::Denied, "the folder of skills " + why};
  UniqueFd skill_folder = open_beneath(folder.get(), skill.folder, O_DIRECTORY);
  if (!skill_folder) {
    return Error{ErrorKind::NotFound,
                 "the skill's folder cannot be opened: " + std::string(std::strerror(errno))};
  }
  if (const std::string why = why_untrusted(skill_folder.get()); !why.empty())
    return Error{ErrorKind::Denied, "the skill's folder " + why};
  return skill_folder;
}

Result<FileList> FolderRepository::files(const Skill& skill) {
  HOST_TRY_ASSIGN(const UniqueFd folder, open(skill));
  return list_files(folder.get());
}

Result<std::string> FolderRepository::read(const Skill& skill, const std::string& path) {
  HOST_TRY(check_relative(path));
  HOST_TRY_ASSIGN(const UniqueFd folder, open(skill));
  return read_beneath(folder.get(), path, kMaxFileBytes);
}

std::vector<std::unique_ptr<SkillRepository>> folder_repositories(const config::Skills& skills) {
  std::vector<std::unique_ptr<SkillRepository>> repositories;
  for (const auto& folder : skills.dirs)
    repositories.push_back(std::make_unique<FolderRepository>(folder));
  return repositories;
}

}  // namespace host::skill
