// The folders in which the commands of a script run, and the paths that these folders decide about.
#include <gtest/gtest.h>

#include "permission/shell/command.h"
#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

class ShellFolder : public ::testing::Test {
 protected:
  ShellFolder() {
    folder_.file("home/.config/gh/hosts.yml");
    folder_.folder("home/.config/git");
    folder_.file("w/sub/c");
    folder_.file("w/a");
    folder_.file("w/.env");
    folder_.link("w/l", folder_ / "home/.config/git");
    folder_.file("w/~/plain");
    folder_.link("w/~/x", folder_ / "w/.env");
  }

  Place place(std::string_view cwd = "w") const { return {folder_ / "home", folder_ / cwd}; }

  std::string danger(std::string_view command, std::string_view cwd = "w") const {
    const Place here = place(cwd);
    return shell::Command(command, here).danger(DangerousPaths(), {}).value_or("");
  }
  bool reads_only(std::string_view command) const {
    const Place here = place();
    return shell::Command(command, here).is_read_only();
  }

  TemporaryFolder folder_;
};

TEST_F(ShellFolder, IsEveryOneInWhichACommandCouldRun) {
  for (const std::string_view command :
       {"cd ~/.config; cd nope; cat gh/hosts.yml", "cd ~/.config; cd nope | true; cat gh/hosts.yml",
        "cd ~; cd .config; cd nope; cat gh/hosts.yml",
        "cd ~/.cargo; cd nope; cp x credentials.toml", "chdir ~/.config; cat gh/hosts.yml",
        "pushd ~/.config; cat gh/hosts.yml", "pushd ~/.config; popd; cat gh/hosts.yml",
        "cd -- ~/.config; cat gh/hosts.yml", "cd ~/.config x; cat gh/hosts.yml",
        "cd ~/.config 2>a; cat gh/hosts.yml", "cd ~/.config; sh -c 'cat gh/hosts.yml'",
        "cd ~; sh -c 'cd .config; cat gh/hosts.yml'",
        "cd ~/.config; nice bash -c 'cd nope; cat gh/hosts.yml'"}) {
    EXPECT_NE(danger(command), "") << command;
  }
}

TEST_F(ShellFolder, IsFollowedByLettersAndByLinks) {
  for (const std::string_view command :
       {"cd -P l && cd .. && cat gh/hosts.yml", "cd l && cd -P .. && cat gh/hosts.yml",
        "cd -P l/.. && cat gh/hosts.yml", "cd l; cat ../gh/hosts.yml"}) {
    EXPECT_NE(danger(command), "") << command;
  }
  EXPECT_NE(danger("cd .. && cat gh/hosts.yml", "w/l"), "") << "a shell starts in the real folder";
}

TEST_F(ShellFolder, IsNotKnownAfterWhatTheHostCannotFollow) {
  for (const std::string_view command : {"cd ~/.confi* && cat gh/hosts.yml",
                                         "cd s* && cp a b",
                                         "cd [s]ub; cat c",
                                         "cd -; cat a",
                                         "cd -- -; cat a",
                                         "cd --weird x; cat a",
                                         "pushd +1; cat a",
                                         "command cd sub; cat a",
                                         "builtin cd sub && cat a",
                                         "eval cd sub; cat a",
                                         "eval 'cd sub'; cat a",
                                         "eval \"eval 'cd sub'\"; cat a",
                                         "! cd sub; cat a",
                                         "time cd sub; cat a",
                                         "trap 'cd sub' DEBUG; cat a",
                                         "HOME=sub; cat ~/a",
                                         "HOME=sub cd; cat a",
                                         "export HOME=sub; cat ~/a",
                                         "command export HOME=sub; cat ~/a",
                                         "read HOME <a; cat ~/b",
                                         "HOME=sub :; cat ~/a",
                                         "CDPATH=sub cd x; cat a",
                                         "CDPATH=sub; cd x; cat a",
                                         "shopt -s dotglob; cat *",
                                         "GLOBIGNORE=x; cat *",
                                         "cd 1; cd 2; cd 3; cd 4; cat a"}) {
    EXPECT_NE(danger(command), "") << command;
  }
}

TEST_F(ShellFolder, OfAProgramIsTheOneThatItsOptionNames) {
  for (const std::string_view command :
       {"env -C ~/.config cat gh/hosts.yml", "git -C ~/.config show :gh/hosts.yml",
        "env --chdir=../home/.config cat gh/hosts.yml", "tar -cC ~/.config -f x gh/hosts.yml",
        "tar --directory ~/.config -cf x gh", "make -C../home/.config gh/hosts.yml",
        "cd ~; tar -C .config -cf x gh", "env -C ~/.config sh -c 'cat gh/hosts.yml'",
        "env -C ~/.confi* sh -c 'cat gh/hosts.yml'", "env -C / rm -r usr"}) {
    EXPECT_NE(danger(command), "") << command;
  }
}

TEST_F(ShellFolder, MayBeNamedByAQuotedTilde) {
  for (const std::string_view command : {"cat '~/x'", "cat \\~/x", "cat '~'/x*", "grep -f '~/x' a",
                                         "grep --file=~/x a", "cd '~' && cat x"}) {
    EXPECT_NE(danger(command), "") << command;
  }
  EXPECT_EQ(danger("cat '~/plain'"), "");
}

TEST_F(ShellFolder, DecidesWhatARemovalHits) {
  EXPECT_NE(danger("cd / && rm -r usr"), "");
  EXPECT_NE(danger("cd ..; rm -r home"), "") << "the home folder";
  EXPECT_EQ(danger("cd sub && rm c"), "");
}

TEST_F(ShellFolder, IsPlainInOrdinaryScripts) {
  for (const std::string_view command :
       {"cd sub && cp c d", "cd sub && make && cd .. && make", "cd sub; cd ..; cp a b",
        "cd a && make && cd ../b && make && cd ../c && make",
        "cd /tmp && cd /var && cd /usr && x y", "pushd sub && make && popd && make",
        "grep -C 3 x a", "make -C sub all", "env HOME=/tmp make && cp a b", "HOME=/tmp make",
        "export JAVA_HOME=/x && make && cp a b", "time JAVA_HOME=/x make && cp a b", "tree -C s*",
        "sort -C *.txt", "cd s*", "echo a; cd -", "cd s*; echo b"}) {
    EXPECT_EQ(danger(command), "") << command;
  }
  for (const std::string_view command :
       {"cd sub && ls", "cd sub; cat c", "cd 'sub' && cat c", "cd && ls", "cd -L sub && ls",
        "cd sub && cd .. && cat a", "cd sub && \\\n  cat c", "ls \\\n  sub"}) {
    EXPECT_TRUE(reads_only(command)) << command;
    EXPECT_EQ(danger(command), "") << command;
  }
  for (const std::string_view command :
       {"cd s*; cat c", "cd s* && ls", "cd -P sub && ls", "cd -LP sub && ls", "cd ../s* && ls",
        "chdir sub && ls", "cd a; cd b; cd c; ls"}) {
    EXPECT_FALSE(reads_only(command)) << command;
  }
}

}  // namespace
}  // namespace host::permission::test
