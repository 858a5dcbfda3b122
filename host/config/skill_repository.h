// [[skill_repository]]: Git repositories whose skills this host serves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/upstream.h"

namespace host::config {

struct SkillRepository {
  std::string name;
  std::string git;        // the URL: https, ssh, file, or http on this machine
  std::string ref;        // a branch, a tag or a whole commit id; empty: the remote's HEAD
  std::string path;       // the folder of the skills in the repository; empty: the root
  Seconds pull_every{0};  // 0: the host pulls only when a command requests it
  Pin pin = Pin::Tofu;    // has no effect if `ref` is a commit id
  Seconds timeout{std::chrono::seconds(120)};  // time limit of one pull
  std::uint64_t max_bytes = 64u << 20u;        // limit of one download, and of all files together
  std::uint32_t max_files = 2000;              // maximum number of files of all skills together

  bool operator==(const SkillRepository&) const = default;
};

// Returns true for a whole commit id: 40 or 64 hexadecimal digits.
bool is_commit_id(std::string_view ref);

// The scheme of a URL that git_url_form() accepts: "https".
std::string_view scheme_of(std::string_view url);

// Each of the following functions returns nullptr if `text` has the right form, otherwise the
// expected form as words. An accepted text is safe as an argument of the program git: git does not
// treat it as an option, a command or the name of a helper.
const char* git_url_form(std::string_view text);
const char* git_ref_form(std::string_view text);
const char* git_path_form(std::string_view text);

}  // namespace host::config
