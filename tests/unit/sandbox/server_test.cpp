// The sandbox of an upstream server: a program that was written for no sandbox.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "in_sandbox.h"
#include "sandbox/programs.h"
#include "sandbox/sanitized.h"

namespace host::sandbox {
namespace {

class ServerSandbox : public SandboxTest {
 protected:
  ServerSandbox() {
    profile_.server = true;
    profile_.host = static_cast<std::uint32_t>(::getpid());
  }

  // What the process becomes in its sandbox: a shell that does `line`. Its output.
  std::string shell(const std::string& line) {
    profile_.command = "sh";
    profile_.filter = *compile_filter(filter_kind(profile_));
    const std::string file = folder_ / "output";
    return in_child([&]() -> std::string {
      const int output = ::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
      const auto applied = apply(profile_);
      if (!applied) return "refused: " + applied.error().message;
      ::dup2(output, 1);
      ::dup2(output, 2);
      ::execlp("sh", "sh", "-c", line.c_str(), nullptr);
      return "not executed";
    });
  }
  std::string output() const {
    std::ifstream file(folder_ / "output");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool is_root() const { return ::geteuid() == 0; }
  // Whom the kernel limits, and who reaches the folder.
  void be_limitable() {
    if (!is_root()) return;
    profile_.uid = 65534;
    fs::permissions(folder_, fs::perms::all);
  }
};

TEST_F(ServerSandbox, IsExecutedAndInheritsIt) {
  grant(true);
  EXPECT_EQ(shell("read x < " + secret("file") + " || echo no; read y < " + granted("file") +
                  " && echo $y; echo new > " + granted("new") + " && echo written"),
            "");
  const std::string said = output();
  EXPECT_NE(said.find("no\nsome text\nwritten\n"), std::string::npos) << said;
}

TEST_F(ServerSandbox, KeepsToItsGrantsOnEveryLandlock) {
  grant(true);
  profile_.fs.push_back({secret("other"), false});
  for (std::uint32_t abi = 1; abi <= landlock_abi(); ++abi) {
    profile_.landlock_abi = abi;
    for (const char* what : {"read", "write", "truncate_open"})
      EXPECT_EQ(attempt(what, secret("file")), "EACCES") << what << abi;
    EXPECT_EQ(attempt("read", "/etc/passwd"), "EACCES") << abi;
    EXPECT_EQ(attempt("read", secret("other")), "done") << abi;
    EXPECT_EQ(attempt("write", secret("other")), "EACCES") << abi;
    EXPECT_EQ(attempt("write", granted("new")), "done") << abi;
    EXPECT_EQ(attempt("truncate", secret("file")), abi < kAbiThatHoldsWrites ? "done" : "EACCES");
  }
}

TEST_F(ServerSandbox, StartsThreadsAndNoProcesses) {
  EXPECT_EQ(attempt("thread"), "done");
  EXPECT_EQ(attempt("fork"), "EPERM");
  EXPECT_EQ(attempt("run", "/bin/true"), "EPERM");
  profile_.exec = true;
  EXPECT_EQ(attempt("fork"), "done");
  EXPECT_EQ(attempt("run", "/bin/true"), "done");
}

// A runtime tries some of these calls at its start.
TEST_F(ServerSandbox, IsNotEndedByWhatItMayNotCall) {
  for (const char* what : {"ptrace", "mount", "perf_event", "process_madvise"})
    EXPECT_EQ(attempt(what, "/"), "EPERM") << what;
  EXPECT_EQ(attempt("io_uring"), "ENOSYS");
}

TEST_F(ServerSandbox, DoesNotJoinTheGroupOfItsParent) {
  profile_.exec = true;
  without({LayerName::Landlock});  // what the filter alone holds
  EXPECT_EQ(attempt("join_parent_group"), "EPERM");
}

// The kernel does not count such memory.
TEST_F(ServerSandbox, HasNoMemoryThatGrowsByItself) {
  for (const bool server : {true, false}) {
    profile_.server = server;
    EXPECT_EQ(attempt("allocate_growing"), "EPERM") << server;
  }
}

TEST_F(ServerSandbox, MakesNoProgramsThatRunWithTheRightsOfItsUser) {
  for (const bool server : {true, false}) {
    profile_.server = server;
    grant(true);
    for (const char* what : {"set_user_id", "set_group_id", "make_user_id", "create_group_id"}) {
      EXPECT_EQ(attempt(what, granted("file")), "EPERM") << what << server;
    }
    EXPECT_EQ(attempt("make_unnamed_user_id", granted()), "EPERM") << server;
    EXPECT_EQ(attempt("make_user_id_by_openat2", granted("made")), "ENOSYS") << server;
    EXPECT_EQ(attempt("chmod_open", granted("file")), "done") << server;
    EXPECT_EQ(attempt("write", granted("plain")), "done") << server;
    EXPECT_EQ(attempt("make_folder", granted(server ? "one" : "two")), "done");
  }
}

TEST_F(ServerSandbox, SignalsNeitherItsParentNorTheHost) {
  const std::string host = std::to_string(::getpid());
  for (const bool exec : {false, true}) {
    profile_.exec = exec;
    without({LayerName::Landlock});  // what the filter alone holds
    for (const char* what : {"signal_parent", "signal_parent_group", "signal_all",
                             "queue_to_parent", "own_by_parent"}) {
      EXPECT_EQ(attempt(what), "EPERM") << what << exec;
    }
    EXPECT_EQ(attempt("signal", host), "EPERM") << exec;
  }
  // With `exec` the host is known by its number alone.
  if (is_root()) {
    EXPECT_EQ(attempt("signal", "1"), "done");
  }
  profile_.host = 1;
  EXPECT_EQ(attempt("signal", "1"), "EPERM");
}

TEST_F(ServerSandbox, HasNoNetworkUnlessItIsGranted) {
  EXPECT_EQ(attempt("tcp", "1"), "EPERM");
  EXPECT_EQ(attempt("udp", "1"), "EPERM");
  EXPECT_EQ(attempt("unix", "/run/any"), "EPERM");
  profile_.sockets = true;
  EXPECT_EQ(attempt("tcp", "1"), "ECONNREFUSED");
  EXPECT_EQ(attempt("unix", "/run/any"), "EPERM");
}

TEST_F(ServerSandbox, ReadsItselfAndNoOtherProcess) {
  EXPECT_EQ(shell("read x < /proc/self/status && echo own; read x < /proc/" +
                  std::to_string(::getpid()) + "/status || echo no"),
            "");
  const std::string said = output();
  EXPECT_NE(said.find("own\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("own\nown"), std::string::npos) << said;
  EXPECT_NE(said.find("no\n"), std::string::npos) << said;
}

TEST_F(ServerSandbox, ExecutesWhatItMayReadAndNotWhatItMayWrite) {
  for (const char* place : {"granted", "private"}) {
    std::ofstream(folder_ / place / "program") << "#!/bin/sh\necho ran\n";
    fs::permissions(folder_ / place / "program", fs::perms::all);
  }
  grant(false);
  EXPECT_EQ(shell("exec " + granted("program")), "");
  EXPECT_EQ(output(), "ran\n");
  EXPECT_EQ(shell("exec " + secret("program")), "");
  EXPECT_EQ(output().find("ran\n"), std::string::npos);
  grant(true);
  EXPECT_EQ(shell("exec " + granted("program")), "");
  EXPECT_EQ(output().find("ran\n"), std::string::npos);
}

TEST_F(ServerSandbox, MakesFilesAsAnyProgram) {
  grant(true);
  EXPECT_EQ(in_child([&]() -> std::string {
              ::umask(022);
              profile_.filter = *compile_filter(filter_kind(profile_));
              if (!apply(profile_)) return "refused";
              return std::to_string(::umask(0));
            }),
            std::to_string(022));
}

TEST_F(ServerSandbox, LimitsItsProcesses) {
  if (kSanitizer != nullptr) GTEST_SKIP() << "the runtime has a thread of its own";
  be_limitable();
  profile_.exec = true;
  profile_.processes = 20;
  if (layers().find("namespaces on") == std::string::npos) {
    EXPECT_NE(attempt("fork").find("without a user namespace"), std::string::npos);
    return;
  }
  EXPECT_EQ(attempt("fork_often"), "EAGAIN");
  EXPECT_EQ(attempt("run", "/bin/true"), "done");
  EXPECT_NE(layers().find("20 processes"), std::string::npos) << layers();
  profile_.processes = 0;
  EXPECT_EQ(attempt("fork_often"), "done");
}

TEST_F(ServerSandbox, SaysWhereTheKernelLimitsNoProcesses) {
  if (!is_root()) GTEST_SKIP() << "the kernel limits those of other users";
  profile_.processes = 20;
  profile_.required.add(LayerName::Limits);
  EXPECT_EQ(attempt("thread"), "done");  // without processes it does not matter
  EXPECT_NE(layers().find("limits on"), std::string::npos);
  EXPECT_NE(layers().find("processes not limited"), std::string::npos);
  profile_.exec = true;
  EXPECT_NE(attempt("fork").find("the kernel does not limit the processes of root"),
            std::string::npos);
}

TEST_F(ServerSandbox, HasItsLimitOfDescriptors) {
  profile_.open_files = 200;
  EXPECT_NE(layers().find("200 descriptors"), std::string::npos);
  EXPECT_EQ(attempt("raise_limit"), "EPERM");
}

TEST(CommandFiles, AreThoseOfTheCommandAndItsInterpreters) {
  const fs::path folder =
      fs::temp_directory_path() / ("command-files-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const auto script = [&](const char* name, const std::string& first) {
    std::ofstream(folder / name) << first << "\nrest\n";
    fs::permissions(folder / name, fs::perms::all);
    return (folder / name).string();
  };
  const auto has = [](const std::vector<std::string>& files, const std::string& file) {
    return std::find(files.begin(), files.end(), file) != files.end();
  };
  const std::string plain = script("plain", "#!/bin/sh -e");
  EXPECT_TRUE(has(files_of_command(plain), plain));
  EXPECT_TRUE(has(files_of_command(plain), "/bin/sh"));
  const std::string nested = script("nested", "#! " + plain);
  EXPECT_TRUE(has(files_of_command(nested), "/bin/sh"));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.c_str(), 1);
  const std::string by_env = script("by_env", "#!/usr/bin/env -S plain --flag");
  EXPECT_TRUE(has(files_of_command("by_env"), by_env));
  EXPECT_TRUE(has(files_of_command("by_env"), "/usr/bin/env"));
  EXPECT_TRUE(has(files_of_command("by_env"), plain));
  EXPECT_TRUE(files_of_command("nothing-like-it").empty());
  const std::string loop = script("loop", "#!" + (folder / "loop").string());
  EXPECT_TRUE(has(files_of_command(loop), loop));
  script("bare", "#!");
  EXPECT_EQ(files_of_command("bare").size(), 1u);
  ::setenv("PATH", path.c_str(), 1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace host::sandbox
