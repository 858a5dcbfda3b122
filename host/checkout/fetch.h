// Downloads the skills of a Git repository. Git only transfers and stores the objects of the
// repository. The host writes the skills' files itself, without Git. The host uses no checkout,
// hook, filter, attribute, submodule or symbolic link of the repository.
//
// Every function blocks. Any thread can call the functions of this header.
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
  std::string folder;             // the folder's name in the repository
  std::vector<PulledFile> files;  // the skill's files, ordered by path
};

// A LeftOut is a part of the commit that the host does not serve, with the reason in words for
// users.
struct LeftOut {
  std::string skill;  // the skill's folder
  std::string reason;
  bool is_refused = false;  // true: the whole skill is refused; false: some of its files
};

struct Pulled {
  std::string remote;    // the object of `ref`: the commit, or an annotated tag
  bool is_same = false;  // true: `remote` equals `known`; other members are empty
  std::string commit;
  std::vector<PulledSkill> skills;
  std::vector<LeftOut> left_out;
};

// Downloads the current commit of the repository's `ref` into `work`. The folder `work` must be
// empty. The caller must remove `work`, also after an Error. `known` names the object that the last
// pull found, or is empty if there was no pull. If `ref` still refers to the object `known`,
// fetch() does not download the commit again.
Result<Pulled> fetch(const config::SkillRepository& from, const std::string& known,
                     const std::filesystem::path& work, const Git& git);

// ---- the steps of fetch(); they are declared here for tests

// A Remote is the object to which `ref` refers, and the full name of the ref. The function
// remote_of() reads the id and the name from the output of git ls-remote. The Error NotFound means
// that the ref does not exist. The Error InvalidArgument means that both a branch and a tag have
// the name `ref`.
struct Remote {
  std::string id;
  std::string name;
};
Result<Remote> remote_of(std::string_view listing, const std::string& ref);

// A TreeEntry is one file of a commit, from the output of git ls-tree.
struct TreeEntry {
  std::string mode;  // "100644"
  std::string type;  // "blob", "commit"
  std::string id;
  std::uint64_t bytes = 0;
  std::string path;
};
Result<std::vector<TreeEntry>> entries_of(std::string_view listing);

// A Selection contains the files of the skills in a commit, without their contents, and the parts
// that the host does not serve. The Error InvalidArgument means that the repository has too many
// files or bytes. The Error NotFound means that the commit contains no skill.
struct Selection {
  std::vector<std::pair<std::string, std::vector<TreeEntry>>> skills;  // folder -> files
  std::vector<LeftOut> left_out;
};
Result<Selection> select(std::vector<TreeEntry> entries, const config::SkillRepository& from);

}  // namespace host::checkout
