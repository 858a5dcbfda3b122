#include "permission/shell/steerable.h"

namespace host::permission::shell {
namespace {

constexpr std::string_view kSteerable[] = {
    "make",   "gmake",   "cmake", "ctest",  "ninja",    "meson",   "bazel", "ant",    "mvn",
    "gradle", "gradlew", "sbt",   "rake",   "just",     "npm",     "pnpm",  "yarn",   "bun",
    "deno",   "cargo",   "rustc", "go",     "pip",      "pip3",    "uv",    "poetry", "pytest",
    "tox",    "nox",     "gem",   "bundle", "composer", "gcc",     "g++",   "cc",     "c++",
    "clang",  "clang++", "ld",    "javac",  "java",     "tsc",     "jest",  "eslint", "tar",
    "rsync",  "scp",     "sftp",  "zip",    "sort",     "split",   "sed",   "vi",     "vim",
    "ed",     "emacs",   "less",  "more",   "man",      "sqlite3", "psql",  "mysql",  "hg",
    "svn",    "wget"};

// Verbs that connect through a program named by an option, or that run hooks, an editor or a pager.
constexpr std::string_view kGitVerbs[] = {
    "pull", "push",   "fetch",       "clone",  "ls-remote", "archive",   "commit",    "merge",
    "am",   "rebase", "cherry-pick", "revert", "checkout",  "switch",    "submodule", "remote",
    "grep", "tag",    "worktree",    "svn",    "p4",        "send-email"};

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

bool is_steerable(std::span<const Word> words) {
  const std::string_view name = base_name(words.front().text);
  if (name != "git") return is_one_of(kSteerable, name);
  return words.size() < 2 || words[1].text.starts_with('-') || is_one_of(kGitVerbs, words[1].text);
}

}  // namespace host::permission::shell
