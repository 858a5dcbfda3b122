#include "permission/shell/read_only.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "permission/shell/command.h"
#include "permission/shell/expansion.h"
#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

bool is_harmless(std::string_view command, const Place& place = kPlace) {
  return shell::Command(command, place).is_read_only();
}

bool runs_unasked(std::string_view command, Mode mode) {
  return decide_command(engine(mode), command).behavior == Behavior::Allow;
}

// Case 17.
TEST(ShellReadOnly, AllowsKnownCommandsThatChangeNothing) {
  for (const std::string_view command : {"ls -la",
                                         "ls --color=auto -lh src",
                                         "ls *",
                                         "ls src/*.cpp",
                                         "cat a | grep b | wc -l",
                                         "cat *.txt",
                                         "find . -name '*.c'",
                                         "find src -type f -mtime -7 -size +5k",
                                         "find . \\( -name a -o -name b \\) -print0",
                                         "find . ! -name a",
                                         "grep -rn --include=*.c needle src",
                                         "grep -nA3 x a",
                                         "grep -e x -f patterns a",
                                         "rg -n -C 2 needle src",
                                         "head -n 3 a",
                                         "head -20 a",
                                         "tail -n5 a",
                                         "tail -5 a",
                                         "pwd; cd src; ls",
                                         "python --version",
                                         "node -v",
                                         "NO_COLOR=1 ls",
                                         "LC_ALL=C.UTF-8 ls",
                                         "cat a 2>/dev/null",
                                         "cat < a",
                                         "cat /dev/null",
                                         "echo a 2>&1",
                                         "echo *",
                                         "printf '%s\\n' a",
                                         "printf '100%%n' a",
                                         "printf -- '%5d %s' 1 %n",
                                         "ls \\\n  -la \\\n  src",
                                         "cat a | \\\n grep b",
                                         "cd src && \\\n ls",
                                         "cd -L src && ls",
                                         "cd -- src; ls",
                                         "tree -L 2",
                                         "tree -aL 2",
                                         "tree -L2",
                                         "tree -P '*.c' -I x",
                                         "file -b a",
                                         "stat -c %s a",
                                         "which -a ls"}) {
    EXPECT_TRUE(is_harmless(command)) << command;
    EXPECT_TRUE(runs_unasked(command, Mode::Default)) << command;
    EXPECT_TRUE(runs_unasked(command, Mode::Explore)) << command;
  }
}

// Case 17.
TEST(ShellReadOnly, DoesNotTrustOptionsThatWriteOrRun) {
  for (const std::string_view command : {"",
                                         "cat f > o",
                                         "cat f >> o",
                                         "find . -delete",
                                         "find . -exec rm {} ;",
                                         "find . -fprint x",
                                         "find . -name",
                                         "find . -name -delete",
                                         "find -files0-from x",
                                         "ls; touch f",
                                         "tee file",
                                         "ls | tee file",
                                         "rg --pre x y",
                                         "rg --pre=x y",
                                         "rg -z x",
                                         "rg --hostname-bin x y",
                                         "tree -o f",
                                         "tree -aof f",
                                         "tree -R",
                                         "tree -Lo 1 f",
                                         "tree -L2o f",
                                         "tree -LR 1",
                                         "tree -Po x f",
                                         "tree -Io x f",
                                         "file -C -m x",
                                         "file -bC",
                                         "file -z x",
                                         "file -p x",
                                         "PATH=. ls",
                                         "LD_PRELOAD=x ls",
                                         "LANG=../x ls",
                                         "TZ=/etc/shadow ls",
                                         "TERM=:x ls",
                                         "ls $X",
                                         "python x.py",
                                         "python --version x",
                                         "python -c x",
                                         "python -Vc x",
                                         "node -v x",
                                         "./ls",
                                         "/bin/ls",
                                         "printf -v PATH x",
                                         "printf %n PATH; ls",
                                         "printf -- '%5n' x",
                                         "printf '%-5.3n' x",
                                         "printf '%s%*.*lln' x 1 1 PATH",
                                         "printf '%%%n' PATH",
                                         "printf * x",
                                         "printf -- %* PATH",
                                         "cat < a*",
                                         "cd d*; cat x",
                                         "cd -P x",
                                         "cd -LP x",
                                         "cat </dev/tcp/1.2.3.4/80",
                                         "sudo ls",
                                         "ls &> f",
                                         "echo x &>/dev/null touch f",
                                         "cat 12</dev/null",
                                         "cat <&-/etc/passwd",
                                         "TERM+=x ls",
                                         "cat a >& f",
                                         "alias ls=rm; ls"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
    EXPECT_FALSE(runs_unasked(command, Mode::Default)) << command;
  }
}

TEST(ShellReadOnly, KnowsNoProgramThatWritesRunsOrObeysItsFolder) {
  for (const std::string_view command :
       {"sort -o x y", "sort x",       "uniq a b",    "uniq a",
        "date -s x",   "date",         "hostname x",  "hostname",
        "env",         "env ls",       "less a",      "more a",
        "man ls",      "awk 1 a",      "sed -n 1p a", "sed w a",
        "jq . a",      "xargs ls",     "fd a",        "fd -x rm",
        "ag x",        "ag --pag=x y", "ack --pag x", "pip list --log f",
        "pip list",    "npm ls",       "docker ps",   "docker logs -f x",
        "gh pr list",  "diff a b",     "tar tf a",    "make -n",
        "time ls",     "nice ls",      "timeout 1 ls"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
  }
}

TEST(ShellReadOnly, MatchesNoOptionByItsBeginning) {
  for (const std::string_view command :
       {"ls --col", "grep --inc=x y z", "git cat-file --te x", "git diff --out=x", "tail --fol x",
        "rg --pr x y", "git log --ext", "find . -nam x", "wc --files0=x", "tree --fromf"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
  }
}

TEST(ShellReadOnly, TakesNoWildcardThatMayBecomeAnOption) {
  for (const std::string_view command :
       {"find . -exe? rm", "find . -n* x", "find *", "find . -name *", "find ?", "find . [-]delete",
        "tail *", "rg x *", "tree *", "file *", "file -? x", "git log *", "git log --out*",
        "which *", "wc -?", "tail -n *", "python *", "tail -?", "rg --p* x"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
  }
  for (const std::string_view command :
       {"find src/*", "find a* -name x", "tail ./*", "rg x src/*.c", "file a*", "rg x --glob=*.c",
        "tail '*'"}) {
    EXPECT_TRUE(is_harmless(command) || command.starts_with("tail '")) << command;
  }
}

TEST(ShellReadOnly, TakesNoOptionForAValue) {
  for (const std::string_view command :
       {"head -n --help x", "rg -A --pre=x y", "grep -e --x y", "tree -L -o x", "tail -n -f x"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
  }
  EXPECT_TRUE(is_harmless("tail -n -5 x"));
}

TEST(ShellReadOnly, EndsByItself) {
  for (const std::string_view command : {"tail -f x",
                                         "tail -F x",
                                         "tail -5f x",
                                         "tail -fn5 x",
                                         "tail --follow x",
                                         "tail --follow=name x",
                                         "tail --pid=1 x",
                                         "tail -s1 x",
                                         "tail --retry x",
                                         "tail +5f x",
                                         "tail +f x",
                                         "tail +5bf x",
                                         "cat /dev/zero",
                                         "cat < /dev/zero",
                                         "head /dev/urandom",
                                         "cat /dev/tty",
                                         "grep x /dev/sda",
                                         "grep -f/dev/zero x",
                                         "grep --file=/dev/zero x",
                                         "cd /dev; cat zero",
                                         "cd /; cat dev/zero",
                                         "cd / && cd dev && cat zero",
                                         "cat /x/../dev/zero",
                                         "cat /d?v/zero",
                                         "cat /*/zero",
                                         "cat a*/../../../../dev/zero",
                                         "wc -c /proc/kmsg",
                                         "grep -R x sub",
                                         "grep -Da x",
                                         "grep --dereference-recursive x",
                                         "rg -L x",
                                         "cat */a",
                                         "grep x *",
                                         "grep -r x /",
                                         "rg x /",
                                         "cd / | cat dev/zero"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
  }
}

TEST(ShellReadOnly, TellsNothingOfOtherProcesses) {
  for (const std::string_view command :
       {"cat /proc/1/environ", "cat /proc/self/environ", "cd /proc; cat 1/environ",
        "cat < /proc/1/environ", "ls /proc/1/fd", "find /proc -name x", "cat /sys/kernel/x"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
  }
}

TEST(ShellReadOnly, FollowsLinksToDevicesAndPipes) {
  const TemporaryFolder folder;
  const Place place{"/home/u", folder.text()};
  folder.link("link", "/dev/zero");
  folder.link("processes", "/proc");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  folder.file("plain");
  folder.folder("below");
  EXPECT_TRUE(is_harmless("cat plain below/none", place));
  EXPECT_TRUE(is_harmless("cat pl*", place));
  for (const std::string_view command :
       {"cat link", "cat pipe", "cat < pipe", "cat processes/1/environ", "cd below; cat ../pipe",
        "cd processes; cat 1/environ", "grep -f pipe x", "head -n1 pipe", "cd -; cat x", "cat *",
        "cat l*", "cat ./p?pe", "cd below; cat ../p*"}) {
    EXPECT_FALSE(is_harmless(command, place)) << command;
  }
}

// The folder that it works in says what git runs: core.fsmonitor, filters, textconv, hooks.
TEST(ShellReadOnly, IsNoGit) {
  for (const std::string_view command :
       {"git status", "git diff", "git log -1", "git rev-parse HEAD", "git --no-pager log",
        "git config --list", "git branch -a", "git -c core.fsmonitor=x status",
        "GIT_EXTERNAL_DIFF=x git diff"}) {
    EXPECT_FALSE(is_harmless(command)) << command;
    EXPECT_FALSE(runs_unasked(command, Mode::Default)) << command;
    EXPECT_FALSE(runs_unasked(command, Mode::Explore)) << command;
  }
}

TEST(ShellReadOnly, NamesEachProgramOfItsListOnce) {
  std::vector<std::string> names = shell::read_only_programs();
  for (const std::string name : {"ls", "grep", "find", "echo", "printf", "rg"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  for (const std::string name : {"sh", "git", "sed", "env", "xargs"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << name;
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// What a worker is chosen by: the command alone, whatever is asked of it besides.
TEST(ShellReadOnly, IsJudgedOfEveryCallThatIsNotDenied) {
  EXPECT_TRUE(decide_command(engine(Mode::Default), "ls").judged_to_read);
  EXPECT_TRUE(decide_command(engine(Mode::Bypass), "ls").judged_to_read);
  EXPECT_FALSE(decide_command(engine(Mode::Bypass), "touch a").judged_to_read);
  EXPECT_FALSE(decide_command(engine(Mode::Default), "touch a").judged_to_read);
  const Decision dangerous = decide_command(engine(Mode::Bypass), "cat ~/.ssh/id_rsa");
  EXPECT_EQ(dangerous.behavior, Behavior::Ask);
  EXPECT_TRUE(dangerous.judged_to_read);
  const Beside none{.trust = config::Trust::None};
  EXPECT_FALSE(decide_command(engine(Mode::Bypass), "ls", none).judged_to_read);
}

// A tool's command runs where the tool says, not where the host does.
TEST(ShellReadOnly, JudgesRelativePathsFromWhereTheCommandRuns) {
  const TemporaryFolder folder;
  const std::string here = folder.folder("here");
  folder.link("here/notes", folder / ".env");
  folder.link("here/plain", folder / "text");
  const auto decided = [&](std::string_view command, const Answers& answers, Mode mode) {
    return decide_command(engine(mode), command, {.answers = &answers}).behavior;
  };
  Answers told;
  told.check = CheckAnswer{Verdict::Passthrough, false, {}, {}, here};
  const Answers nothing;
  for (const Mode mode : {Mode::Default, Mode::Explore}) {
    for (const std::string_view command :
         {"cat notes", "cat n*", "cat note?", "cat [n]otes", "cat [^x]otes", "cat < notes"}) {
      EXPECT_NE(decided(command, told, mode), Behavior::Allow) << command;
      EXPECT_NE(decided(command, nothing, mode), Behavior::Allow) << command;
    }
    EXPECT_EQ(decided("cat plain", told, mode), Behavior::Allow);
    EXPECT_EQ(decided("cat p*", told, mode), Behavior::Allow);
    EXPECT_NE(decided("cat plain", nothing, mode), Behavior::Allow) << "from where?";
    EXPECT_NE(decided("find . -newer plain", nothing, mode), Behavior::Allow);
    for (const std::string_view command : {"ls -la", "find . -empty", "cat /etc/hostname"})
      EXPECT_EQ(decided(command, nothing, mode), Behavior::Allow) << command;
  }
}

TEST(ShellExpansion, IsWhatAnyShellCouldMakeOfAWord) {
  const TemporaryFolder folder;
  const std::string odd = folder.folder("a[b]*");
  folder.folder("a[b]*/sub");
  folder.link("a[b]*/sub/one", "/etc/hostname");
  folder.link("a[b]*/.two", "/etc/hostname");
  const Place place{"/home/u", odd};
  const auto expanded = [&](std::string_view pattern) {
    Budget budget;
    auto paths = shell::expansions(pattern, place, budget);
    EXPECT_TRUE(paths) << pattern;
    if (paths) std::sort(paths->begin(), paths->end());
    return paths.value_or(std::vector<std::string>{});
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(expanded("*"), Paths{odd + "/sub"});
  EXPECT_EQ(expanded(".*"), (Paths{odd + "/.", odd + "/..", odd + "/.two"}));
  EXPECT_EQ(expanded("..*"), Paths{odd + "/.."}) << "dash matches it";
  EXPECT_EQ(expanded("sub/.?"), (Paths{odd + "/sub/.", odd + "/sub/.."}));
  EXPECT_EQ(expanded("*/o?e"), Paths{odd + "/sub/one"});
  EXPECT_EQ(expanded("s[^a]b/one"), Paths{odd + "/sub/one"});
  EXPECT_EQ(expanded("sub/[[:alpha:]]*"), Paths{odd + "/sub/one"});
  EXPECT_EQ(expanded("x*"), Paths{});
  EXPECT_EQ(expanded("sub/one/*"), Paths{}) << "no folder";
  EXPECT_EQ(expanded("x*/../sub"), Paths{});
  for (int i = 0; i < 5000; ++i) folder.link("a[b]*/sub/n" + std::to_string(i), "x");
  Budget budget;
  EXPECT_EQ(shell::expansions("sub/*", place, budget), std::nullopt) << "more than is looked at";
}

TEST(ShellExpansion, IsPaidForByTheBudget) {
  const TemporaryFolder folder;
  for (int i = 0; i < 4200; ++i) folder.file("large/" + std::to_string(i));
  for (int i = 0; i < 100; ++i) folder.file("small/" + std::to_string(i));
  const auto most = [&](std::string_view name, const std::string& pattern) {
    const Place place{"/home/u", folder / name};
    Budget budget;
    int looks = 0;
    while (budget.take(1) && looks < 10'000) {
      static_cast<void>(shell::expansions(pattern, place, budget));
      ++looks;
    }
    return looks;
  };
  EXPECT_LT(most("large", "x*"), 100) << "also for a folder that is not read to its end";
  EXPECT_LT(most("small", "x*"), 2000);
  EXPECT_LT(most("small", "*/" + std::string(3000, 'a')), 100) << "also for long paths";
  EXPECT_LT(most("small", "x" + std::string(3000, '?') + "*y*" + std::string(3000, 'a')), 100);
  EXPECT_LT(most("nothing", ".?/.?/.?/.?/.?/.?/.?/.?/.?/.?"), 200);
  Budget budget;
  const Place small{"/home/u", folder / "small"};
  EXPECT_EQ(shell::expansions("*/" + std::string(5000, 'a'), small, budget), std::nullopt)
      << "no path is so long";
}

TEST(ShellExpansion, OfTheCommandsOfACallHasOneBudget) {
  const TemporaryFolder folder;
  for (int i = 0; i < 3000; ++i) folder.file(std::to_string(i));
  const Place place{"/home/u", folder.text()};
  const auto budget = std::make_shared<Budget>();
  const auto danger = [&] {
    return shell::Command("cat *", place, budget).danger(DangerousPaths(), {}).value_or("");
  };
  EXPECT_EQ(danger(), "");
  EXPECT_THAT(danger(), ::testing::HasSubstr("too many"));
  EXPECT_FALSE(shell::Command("cat 1", place, budget).is_read_only());
  EXPECT_TRUE(shell::Command("cat 1", place).is_read_only());
}

}  // namespace
}  // namespace host::permission::test
