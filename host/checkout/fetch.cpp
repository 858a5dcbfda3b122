#include "checkout/fetch.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/text/encoding.h"
#include "skill/folder.h"
#include "skill/skill.h"

namespace host::checkout {
namespace {

// A repository of the expected kind has few; git stops when there are more.
constexpr std::uint64_t kMostListing = 32u << 20u;
constexpr const char* kPulledRef = "refs/toolpost/pulled";
constexpr std::size_t kMostPathBytes = 1024;
// One less than list_files() lists, so that the list of a whole version is always complete.
constexpr std::size_t kMostFilesOfSkill = skill::kMaxFiles - 1;

bool is_hidden(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

// Without a part that leads elsewhere, and short enough for a file system.
bool is_plain_path(std::string_view path) {
  if (path.size() > kMostPathBytes || !is_utf8(path)) return false;
  const bool has_control = std::any_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
  });
  if (has_control) return false;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == ".." || part.size() > 255) return false;
    if (part.size() == path.size()) return true;
    path.remove_prefix(part.size() + 1);
  }
  return false;
}

// Why the host serves no such file. nullptr: it does. `path`: in its skill.
const char* why_left_out(const TreeEntry& entry, std::string_view path) {
  if (entry.mode == "120000") return "symbolic links are not followed";
  if (entry.type == "commit") return "submodules are not pulled";
  if (entry.mode != "100644" && entry.mode != "100755") return "it is no regular file";
  if (!is_plain_path(path)) return "its name is not valid";
  if (static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) >= skill::kMaxFolderDepth)
    return "it is in too deep a folder";
  if (entry.bytes > skill::kMaxFileBytes) return "it has more than 1 MiB";
  return nullptr;
}

// One skill's entries, with their paths in the skill.
class SkillEntries {
 public:
  explicit SkillEntries(std::string folder) : folder_(std::move(folder)) {}

  void add(TreeEntry entry) {
    if (is_hidden(entry.path)) return;
    if (entry.path == skill::kSkillFile) has_text_ = true;
    if (const char* const why = why_left_out(entry, entry.path)) {
      if (entry.path == skill::kSkillFile) refusal_ = std::string("its SKILL.md: ") + why;
      Files& same = left_out_[why];
      ++same.count;
      if (same.example.empty() && is_plain_path(entry.path)) same.example = entry.path;
      return;
    }
    files.push_back(std::move(entry));
  }

  bool is_skill() const { return has_text_; }

  // Empty: it is served.
  std::string refusal() const {
    if (!refusal_.empty()) return refusal_;
    if (files.size() > kMostFilesOfSkill)
      return "it has more than " + std::to_string(kMostFilesOfSkill) + " files";
    return {};
  }

  void tell_left_out(std::vector<LeftOut>& into) const {
    if (std::string why = refusal(); !why.empty()) {
      into.push_back({folder_, std::move(why), true});
      return;
    }
    for (const auto& [why, same] : left_out_) {
      into.push_back({folder_, std::to_string(same.count) +
                                   (same.count == 1 ? " file is" : " files are") +
                                   " left out because " + why +
                                   (same.example.empty() ? "" : ": for example " + same.example)});
    }
  }

  std::vector<TreeEntry> files;

 private:
  const std::string folder_;
  bool has_text_ = false;
  std::string refusal_;
  struct Files {
    std::size_t count = 0;
    std::string example;
  };
  std::map<std::string, Files> left_out_;  // by reason
};

Error not_readable(const char* what) {
  return Error{ErrorKind::Io,
               std::string("git ") + what + " printed lines that have no known form"};
}

// ---- git's commands

Result<Remote> resolve(const config::SkillRepository& from, const std::filesystem::path& work,
                       const Git& git) {
  if (config::is_commit_id(from.ref)) return Remote{from.ref, from.ref};
  std::vector<std::string> arguments{"ls-remote", "--quiet", "--", from.git};
  if (from.ref.empty()) {
    arguments.emplace_back("HEAD");
  } else if (from.ref.starts_with("refs/")) {
    arguments.push_back(from.ref);
  } else {
    arguments.insert(arguments.end(), {"refs/heads/" + from.ref, "refs/tags/" + from.ref});
  }
  HOST_TRY_ASSIGN(const std::string listing, git.run({arguments, work}));
  return remote_of(listing, from.ref);
}

// Git was ended by the limit on the size of a file, and says nothing of that itself.
bool has_file_of(const std::filesystem::path& folder, std::uint64_t bytes) {
  std::error_code error;
  for (std::filesystem::directory_iterator one(folder, error), end; !error && one != end;
       one.increment(error)) {
    if (one->file_size(error) >= bytes && !error) return true;
  }
  return false;
}

Result<std::string> download(const config::SkillRepository& from, const Remote& remote,
                             const std::filesystem::path& work, const Git& git) {
  HOST_TRY(git.run({{"init", "--quiet", "--bare", "--template=", "clone"}, work}));
  const std::filesystem::path clone = work / "clone";
  const auto fetched =
      git.run({{"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules",
                "--no-write-fetch-head", "--no-auto-maintenance", "--", from.git,
                "+" + remote.name + ":" + kPulledRef},
               clone});
  if (!fetched && has_file_of(clone / "objects/pack", from.max_bytes)) {
    return Error{ErrorKind::InvalidArgument, "the download has more than max_bytes = " +
                                                 std::to_string(from.max_bytes) + " bytes"};
  }
  if (!fetched) return fetched.error();
  HOST_TRY_ASSIGN(
      std::string commit,
      git.run(
          {{"rev-parse", "--verify", "--quiet", std::string(kPulledRef) + "^{commit}"}, clone}));
  while (commit.ends_with('\n')) commit.pop_back();
  if (!config::is_commit_id(commit)) return not_readable("rev-parse");
  if (config::is_commit_id(from.ref) && commit != from.ref)
    return Error{ErrorKind::InvalidArgument, from.ref + " is not the id of a commit"};
  return commit;
}

// Other failures, such as a full disk or a damaged pack, have no such words.
bool says_no_folder(const Error& git) {
  return git.kind == ErrorKind::Io &&
         (git.message.find("Not a valid object name") != std::string::npos ||
          git.message.find("not a tree object") != std::string::npos);
}

Result<std::vector<TreeEntry>> entries_at(const config::SkillRepository& from,
                                          const std::string& commit,
                                          const std::filesystem::path& clone, const Git& git) {
  const std::string tree = from.path.empty() ? commit : commit + ":" + from.path;
  auto listing =
      git.run({{"ls-tree", "-r", "-z", "--long", "--full-tree", tree}, clone, {}, kMostListing});
  if (!listing && !from.path.empty() && says_no_folder(listing.error())) {
    return Error{ErrorKind::NotFound,
                 "the commit " + commit + " has no folder path = \"" + from.path + "\""};
  }
  if (!listing) return listing.error();
  return entries_of(*listing);
}

// The contents of these objects, by id.
Result<std::map<std::string, std::string>> contents_of(const std::set<std::string>& ids,
                                                       std::uint64_t most,
                                                       const std::filesystem::path& clone,
                                                       const Git& git) {
  std::string wanted;
  for (const std::string& id : ids) wanted += id + "\n";
  std::map<std::string, std::string> out;
  if (ids.empty()) return out;
  constexpr std::uint64_t kHeaderBytes = 128;
  HOST_TRY_ASSIGN(
      const std::string printed,
      git.run({{"cat-file", "--batch"}, clone, wanted, most + ids.size() * kHeaderBytes}));
  std::string_view rest = printed;
  for (const std::string& id : ids) {  // "ID blob SIZE\nCONTENT\n", in the same order
    const std::size_t end = rest.find('\n');
    const std::string begin = id + " blob ";
    if (end == std::string_view::npos || !rest.starts_with(begin)) return not_readable("cat-file");
    std::uint64_t size = 0;
    const char* const last = rest.data() + end;
    const auto number = std::from_chars(rest.data() + begin.size(), last, size);
    if (number.ptr != last || size > rest.size() - end - 1) return not_readable("cat-file");
    out.emplace(id, rest.substr(end + 1, size));
    rest.remove_prefix(std::min<std::uint64_t>(rest.size(), end + 1 + size + 1));
  }
  return out;
}

}  // namespace

Result<Remote> remote_of(std::string_view listing, const std::string& ref) {
  std::vector<Remote> found;
  const auto is_wanted = [&ref](std::string_view name) {
    if (ref.empty()) return name == "HEAD";
    return name == ref || name == "refs/heads/" + ref || name == "refs/tags/" + ref;
  };
  while (!listing.empty()) {  // "ID\tNAME"
    const std::string_view line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(std::min(listing.size(), line.size() + 1));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || !config::is_commit_id(line.substr(0, tab)))
      return not_readable("ls-remote");
    if (is_wanted(line.substr(tab + 1)))
      found.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return Error{ErrorKind::NotFound,
                 ref.empty() ? std::string("the repository has no HEAD: set ref")
                             : "the repository has no branch and no tag \"" + ref + "\""};
  }
  return Error{ErrorKind::InvalidArgument, "the repository has a branch and a tag \"" + ref +
                                               "\": write refs/heads/" + ref + " or refs/tags/" +
                                               ref};
}

Result<std::vector<TreeEntry>> entries_of(std::string_view listing) {
  std::vector<TreeEntry> out;
  while (!listing.empty()) {  // "MODE TYPE ID SIZE\tPATH\0"; the size has blanks before it
    const std::size_t end = listing.find('\0');
    if (end == std::string_view::npos) return not_readable("ls-tree");
    std::string_view line = listing.substr(0, end);
    listing.remove_prefix(end + 1);
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return not_readable("ls-tree");
    TreeEntry entry;
    entry.path = line.substr(tab + 1);
    line = line.substr(0, tab);
    const auto word = [&line] {
      line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
      const std::string_view one = line.substr(0, line.find(' '));
      line.remove_prefix(one.size());
      return std::string(one);
    };
    entry.mode = word();
    entry.type = word();
    entry.id = word();
    const std::string size = word();
    const auto number = std::from_chars(size.data(), size.data() + size.size(), entry.bytes);
    const bool has_size = number.ec == std::errc() && number.ptr == size.data() + size.size();
    if (!config::is_commit_id(entry.id) || (entry.type == "blob") != has_size)
      return not_readable("ls-tree");
    out.push_back(std::move(entry));
  }
  return out;
}

Result<Selection> select(std::vector<TreeEntry> entries, const config::SkillRepository& from) {
  std::map<std::string, SkillEntries> folders;
  for (TreeEntry& entry : entries) {
    const std::size_t slash = entry.path.find('/');
    if (slash == std::string::npos || entry.path.starts_with('.')) continue;
    const std::string folder = entry.path.substr(0, slash);
    if (!is_plain_path(folder)) continue;  // no skill has such a name
    entry.path.erase(0, slash + 1);
    folders.try_emplace(folder, folder).first->second.add(std::move(entry));
  }
  Selection out;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool has_skill = false;
  for (auto& [folder, skill] : folders) {
    if (!skill.is_skill()) continue;
    has_skill = true;
    skill.tell_left_out(out.left_out);
    if (!skill.refusal().empty()) continue;
    files += skill.files.size();
    for (const TreeEntry& file : skill.files) bytes += file.bytes;
    out.skills.emplace_back(folder, std::move(skill.files));
  }
  if (!has_skill) {
    return Error{ErrorKind::NotFound, "no folder of " +
                                          (from.path.empty() ? std::string("the repository's root")
                                                             : "\"" + from.path + "\"") +
                                          " has a SKILL.md"};
  }
  if (files > from.max_files || bytes > from.max_bytes) {
    return Error{ErrorKind::InvalidArgument,
                 "its skills have " + std::to_string(files) + " files and " +
                     std::to_string(bytes) +
                     " bytes: max_files = " + std::to_string(from.max_files) +
                     " and max_bytes = " + std::to_string(from.max_bytes) + " are the limits"};
  }
  return out;
}

Result<Pulled> fetch(const config::SkillRepository& from, const std::string& known,
                     const std::filesystem::path& work, const Git& git) {
  HOST_TRY_ASSIGN(const Remote remote, resolve(from, work, git));
  Pulled out;
  out.remote = remote.id;
  out.is_same = !known.empty() && remote.id == known;
  if (out.is_same) return out;
  HOST_TRY_ASSIGN(out.commit, download(from, remote, work, git));
  const std::filesystem::path clone = work / "clone";
  HOST_TRY_ASSIGN(auto entries, entries_at(from, out.commit, clone, git));
  HOST_TRY_ASSIGN(Selection selection, select(std::move(entries), from));
  std::set<std::string> ids;
  for (const auto& [folder, files] : selection.skills) {
    for (const TreeEntry& file : files) ids.insert(file.id);
  }
  HOST_TRY_ASSIGN(const auto contents, contents_of(ids, from.max_bytes, clone, git));
  out.left_out = std::move(selection.left_out);
  for (auto& [folder, files] : selection.skills) {
    PulledSkill& skill = out.skills.emplace_back();
    skill.folder = folder;
    for (TreeEntry& file : files)
      skill.files.push_back({std::move(file.path), contents.at(file.id)});
    std::sort(skill.files.begin(), skill.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
  }
  return out;
}

}  // namespace host::checkout
