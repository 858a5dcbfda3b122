#include "checkout/changes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/text/visible.h"
#include "json/object_text.h"
#include "upstream/pins/definition.h"
#include "upstream/pins/difference.h"

namespace host::checkout {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShown = 1u << 20u;        // of all skills together
constexpr std::uint64_t kMostWhole = 256ull << 20u;  // of one skill

// `name` is a symbolic link to the version, so that git's lines have a short name.
Result<void> link_to(const fs::path& version, const fs::path& name) {
  std::error_code error;
  fs::remove_all(name, error);
  const bool exists = !version.empty();
  const int failed =
      exists ? ::symlink(version.c_str(), name.c_str()) : ::mkdir(name.c_str(), 0700);
  if (failed == 0) return {};
  return Error{ErrorKind::Io, name.string() + ": " + std::strerror(errno)};
}

void take_lines(std::string_view text, Whole whole, SkillChange& into) {
  std::size_t bytes = 0;
  std::size_t left_out = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with("index ")) continue;  // ids of git, which nothing else shows
    const bool fits =
        whole == Whole::Yes || (into.lines.size() + 1 < upstream::kMostLines &&
                                bytes + line.size() <= upstream::kMostDifferenceBytes);
    if (!fits) {
      ++left_out;
      continue;
    }
    bytes += line.size();
    into.lines.push_back(marked(line));  // also bytes that are not UTF-8 are shown
  }
  if (left_out == 0) return;
  into.lines.push_back("... and " + std::to_string(left_out) + " more lines");
  into.is_cut = true;
}

std::string change_json(const SkillChange& change) {
  std::string out = "{";
  json::add_text(out, "skill", change.skill);
  json::add_bool(out, "new", change.is_new);
  json::add_text(out, "digest", change.is_cut ? std::string() : change.digest);
  json::add_bool(out, "cut", change.is_cut);
  json::add_text(out, "since", to_rfc3339(change.since));
  json::add_member(out, "diff", json::list_of(change.lines));
  return out + "}";
}

}  // namespace

Result<std::vector<SkillChange>> changes_of(const std::vector<store::PinRecord>& held,
                                            const Versions& versions, const fs::path& work,
                                            const Git& git, Whole whole) {
  std::vector<SkillChange> out;
  std::size_t shown = 0;
  for (const store::PinRecord& record : held) {
    SkillChange change;
    change.skill = record.tool;
    change.is_new = record.accepted.empty();
    change.digest = upstream::digest_of(record.held);
    change.since = record.changed;
    if (!versions.has(record.held)) {
      change.lines = {"... its files are missing or changed in the state folder: pull again"};
      change.is_cut = true;
      out.push_back(std::move(change));
      continue;
    }
    // Without the accepted files, which may be in the repository no more, all of it is shown.
    const bool has_accepted = !change.is_new && versions.has(record.accepted);
    if (whole == Whole::No && shown >= kMostShown) {
      change.lines = {"... not shown: the waiting changes together are too long"};
      change.is_cut = true;
      out.push_back(std::move(change));
      continue;
    }
    HOST_TRY(link_to(!has_accepted ? fs::path() : versions.folder_of(record.accepted),
                     work / "accepted"));
    HOST_TRY(link_to(versions.folder_of(record.held), work / "waiting"));
    Git::Run run{{"diff", "--no-index", "--text", "--no-ext-diff", "--no-textconv", "--no-color",
                  "--no-prefix", "--no-renames", "--", "accepted/", "waiting/"},
                 work};
    run.also_ok = 1;  // they differ
    if (whole == Whole::Yes) run.most_output = kMostWhole;
    const auto text = git.run(run);
    const bool is_too_long = !text && text.error().kind == ErrorKind::InvalidArgument;
    if (!text && !(is_too_long && whole == Whole::No)) return text.error();
    if (is_too_long) {
      change.lines = {"... the difference is too long to be shown here"};
      change.is_cut = true;
    } else {
      take_lines(*text, whole, change);
    }
    if (!has_accepted && !change.is_new) {
      change.lines.insert(change.lines.begin(),
                          "(the accepted files are missing: this is the whole waiting version)");
    }
    for (const std::string& line : change.lines) shown += line.size();
    out.push_back(std::move(change));
  }
  return out;
}

std::string as_json(const std::string& repository, const std::string& digest,
                    const std::vector<SkillChange>& changes) {
  const bool is_cut = std::any_of(changes.begin(), changes.end(),
                                  [](const SkillChange& one) { return one.is_cut; });
  std::string out = "{";
  json::add_text(out, "repository", repository);
  json::add_text(out, "digest", is_cut ? std::string() : digest);
  std::string all = "[";
  for (const SkillChange& change : changes) {
    if (all.size() > 1) all += ',';
    all += change_json(change);
  }
  json::add_member(out, "changes", all + "]");
  return out + "}";
}

}  // namespace host::checkout
