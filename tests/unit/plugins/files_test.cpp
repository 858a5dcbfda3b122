#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "roots/fd.h"
#include "support/old_file_system.h"
#include "unit/plugins/plugin_test.h"

namespace {

class Files : public testing::Test {
 protected:
  Files() : plugin_(library("files"), settings()) { fs::create_directory(folder_.root / "in"); }

  std::string settings(const std::string& more = R"(,"max_file_bytes":100000)") const {
    return R"({"roots":[)" + json_text(folder_.at("in")) + "]" + more + "}";
  }
  // Arguments with a path beneath the root.
  std::string args(const std::string& path, const std::string& more = "") const {
    return R"({"path":)" + json_text(folder_.at("in/" + path)) + more + "}";
  }
  std::string read(const std::string& path, const std::string& more = "") {
    return told(plugin_, "read_file", args(path, more));
  }
  std::string write(const std::string& path, std::string_view text, const std::string& more = "") {
    return told(plugin_, "write_file", args(path, R"(,"content":)" + json_text(text) + more));
  }
  std::string edit(const std::string& path, std::string_view old, std::string_view text,
                   const std::string& more = "") {
    return told(plugin_, "edit_file",
                args(path, R"(,"old":)" + json_text(old) + R"(,"new":)" + json_text(text) + more));
  }
  std::string search(const std::string& more) {
    std::string found = told(plugin_, "search_files", args("", more));
    const std::string root = folder_.at("in/");
    for (std::size_t at; (at = found.find(root)) != found.npos;) found.erase(at, root.size());
    return found;
  }
  // The version in an answer, as an argument.
  static std::string version_in(const std::string& answer) {
    return R"(,"version":")" + answer.substr(answer.rfind("version ") + 8, 16) + '"';
  }

  Folder folder_;
  fake::Plugin plugin_;
};

TEST_F(Files, ReadsLinesWithTheirNumbersAndTellsTheVersion) {
  folder_.write("in/a.txt", "one\ntwo\r\n\nfour");
  EXPECT_TRUE(read("a.txt").starts_with(
      "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n[lines 1-4 of 4; version "));
  EXPECT_TRUE(read("a.txt", R"(,"offset":2,"limit":1)")
                  .starts_with("     2\ttwo\n[lines 2-2 of 4; version "));
  EXPECT_NE(read("a.txt", R"(,"offset":5)").find("error: offset 5 is behind the last line, 4"),
            std::string::npos);
  folder_.write("in/empty", "");
  EXPECT_TRUE(read("empty").starts_with("[the file is empty; version "));
}

TEST_F(Files, ReportsWhatIsNoText) {
  folder_.write("in/nul", std::string_view("a\0b", 3));
  EXPECT_NE(read("nul").find("is a binary file of 3 bytes: it has a NUL byte at 1"),
            std::string::npos);
  folder_.write("in/latin", "ab\xe4");
  EXPECT_NE(read("latin").find("is no UTF-8 text: byte 2 of 3"), std::string::npos);
  folder_.write("in/long", std::string(5000, 'x'));
  EXPECT_NE(read("long").find("x ...\n"), std::string::npos);
  EXPECT_LT(read("long").size(), 2200u);
}

TEST_F(Files, AnImageIsABlob) {
  folder_.write("in/p.png", "\x89PNG\r\n\x1a\nrest");
  fake::Call call;
  plugin_.call("read_file", args("p.png"), call);
  ASSERT_EQ(call.blocks.size(), 1u);
  EXPECT_EQ(call.blocks[0].kind, TP_BLOB);
  EXPECT_EQ(call.blocks[0].mime, "image/png");
}

TEST_F(Files, NothingOutsideTheRootIsTouched) {
  folder_.write("secret", "secret");
  folder_.write("in_other/x", "secret");
  fs::create_symlink("../secret", folder_.root / "in/link");
  fs::create_symlink(folder_.root, folder_.root / "in/up");
  fs::create_symlink("/proc/self/root", folder_.root / "in/all");
  for (const std::string& path :
       {std::string("../secret"), std::string("../in_other/x"), std::string("link"),
        std::string("up/secret"), std::string("all/etc/passwd"), std::string("a/../../secret")}) {
    EXPECT_EQ(read(path).find("error: "), 0u) << path;
    EXPECT_NE(write(path, "changed").find("error: "), std::string::npos) << path;
    EXPECT_NE(edit(path, "secret", "changed").find("error: "), std::string::npos) << path;
  }
  for (const char* path : {"/etc/passwd", "/proc/self/root/etc/passwd", "relative", ""}) {
    EXPECT_EQ(told(plugin_, "read_file", R"({"path":)" + json_text(path) + "}").find("error: "),
              0u);
  }
  EXPECT_EQ(folder_.read("secret"), "secret");
  EXPECT_EQ(search(R"(,"pattern":"secret")"), "[no matches]\n");
  EXPECT_NE(read("link").find("is a symbolic link to ../secret"), std::string::npos);
}

TEST_F(Files, WhatIsNoFileIsNotOpened) {
  ASSERT_EQ(::mkfifo(folder_.at("in/pipe").c_str(), 0600), 0);
  EXPECT_NE(read("pipe").find("is a pipe, no file"), std::string::npos);
  EXPECT_NE(write("pipe", "x").find("is a pipe, no file"), std::string::npos);
  EXPECT_EQ(search(R"(,"pattern":"x")"), "[no matches]\n");
  EXPECT_NE(read("").find("is a folder: list_files"), std::string::npos);

  fake::Plugin devices(library("files"), R"({"roots":["/dev"]})");
  EXPECT_NE(told(devices, "read_file", R"({"path":"/dev/zero"})").find("is a device, no file"),
            std::string::npos);
  fake::Plugin processes(library("files"), R"({"roots":["/proc/self"]})");
  EXPECT_NE(told(processes, "read_file", R"({"path":"/proc/self/root/etc/passwd"})")
                .find("is a symbolic link"),
            std::string::npos);
}

TEST_F(Files, AFileOverTheLimitIsRefusedBeforeItIsRead) {
  folder_.write("in/big", "");
  fs::resize_file(folder_.root / "in/big", std::uintmax_t{1} << 40);
  EXPECT_NE(read("big").find("bytes; files of at most 100000"), std::string::npos);
  EXPECT_NE(write("new", std::string(100001, 'x')).find("at most 100000"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_.at("in/new")));
  // A file whose size is not told.
  fake::Plugin processes(library("files"), R"({"roots":["/proc/self"],"max_file_bytes":10})");
  EXPECT_NE(told(processes, "read_file", R"({"path":"/proc/self/maps"})").find("at most 10"),
            std::string::npos);
}

TEST_F(Files, WithoutRootsEveryToolSaysHowToGrantOne) {
  fake::Plugin bare(library("files"), "{}");
  for (const std::string& call :
       {told(bare, "read_file", R"({"path":"/x"})"), told(bare, "list_files", "{}"),
        told(bare, "search_files", R"({"glob":"*"})"),
        told(bare, "write_file", R"({"path":"/x","content":""})"),
        told(bare, "edit_file", R"({"path":"/x","old":"a","new":"b"})")}) {
    EXPECT_NE(call.find("[plugin.files.settings] roots = "), std::string::npos) << call;
  }
}

TEST_F(Files, ARootThatIsAFileIsNamedByEachSearch) {
  folder_.write("notes.md", "x");
  const std::string root = folder_.at("notes.md");
  fake::Plugin plugin(library("files"), R"({"roots":[)" + json_text(root) + "]}");
  for (const std::string& more : {std::string(), R"(,"path":)" + json_text(root)}) {
    for (const char* what : {R"({"pattern":"x")", R"({"glob":"*")"}) {
      const std::string answer = told(plugin, "search_files", what + more + "}");
      EXPECT_EQ(answer.find("error: the granted folder " + root + " cannot be opened: not a"), 0u)
          << answer;
    }
  }
  folder_.write("in/a.txt", "x");
  EXPECT_NE(
      told(plugin_, "search_files", args("a.txt/x", R"(,"glob":"*")")).find("not a directory"),
      std::string::npos);
}

TEST_F(Files, AFileThatMayNotBeReadIsNotCalledBinary) {
  folder_.write("in/a.txt", "hit");
  ASSERT_EQ(::chmod(folder_.at("in/a.txt").c_str(), 0), 0);
  ASSERT_EQ(::chmod(folder_.root.c_str(), 0755), 0);
  std::string found;
  std::thread([&] {  // the filesystem user of one thread
    const int before = ::setfsuid(65534);
    found = search(R"(,"pattern":"hit")");
    ::setfsuid(static_cast<uid_t>(before));
  })
      .join();
  EXPECT_EQ(found, "[no matches]\n[not searched: 1 that could not be read]\n");
}

// While it lives, this process can open only `free` more files.
class FewDescriptors {
 public:
  explicit FewDescriptors(std::size_t free) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{std::min<rlim_t>(before_.rlim_cur, 256), before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int fd; (fd = ::fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0;) taken_.emplace_back(fd);
    taken_.resize(taken_.size() - std::min(free, taken_.size()));
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
  std::vector<Fd> taken_;
};

TEST_F(Files, ASearchWithTooFewDescriptorsDoesNotSayThatNothingIsThere) {
  std::string path = "in/";
  for (int i = 0; i < 12; ++i) path += "d/";
  folder_.write(path + "a.txt", "hit\n");
  for (std::size_t free = 1; free < 20; ++free) {
    std::string found, names;
    {
      const FewDescriptors limit(free);
      found = search(R"(,"pattern":"hit")");
      names = told(plugin_, "list_files", args("", R"(,"depth":8)"));
    }
    const bool whole = found.find("  1: hit") != found.npos;
    EXPECT_TRUE(whole || found.find("could not be") != found.npos ||
                found.find("too many open files") != found.npos)
        << free << ": " << found;
    EXPECT_EQ(found.find("no UTF-8"), found.npos) << found;
    EXPECT_TRUE(names.find("d/d/d/d/d/d/d/d/\n") != names.npos ||
                names.find("could not be") != names.npos ||
                names.find("too many open files") != names.npos)
        << free << ": " << names;
  }
  EXPECT_NE(search(R"(,"pattern":"hit")").find("  1: hit"), std::string::npos);
}

TEST_F(Files, MakesANewFileAndItsFolders) {
  const std::string answer = write("a/b/c.txt", "text\n");
  EXPECT_TRUE(answer.starts_with("made " + folder_.at("in/a/b/c.txt") + " (5 bytes; version "))
      << answer;
  EXPECT_EQ(folder_.read("in/a/b/c.txt"), "text\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.root / "in/a/b"), {}), 1)
      << "a temporary file stayed behind";
}

TEST_F(Files, MakesANewFileWhereRenameKnowsNoFlags) {
  old_file_system::run([&] {
    const std::string answer = write("a.txt", "text");
    EXPECT_TRUE(answer.starts_with("made ")) << answer;
    EXPECT_TRUE(write("a.txt", "more", version_in(answer)).starts_with("replaced "));
  });
  EXPECT_EQ(folder_.read("in/a.txt"), "more");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.root / "in"), {}), 1)
      << "a temporary file stayed behind";
}

// Process ids come again, so a name that is made of one may be taken.
TEST_F(Files, WritesNextToWhatAKilledWorkerLeft) {
  const std::string left = "in/.toolpost-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < 200; ++i) folder_.write(left + std::to_string(i) + ".part", "half");
  const std::string answer = write("a", "text");
  EXPECT_TRUE(answer.starts_with("made ")) << answer;
}

TEST_F(Files, ReplacesAFileOnlyInTheVersionThatWasRead) {
  folder_.write("in/a", "first");
  EXPECT_NE(write("a", "blind").find("is there already: read_file it"), std::string::npos);
  const std::string seen = version_in(read("a"));
  folder_.write("in/a", "other");
  EXPECT_NE(write("a", "late", seen).find("has changed since version"), std::string::npos);
  EXPECT_EQ(folder_.read("in/a"), "other");
  const std::string answer = write("a", "second", version_in(read("a")));
  EXPECT_TRUE(answer.starts_with("replaced ")) << answer;
  EXPECT_TRUE(write("a", "third", version_in(answer)).starts_with("replaced "));
  EXPECT_EQ(folder_.read("in/a"), "third");
  fs::remove(folder_.root / "in/a");
  EXPECT_NE(write("a", "x", version_in(answer)).find("is gone"), std::string::npos);
}

// A host repeats an idempotent call whose worker ended before it answered.
TEST_F(Files, AWriteThatIsRepeatedSucceedsAgain) {
  const std::string made = write("a", "first");
  EXPECT_EQ(version_in(write("a", "first")), version_in(made));
  const std::string old = version_in(made);
  const std::string replaced = write("a", "second", old);
  const std::string again = write("a", "second", old);
  EXPECT_EQ(version_in(again), version_in(replaced)) << again;
  EXPECT_EQ(again.find("error"), again.npos) << again;
  EXPECT_NE(write("a", "third", old).find("has changed since version"), std::string::npos);
  EXPECT_NE(write("a", "third").find("is there already"), std::string::npos);
  EXPECT_EQ(folder_.read("in/a"), "second");
}

TEST_F(Files, KeepsTheModeOfWhatItReplaces) {
  folder_.write("in/run.sh", "one");
  ::chmod(folder_.at("in/run.sh").c_str(), 0750);
  EXPECT_TRUE(edit("run.sh", "one", "two").starts_with("edited "));
  struct stat about {};
  ASSERT_EQ(::stat(folder_.at("in/run.sh").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0750u);
  EXPECT_EQ(folder_.read("in/run.sh"), "two");
}

// Only root can make such files.
TEST_F(Files, AFileThatWasReplacedMayBeReadByNoOtherGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  ::chmod(folder_.root.c_str(), 0755);
  ::chmod(folder_.at("in").c_str(), 0777);
  for (const char* name : {"in/member", "in/stranger"}) {
    folder_.write(name, "one");
    ASSERT_EQ(::chown(folder_.at(name).c_str(), 0, 4242), 0);
  }
  ::chmod(folder_.at("in/member").c_str(), 0640);
  ::chmod(folder_.at("in/stranger").c_str(), 0664);
  const auto as_user = [&](std::initializer_list<gid_t> groups, const std::string& name) {
    std::thread([&] {  // groups and the filesystem's user of one thread
      ASSERT_EQ(::syscall(SYS_setgroups, groups.size(), groups.begin()), 0);
      ::setfsgid(65534);
      ::setfsuid(65534);
      const std::string answer = edit(name, "one", "two");
      EXPECT_TRUE(answer.starts_with("edited ")) << answer;
    })
        .join();
    struct stat about {};
    EXPECT_EQ(::stat(folder_.at("in/" + name).c_str(), &about), 0);
    return about;
  };
  const struct stat member = as_user({4242}, "member");
  EXPECT_EQ(member.st_gid, 4242u);
  EXPECT_EQ(member.st_mode & 0777, 0640u);
  const struct stat stranger = as_user({}, "stranger");
  EXPECT_EQ(stranger.st_gid, 65534u);
  EXPECT_EQ(stranger.st_mode & 0777, 0644u);
}

TEST_F(Files, EditsWhatIsThereOnceOrEverywhere) {
  folder_.write("in/a", "x = 1\ny = 1\nz = 2\n");
  EXPECT_NE(edit("a", "= 1", "= 3").find("old is in the file 2 times, in lines 1, 2: give more"),
            std::string::npos);
  EXPECT_NE(edit("a", "nowhere", "").find("error: old is not in the file"), std::string::npos);
  EXPECT_NE(edit("a", "x", "x").find("error: old and new are the same"), std::string::npos);
  EXPECT_NE(edit("a", "", "x").find("error: old is empty"), std::string::npos);
  EXPECT_EQ(folder_.read("in/a"), "x = 1\ny = 1\nz = 2\n");
  EXPECT_NE(edit("a", "y = 1", "y = 4").find(": 1 replacement, in line 2; version "),
            std::string::npos);
  EXPECT_NE(edit("a", " = ", "=", R"(,"replace_all":true)")
                .find(": 3 replacements, the first in line 1; version "),
            std::string::npos);
  EXPECT_EQ(folder_.read("in/a"), "x=1\ny=4\nz=2\n");
  folder_.write("in/dos", "a\r\nb\r\n");
  EXPECT_NE(edit("dos", "a\nb", "c").find("lines end in CR LF"), std::string::npos);
}

TEST_F(Files, AnEditThatWouldMakeAFileTooLargeIsRefusedBeforeItIsMade) {
  folder_.write("in/a", std::string(100'000, 'a'));
  EXPECT_NE(edit("a", "a", std::string(1'000'000, 'b'), R"(,"replace_all":true)")
                .find("the file would have 100000000000 bytes; at most 100000"),
            std::string::npos);
}

// A search that begins anew at each place would take minutes.
TEST_F(Files, AnEditFindsALongTextThatIsNearlyThere) {
  fake::Plugin plugin(library("files"), settings(""));
  folder_.write("in/a", std::string(8 << 20, 'a'));
  const std::string old = std::string(4 << 20, 'a') + 'b';
  EXPECT_NE(told(plugin, "edit_file", args("a", R"(,"new":"","old":)" + json_text(old)))
                .find("old is not in the file"),
            std::string::npos);
}

TEST_F(Files, AnEditOfAFileThatSomebodyElseWritesLosesNothing) {
  folder_.write("in/a", std::string(50'000, 'x') + "mark");
  std::atomic<bool> stop{false};
  std::thread other([&] {
    for (int i = 0; !stop; ++i) {
      folder_.write("in/other", std::to_string(i) + "mark");
      fs::rename(folder_.root / "in/other", folder_.root / "in/a");
    }
  });
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    refused += edit("a", "mark", "MARK").find("has changed since it was read") != std::string::npos;
  }
  stop = true;
  other.join();
  EXPECT_GT(refused, 0);
}

TEST_F(Files, ListsFoldersFirstLevelOrDeeperAndLooksIntoNoSecrets) {
  folder_.write("in/src/a.c", "abc");
  folder_.write("in/.git/config", "x");
  folder_.write("in/.config/gh/hosts.yml", "x");
  fs::create_symlink("/etc", folder_.root / "in/link");
  const std::string root = folder_.at("in");
  EXPECT_EQ(told(plugin_, "list_files", args("")),
            root +
                ":\n.config/\n.git/\nlink -> /etc\nsrc/\n"
                "[not looked into: 1 with keys or settings (skip)]\n");
  const std::string deep = told(plugin_, "list_files", args("", R"(,"depth":8)"));
  EXPECT_NE(deep.find("src/a.c (3 bytes)\n"), std::string::npos) << deep;
  EXPECT_EQ(deep.find("hosts.yml"), std::string::npos) << deep;
  EXPECT_EQ(deep.find(".git/config"), std::string::npos) << deep;
  EXPECT_EQ(deep.find("passwd"), std::string::npos) << deep;
  EXPECT_EQ(told(plugin_, "list_files", "{}"), "granted folders:\n" + root + "/\n");
  EXPECT_NE(told(plugin_, "list_files", args("src/a.c")).find("is no folder"), std::string::npos);
}

TEST_F(Files, SkipsSecretsByTheFormOfTheirNames) {
  for (const char* name : {"in/server.pem", "in/tls/A.KEY", "in/id_rsa_work", "in/id_ed25519.old",
                           "in/.cargo/credentials.toml"})
    folder_.write(name, "salary");
  EXPECT_EQ(search(R"(,"pattern":"salary")"),
            "[no matches; not looked into: 5 with keys or settings (skip)]\n");
  folder_.write("in/id_rsa_work.pub", "salary");
  EXPECT_NE(search(R"(,"pattern":"salary")").find("id_rsa_work.pub"), std::string::npos);
}

TEST_F(Files, SkipsWhatTheOperatorAddsToo) {
  folder_.write("in/Payroll/a", "salary");
  folder_.write("in/plain/x/y/a", "salary");
  fake::Plugin plugin(library("files"), settings(R"(,"skip":["payroll","x/y"])"));
  EXPECT_EQ(told(plugin, "search_files", args("", R"(,"pattern":"salary")")),
            "[no matches; not looked into: 2 with keys or settings (skip)]\n");
}

TEST_F(Files, FindsLinesAndSkipsSecretsAndWhatIsNoText) {
  folder_.write("in/a.c", "int main;\nint x;\n");
  folder_.write("in/sub/b.c", "no\nint y;\n");
  folder_.write("in/.env", "int secret;\n");
  folder_.write("in/bin", std::string_view("int\0", 4));
  EXPECT_EQ(search(R"(,"pattern":"^int [xy]")"),
            "a.c\n  2: int x;\nsub/b.c\n  2: int y;\n"
            "[not looked into: 1 with keys or settings (skip)]\n"
            "[not searched: 1 that are no UTF-8 text, or too large]\n");
  EXPECT_EQ(search(R"(,"pattern":"int y","glob":"sub/*.c")").find("sub/b.c\n  2: int y;\n"), 0u);
  EXPECT_EQ(search(R"(,"glob":"*.c")").find("a.c\nsub/b.c\n"), 0u);
  EXPECT_NE(search("").find("error: nothing to search for"), std::string::npos);
  EXPECT_NE(
      told(plugin_, "search_files", args("a.c", R"(,"pattern":"main")")).find("  1: int main"),
      std::string::npos);
}

TEST_F(Files, ANamedFileFitsAGlobByItsName) {
  folder_.write("in/src/a.cpp", "int main() {}\n");
  const auto search_file = [&](const std::string& more) {
    return told(plugin_, "search_files", args("src/a.cpp", more));
  };
  EXPECT_NE(search_file(R"(,"glob":"*.cpp","pattern":"main")").find("  1: int main"),
            std::string::npos);
  EXPECT_NE(search_file(R"(,"glob":"*.cpp")").find("a.cpp\n"), std::string::npos);
  EXPECT_EQ(search_file(R"(,"glob":"*.h")"), "[no files]\n");
}

TEST_F(Files, NamesFitAsInAShellWithTwoStars) {
  for (const char* name : {"x.c", "src/x.c", "src/a/b/x.c", "src/foox.c", "src/a/y.h"})
    folder_.write(std::string("in/") + name, "");
  const auto names = [&](const std::string& glob) {
    return search(R"(,"glob":)" + json_text(glob));
  };
  EXPECT_EQ(names("x.c"), "src/a/b/x.c\nsrc/x.c\nx.c\n");
  EXPECT_EQ(names("src/*.c"), "src/foox.c\nsrc/x.c\n");
  EXPECT_EQ(names("src/**/x.c"), "src/a/b/x.c\nsrc/x.c\n");
  EXPECT_EQ(names("**/*.h"), "src/a/y.h\n");
  EXPECT_EQ(names("src/**"), "src/a/b/x.c\nsrc/a/y.h\nsrc/foox.c\nsrc/x.c\n");
  EXPECT_EQ(names("[!a-w].?"), "src/a/b/x.c\nsrc/a/y.h\nsrc/x.c\nx.c\n");
  EXPECT_EQ(names("[x"), "[no files]\n");
  EXPECT_EQ(names(std::string(40, '*') + "/" + std::string(40, '*') + "z"), "[no files]\n");
}

TEST_F(Files, TheLengthOfAGlobIsLimited) {
  const std::string schema =
      fake::text(plugin_.tool(plugin_.index_of("search_files")).input_schema);
  const std::size_t glob = schema.find(R"("glob":)");
  ASSERT_NE(glob, std::string::npos);
  EXPECT_NE(schema.find(R"("maxLength":1000)", glob), std::string::npos) << schema;
}

TEST_F(Files, APatternThatWouldTakeForeverIsStopped) {
  folder_.write("in/a", std::string(40, 'a') + "!");
  EXPECT_NE(search(R"(,"pattern":"(a+)+$")").find("takes too many steps"), std::string::npos);
  folder_.write("in/a", std::string(100'000, 'a'));
  EXPECT_NE(search(R"(,"pattern":"[a-z]+[@#]|[a-z]+[%&]|[a-z]+[0-9]|[a-z]+[!?]")")
                .find("takes too many steps"),
            std::string::npos);
  EXPECT_NE(search(R"(,"pattern":"(")").find("is no regular expression: missing closing"),
            std::string::npos);
  EXPECT_NE(search(R"(,"pattern":)" + json_text(std::string(2000, 'a'))).find("is too long"),
            std::string::npos);
}

TEST_F(Files, ManyMatchesAreCutAndSaid) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "hit\n";
  folder_.write("in/a", text);
  const std::string found = search(R"(,"pattern":"hit")");
  EXPECT_NE(found.find("  250: hit\n[only the first 250 matches are shown]"), std::string::npos);
}

TEST_F(Files, ACancelledSearchStops) {
  folder_.write("in/a", "x");
  fake::Call call;
  call.cancelled = true;
  EXPECT_EQ(plugin_.call("search_files", args("", R"(,"pattern":"x")"), call), TP_E_CANCELLED);
}

TEST_F(Files, SaysOfItselfWhatPermissionNeeds) {
  for (const char* name : {"read_file", "list_files", "search_files"})
    EXPECT_NE(plugin_.tool(plugin_.index_of(name)).flags & TP_TOOL_READ_ONLY, 0u) << name;
  for (const char* name : {"write_file", "edit_file"}) {
    const tp_tool& tool = plugin_.tool(plugin_.index_of(name));
    EXPECT_EQ(tool.flags & TP_TOOL_READ_ONLY, 0u);
    ASSERT_EQ(tool.path_args.count, 1u);
    EXPECT_EQ(fake::text(tool.path_args.items[0]), "/path");
    EXPECT_EQ(fake::text(tool.exclusive), "files");
  }
  const std::string inside = args("a", R"(,"content":"")");
  EXPECT_NE(judged(plugin_, "write_file", inside).find(R"("behavior":"passthrough")"),
            std::string::npos);
  EXPECT_NE(judged(plugin_, "write_file", R"({"path":"/etc/x","content":""})")
                .find(R"("behavior":"deny")"),
            std::string::npos);
}

TEST_F(Files, ASettingThatCannotBeIsRefused) {
  fake::Plugin bad(library("files"), R"({"roots":["relative"]})");
  EXPECT_EQ(bad.created(), TP_E_INVALID);
  EXPECT_NE(bad.host().log.at(0).find("\"relative\" is no absolute path"), std::string::npos);
}

}  // namespace
