#include "checkout/versions.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/digest.h"
#include "base/process/private_folder.h"
#include "json/object_text.h"
#include "skill/folder.h"
#include "skill/skill.h"

namespace host::checkout {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLockAgain{50};
constexpr std::size_t kMostRecord = 256u << 10u;

Error failed_at(const fs::path& where, int code) {
  return Error{ErrorKind::Io, where.string() + ": " + std::strerror(code)};
}

std::string hex_of(std::string_view bytes) {
  return to_hex(sha256(bytes));
}

Result<void> write_new_file(const fs::path& file, std::string_view bytes) {
  const UniqueFd out(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out) return failed_at(file, errno);
  while (!bytes.empty()) {
    const ssize_t count = ::write(out.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed_at(file, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return failed_at(folder, errno);
}

Result<void> write_files(const PulledSkill& skill, const fs::path& folder) {
  HOST_TRY(make_folder(folder));
  for (const PulledFile& file : skill.files) {
    fs::path parent = folder;
    const fs::path path(file.path);
    for (auto part = path.begin(); std::next(part) != path.end(); ++part) {
      parent /= *part;
      HOST_TRY(make_folder(parent));
    }
    HOST_TRY(write_new_file(folder / path, file.bytes));
  }
  return {};
}

// Everything below it is on the disk before its name says that it is whole.
Result<void> sync(const fs::path& folder) {
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::syncfs(opened.get()) != 0) return failed_at(folder, errno);
  return {};
}

}  // namespace

std::string manifest_of(const PulledSkill& skill) {
  std::string out = "{\"files\":{";
  for (const PulledFile& file : skill.files) {
    if (out.back() != '{') out += ',';
    json::write_string(file.path, out);
    out += ":{\"bytes\":" + std::to_string(file.bytes.size()) + ",\"sha256\":\"" +
           hex_of(file.bytes) + "\"}";
  }
  return out + "}}";
}

std::string version_of(std::string_view manifest) {
  return hex_of(manifest);
}

fs::path Versions::folder_of(std::string_view manifest) const {
  return folder_ / "versions" / version_of(manifest);
}

bool Versions::has(std::string_view manifest) const {
  const fs::path folder = folder_of(manifest);
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened) return false;
  PulledSkill found;
  const skill::FileList files = skill::list_files(opened.get());
  if (!files.complete) return false;
  for (const skill::FileEntry& file : files.files) {
    auto bytes = skill::read_beneath(opened.get(), file.path, skill::kMaxFileBytes);
    if (!bytes) return false;
    found.files.push_back({file.path, *std::move(bytes)});
  }
  return manifest_of(found) == manifest;
}

Result<void> Versions::add(const PulledSkill& skill, std::string_view manifest) {
  // Skills with the same files, such as a copied folder, are one version.
  const std::string name = version_of(manifest);
  if (has(manifest) || added_.contains(name)) return {};
  const fs::path fresh = folder_ / "work" / name;
  std::error_code error;
  fs::remove_all(fresh, error);
  HOST_TRY(write_files(skill, fresh));
  added_.insert(name);
  return {};
}

// One sync for all, because it waits for everything that the file system has to write.
Result<void> Versions::publish() {
  const std::set<std::string> added = std::exchange(added_, {});
  if (added.empty()) return {};
  HOST_TRY(sync(folder_ / "work"));
  std::error_code error;
  for (const std::string& name : added) {
    const fs::path target = folder_ / "versions" / name;
    fs::remove_all(target, error);
    if (::rename((folder_ / "work" / name).c_str(), target.c_str()) != 0)
      return failed_at(target, errno);
  }
  const UniqueFd all(::open((folder_ / "versions").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!all || ::fsync(all.get()) != 0) return failed_at(folder_ / "versions", errno);
  return {};
}

void Versions::hold() {
  if (held_) return;
  const fs::path all = folder_ / "versions";
  held_.reset(::open(all.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (held_) static_cast<void>(::flock(held_.get(), LOCK_SH | LOCK_NB));
}

void Versions::remove_all_but(const std::set<std::string>& versions) {
  hold();
  if (!held_ || ::flock(held_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (held_) static_cast<void>(::flock(held_.get(), LOCK_SH | LOCK_NB));
    return;
  }
  std::error_code error;
  std::vector<fs::path> gone;
  for (fs::directory_iterator one(folder_ / "versions", error), end; !error && one != end;
       one.increment(error)) {
    if (!versions.contains(one->path().filename().string())) gone.push_back(one->path());
  }
  for (const fs::path& one : gone) fs::remove_all(one, error);
  static_cast<void>(::flock(held_.get(), LOCK_SH));
}

Result<UniqueFd> Versions::lock(std::chrono::milliseconds patience,
                                const std::atomic<bool>* cancelled) {
  HOST_TRY(open_private_folder(folder_ / "versions", Make::Yes));
  const fs::path file = folder_ / "lock";
  UniqueFd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return failed_at(file, errno);
  const SteadyTime end = steady_now() + patience;
  do {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK && errno != EINTR) return failed_at(file, errno);
    if (steady_now() < end) std::this_thread::sleep_for(kLockAgain);
  } while (steady_now() < end && !(cancelled && *cancelled));
  if (cancelled && *cancelled) return Error{ErrorKind::Cancelled, "the host stops"};
  return Error{ErrorKind::Unavailable, "another process pulls this repository now"};
}

void Versions::RemoveFolder::operator()(const fs::path* folder) const {
  std::error_code ignored;
  fs::remove_all(*folder, ignored);
  delete folder;
}

Result<Versions::WorkFolder> Versions::fresh_work() {
  added_.clear();
  remove_work();
  WorkFolder work(new fs::path(folder_ / "work"));
  if (::mkdir(work->c_str(), 0700) != 0) return failed_at(*work, errno);
  return work;
}

void Versions::remove_work() const {
  std::error_code ignored;
  fs::remove_all(folder_ / "work", ignored);
}

LastPull Versions::last_pull() const {
  const UniqueFd opened(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened) return {};
  const auto text = skill::read_beneath(opened.get(), "pull.json", kMostRecord);
  const auto tree = text ? json::parse(*text) : Result<json::Document>(text.error());
  if (!tree) return {};
  const auto member = [&tree](std::string_view key) {
    return std::string(json::find_text(tree->root(), key));
  };
  LastPull pull{member("place"),
                member("remote"),
                member("commit"),
                member("at"),
                member("failure"),
                member("failed_at"),
                {}};
  const json::Value* const left_out = json::find(tree->root(), "left_out");
  if (!left_out || !left_out->IsArray()) return pull;
  for (const json::Value& one : left_out->GetArray()) {
    if (one.IsString()) pull.left_out.emplace_back(json::text(one));
  }
  return pull;
}

Result<void> Versions::record(const LastPull& pull) const {
  std::string text = "{";
  json::add_text(text, "place", pull.place);
  json::add_text(text, "remote", pull.remote);
  json::add_text(text, "commit", pull.commit);
  json::add_text(text, "at", pull.at);
  json::add_text(text, "failure", pull.failure);
  json::add_text(text, "failed_at", pull.failed_at);
  json::add_member(text, "left_out", json::list_of(pull.left_out));
  text += "}\n";
  const fs::path file = folder_ / "pull.json";
  const fs::path fresh = folder_ / "pull.json.new";
  std::error_code error;
  fs::remove(fresh, error);
  HOST_TRY(write_new_file(fresh, text));
  if (::rename(fresh.c_str(), file.c_str()) != 0) return failed_at(file, errno);
  return {};
}

}  // namespace host::checkout
