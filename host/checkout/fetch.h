// Downloads the skills of a Git repository. Git only transfers and stores the objects. The host
// writes the files itself: no checkout, hook, filter, attribute, submodule or symbolic link of the
// repository takes part.
//
// Every function blocks. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkout/git.h"
#include "config/skill_repository.h"

namespace host::checkout {

struct PulledFile {
  std::string path;  // relative to the skill's folder, with `/`
  std::string bytes;
};

struct PulledSkill {
  std::string folder;             // its name in the repository
  std::vector<PulledFile> files;  // in the order of their paths
};

// A part of the commit that is not served, for users.
struct LeftOut {
  std::string skill;  // the skill's folder
  std::string reason;
  bool is_refused = false;  // true: the whole skill; false: some of its files
};

struct Pulled {
  std::string remote;    // the object that `ref` names: the commit, or an annotated tag
  bool is_same = false;  // it is `known`; then nothing was downloaded, and the rest is empty
  std::string commit;
  std::vector<PulledSkill> skills;
  std::vector<LeftOut> left_out;
};

// Downloads the commit that the repository's `ref` names now into `work`, which must be empty. The
// caller removes `work`. `known`: Pulled::remote of the last pull; empty: none. An Error leaves
// nothing but files in `work`.
Result<Pulled> fetch(const config::SkillRepository& from, const std::string& known,
                     const std::filesystem::path& work, const Git& git);

// ---- the steps of fetch(), for tests

// The object and the full name that `ref` names, from the output of git ls-remote. NotFound: there
// is no such ref. InvalidArgument: a branch and a tag have this name.
struct Remote {
  std::string id;
  std::string name;
};
Result<Remote> remote_of(std::string_view listing, const std::string& ref);

// One file of a commit, from the output of git ls-tree.
struct TreeEntry {
  std::string mode;  // "100644"
  std::string type;  // "blob", "commit"
  std::string id;
  std::uint64_t bytes = 0;
  std::string path;
};
Result<std::vector<TreeEntry>> entries_of(std::string_view listing);

// The entries that belong to skills, without their contents, and what is left out. InvalidArgument:
// more files or bytes than the repository may have, or no skill at all.
struct Selection {
  std::vector<std::pair<std::string, std::vector<TreeEntry>>> skills;  // by folder
  std::vector<LeftOut> left_out;
};
Result<Selection> select(std::vector<TreeEntry> entries, const config::SkillRepository& from);

}  // namespace host::checkout
