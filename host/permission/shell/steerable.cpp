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
    "svn",    "wget",    "git"};

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

bool is_steerable(std::span<const Word> words) {
  return is_one_of(kSteerable, base_name(words.front().text));
}

}  // namespace host::permission::shell
