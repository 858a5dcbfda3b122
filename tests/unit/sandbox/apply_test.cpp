// Each attempt is refused by the layer that is there for it, on every Landlock that this kernel can
// be taken for.
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <utility>

#include "base/unique_fd.h"
#include "in_sandbox.h"
#include "sandbox/programs.h"
#include "sandbox/sanitized.h"

namespace host::sandbox {
namespace {

using Sandbox = SandboxTest;

TEST_F(Sandbox, SaysWhichLayersAreOnAndWithWhat) {
  const std::string said = layers();
  EXPECT_NE(said.find("limits on "), std::string::npos) << said;
  EXPECT_NE(said.find("64 descriptors"), std::string::npos) << said;
  EXPECT_NE(said.find("no_new_privs on"), std::string::npos) << said;
  EXPECT_NE(said.find("capabilities on"), std::string::npos) << said;
  EXPECT_NE(said.find("seccomp on"), std::string::npos) << said;
  const std::uint32_t abi = landlock_abi();
  if (abi == 0) GTEST_SKIP() << "no Landlock here";
  EXPECT_NE(said.find("landlock on ABI " + std::to_string(abi)), std::string::npos) << said;
}

TEST_F(Sandbox, LeavesWhatEveryPluginNeeds) {
  for (const char* what : {"thread", "exception", "timer", "maps", "signal_stack", "zone",
                           "nonblocking", "duplicate", "own_affinity"}) {
    EXPECT_EQ(attempt(what), "done") << what;
  }
  EXPECT_EQ(attempt("list", "/usr/lib"), "done");
  EXPECT_EQ(attempt("write", "/dev/null"),
            landlock_abi() >= kAbiThatHoldsOpening ? "done" : "EPERM");
}

TEST_F(Sandbox, HasNoProcessesSocketsNorWaysToOthers) {
  for (const char* what : {"fork", "run", "tcp", "udp", "unshare", "raise_limit", "signal_parent",
                           "signal_parent_thread"}) {
    EXPECT_EQ(attempt(what, "1"), "EPERM") << what;
  }
  EXPECT_EQ(attempt("unix", "/run/any"), "EPERM");
  EXPECT_EQ(attempt("setuid", "1234"), "EPERM");
  EXPECT_EQ(attempt("chmod", granted("file")), "EPERM");
  EXPECT_EQ(attempt("watch", "/etc"), "EPERM");
}

TEST_F(Sandbox, EndsAtWhatNoPluginMeansWell) {
  for (const char* what :
       {"ptrace", "ptrace_with_a_handler", "ptrace_with_a_blocked_signal", "ptrace_on_a_thread",
        "io_uring", "mount", "perf_event", "process_madvise"}) {
    EXPECT_EQ(attempt(what, "/"), "signal 31") << what;
  }
  EXPECT_EQ(attempt("set_handler"), "done");  // without an effect
}

// The same without the filter: what Landlock alone holds.
TEST_F(Sandbox, LandlockHoldsTcpAndSignals) {
  without({LayerName::Seccomp, LayerName::Namespaces});
  if (landlock_abi() < kAbiThatHoldsSignals) GTEST_SKIP() << "an older kernel";
  EXPECT_EQ(attempt("tcp", "1"), "EACCES");
  EXPECT_EQ(attempt("signal_parent"), "EPERM");
  EXPECT_EQ(attempt("signal_parent_thread"), "EPERM");
  EXPECT_EQ(attempt("ptrace"), "EPERM");
  profile_.landlock_abi = 3;
  EXPECT_EQ(attempt("tcp", "1"), "ECONNREFUSED");
  profile_.landlock_abi = 5;
  EXPECT_EQ(attempt("signal_parent"), "done");
}

// And what is left where neither is there: a network without anything in it.
TEST_F(Sandbox, NamespacesHaveNoNetwork) {
  without({LayerName::Seccomp, LayerName::Landlock});
  if (layers().find("namespaces on") == std::string::npos) GTEST_SKIP() << "denied here";
  EXPECT_EQ(attempt("tcp", "1"), "ENETUNREACH");
  EXPECT_EQ(attempt("udp", "1"), "ENETUNREACH");
  profile_.sockets = true;
  EXPECT_EQ(attempt("tcp", "1"), "ECONNREFUSED");
}

TEST_F(Sandbox, LimitsMemoryFilesAndDescriptors) {
  if (kSanitizer == nullptr) {
    EXPECT_EQ(attempt("allocate", "512"), "ENOMEM");
    EXPECT_EQ(attempt("allocate", "64"), "done");
    EXPECT_EQ(attempt("share", "1"), "ENOMEM") << "it is not counted against the limit";
    EXPECT_EQ(attempt("memfd"), "EPERM");
  }
  rlimit files{};
  profile_.file_bytes = 4096;
  grant(true);
  profile_.filter = *compile_filter(filter_kind(profile_));
  const std::string seen = in_child([&]() -> std::string {
    if (!apply(profile_)) return "refused";
    std::ofstream out(granted("large"));
    const std::string bytes(8192, 'x');
    out << bytes << std::flush;
    ::getrlimit(RLIMIT_NOFILE, &files);
    return (out.good() ? "written" : "short") + std::string(" ") + std::to_string(files.rlim_max);
  });
  EXPECT_EQ(seen, "short 64");
  EXPECT_EQ(fs::file_size(granted("large")), 4096u);
}

TEST_F(Sandbox, RefusesWhereARequiredLayerIsMissing) {
  profile_.landlock_abi = 0;
  EXPECT_NE(layers().find("landlock off "), std::string::npos);
  profile_.required.add(LayerName::Landlock);
  EXPECT_NE(layers().find("refused: the sandbox lacks \"landlock\", which sandbox.require names"),
            std::string::npos)
      << layers();
}

TEST_F(Sandbox, TellsGrantsThatAreNotThere) {
  if (landlock_abi() == 0) GTEST_SKIP() << "no Landlock here";
  profile_.fs = {{secret("none"), true}};
  EXPECT_NE(layers().find("absent " + secret("none") + ": No such file"), std::string::npos);
}

TEST_F(Sandbox, HasTheUserThatItIsGiven) {
  if (::geteuid() != 0) {
    profile_.uid = 12'345;
    EXPECT_NE(layers().find("refused: cannot run as user 12345"), std::string::npos);
    return;
  }
  fs::permissions(folder_, fs::perms::owner_all);
  grant(false);
  profile_.uid = 12'345;
  const std::string seen = in_child([&]() -> std::string {
    if (const auto applied = apply(profile_); !applied) return applied.error().message;
    return std::to_string(::getuid()) + " " + std::to_string(::getegid()) + " " +
           escape::attempt("maps") + " " + escape::attempt("read", granted("file"));
  });
  EXPECT_EQ(seen, "12345 12345 done EACCES");
}

TEST(Programs, AreFoundInTheSystemsFoldersWithTheirLoader) {
  const std::vector<std::string> files = program_files({"true", "no-such-program"});
  const auto has = [&](const std::string& file) {
    return std::find(files.begin(), files.end(), file) != files.end();
  };
  EXPECT_TRUE(has("/usr/bin/true") || has("/bin/true"));
  EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const std::string& file) {
    return file.find("/ld-") != std::string::npos;
  })) << "no loader";
  EXPECT_TRUE(std::none_of(files.begin(), files.end(), [](const std::string& file) {
    return file.find("no-such-program") != std::string::npos;
  }));
  EXPECT_TRUE(program_files({}).empty());
}

// ---- the matrix

class EveryAbi : public SandboxTest, public ::testing::WithParamInterface<std::uint32_t> {
 protected:
  void SetUp() override {
    profile_.landlock_abi = GetParam();
    if (landlock_abi() < GetParam()) GTEST_SKIP() << "this kernel has ABI " << landlock_abi();
  }
};

TEST_P(EveryAbi, WithoutAGrantNothingIsReadOrWritten) {
  const bool held = GetParam() >= 1;
  for (const char* what : {"read", "list"}) {
    const std::string target = what == std::string("list") ? secret() : secret("file");
    EXPECT_EQ(attempt(what, target), held ? "EACCES" : "done") << what;
  }
  EXPECT_EQ(attempt("read", "/etc/passwd"), held ? "EACCES" : "done");
  if (held) {  // else a user namespace, where there is one
    EXPECT_EQ(attempt("parent_environment"), "EACCES");
  }
  for (const char* what :
       {"write", "truncate", "truncate_open", "truncate_unopened", "remove", "make_folder"}) {
    EXPECT_NE(attempt(what, secret("file")), "done") << what;
  }
  EXPECT_NE(attempt("make_folder", secret("new")), "done");
  EXPECT_NE(attempt("write", secret("new")), "done");
  EXPECT_EQ(fs::file_size(secret("file")), 10u);
}

TEST_P(EveryAbi, AGrantToReadIsNoneToWrite) {
  grant(false);
  EXPECT_EQ(attempt("read", granted("file")), "done");
  EXPECT_EQ(attempt("list", granted()), "done");
  for (const char* what :
       {"write", "truncate", "truncate_open", "truncate_unopened", "remove", "make_folder"}) {
    EXPECT_NE(attempt(what, granted("file")), "done") << what;
  }
  EXPECT_NE(attempt("write", granted("new")), "done");
  EXPECT_EQ(fs::file_size(granted("file")), 10u);
}

TEST_P(EveryAbi, AGrantToWriteHoldsInItsFolderAlone) {
  grant(true);
  EXPECT_EQ(attempt("write", granted("new")), "done");
  EXPECT_EQ(attempt("truncate", granted("new")), "done");
  EXPECT_EQ(attempt("make_folder", granted("below")), "done");
  EXPECT_EQ(attempt("remove", granted("other")), "done");
  const bool held = GetParam() >= 1;
  EXPECT_EQ(attempt("write", secret("new")), held ? "EACCES" : "done");
  EXPECT_EQ(attempt("remove", secret("other")), held ? "EACCES" : "done");
  // The gap of the first two: what a grant to write opens to truncate() elsewhere.
  const bool truncates = GetParam() < kAbiThatHoldsWrites;
  EXPECT_EQ(attempt("truncate", secret("file")), truncates ? "done" : "EACCES");
}

TEST_P(EveryAbi, HoldsTheNetworkAndProcesses) {
  for (const char* what : {"tcp", "udp", "fork", "signal_parent", "signal_parent_thread"}) {
    EXPECT_EQ(attempt(what, "1"), "EPERM") << what;
  }
}

// Every way by which a kernel sends signals for a process, and those by which one slows another.
constexpr const char* kRoadsToTheHost[] = {"signal_parent",
                                           "signal_parent_thread",
                                           "signal_parent_group",
                                           "signal_all",
                                           "signal_thread",
                                           "aim_at_parent",
                                           "own_by_parent",
                                           "own_by_parent_thread",
                                           "own_by_ioctl",
                                           "choose_signal",
                                           "notify",
                                           "notify_by_ioctl",
                                           "lease",
                                           "notify_of_folder",
                                           "type",
                                           "outlive_parent",
                                           "queue_to_parent",
                                           "queue_to_parent_thread",
                                           "pidfd_signal",
                                           "leave_session",
                                           "slow_parent",
                                           "slow_user",
                                           "slow_parent_priority",
                                           "limit_parent"};

TEST_P(EveryAbi, NoRoadOfSignalsLeadsToTheHost) {
  EXPECT_EQ(unlike("EPERM", kRoadsToTheHost), "");
  EXPECT_EQ(attempt("own_by_ioctl", "siocspgrp"), "EPERM");
  EXPECT_EQ(attempt("timer_to_parent"), "EINVAL");  // the kernel: no thread of one's own
}

TEST_P(EveryAbi, NorOneWithEveryGrant) {
  profile_.exec = true;
  profile_.sockets = true;
  grant(true);
  EXPECT_EQ(unlike("EPERM", kRoadsToTheHost), "");
  EXPECT_EQ(attempt("own_by_ioctl", "siocspgrp"), "EPERM");
}

TEST_P(EveryAbi, WithSocketsItReachesTheNetworkAndNoLocalService) {
  profile_.sockets = true;
  EXPECT_EQ(attempt("tcp", "1"), "ECONNREFUSED");
  EXPECT_EQ(attempt("udp", "1"), "done");
  EXPECT_EQ(attempt("unix", "/run/any"), "EPERM");
}

TEST_P(EveryAbi, WithExecItRunsTheSystemsPrograms) {
  profile_.exec = true;
  EXPECT_EQ(attempt("fork"), "done");
  EXPECT_EQ(attempt("run"), "done");
  fs::copy_file("/bin/true", secret("program"));
  const bool held = GetParam() >= 1;
  EXPECT_EQ(attempt("run", secret("program")), held ? "EACCES" : "done");
}

// posix_spawn() sets the ids that the process has, which changes nothing.
TEST_P(EveryAbi, WithExecItSetsItsOwnIdsAndNoOther) {
  profile_.exec = true;
  EXPECT_EQ(attempt("spawn_with_own_ids"), "done");
  const std::string uid = std::to_string(profile_.uid != 0 ? profile_.uid : ::getuid());
  const std::string other = std::to_string(::getuid() + 1);
  for (const char* what : {"setuid", "setreuid", "setresuid", "setgid", "setregid", "setresgid"}) {
    const bool group = std::string_view(what).find('g') != std::string_view::npos;
    EXPECT_EQ(attempt(what, group ? std::to_string(::getgid()) : uid), "done") << what;
    EXPECT_EQ(attempt(what, other), "EPERM") << what;
  }
  for (const char* what : {"only_effective", "only_saved", "only_real", "only_saved_group"})
    EXPECT_EQ(attempt(what, other), "EPERM") << what;
  EXPECT_EQ(attempt("leave_groups"), "EPERM");
  profile_.exec = false;
  EXPECT_EQ(attempt("setresuid", uid), "EPERM") << "it runs no programs";
}

// An end of a pair of datagram sockets would send to any address without connect().
TEST_P(EveryAbi, NoSocketPairLeadsToALocalService) {
  const UniqueFd service(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string path = secret("service");
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  ASSERT_EQ(::bind(service.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  for (const auto& [exec, sockets] : {std::pair{true, false}, {false, true}, {true, true}}) {
    profile_.exec = exec;
    profile_.sockets = sockets;
    EXPECT_EQ(attempt("datagram_pair", path), "EPERM") << exec << sockets;
    EXPECT_EQ(attempt("raw_pair", path), "EPERM") << exec << sockets;
    EXPECT_EQ(attempt("stream_pair"), "done") << exec << sockets;
    EXPECT_EQ(attempt("packet_pair"), "done") << exec << sockets;
  }
  char byte = 0;
  EXPECT_EQ(::recv(service.get(), &byte, 1, 0), -1);
}

TEST_P(EveryAbi, OfNamedProgramsItRunsThoseAlone) {
  profile_.exec = true;
  profile_.programs = {"true", "sh", "no-such-program"};
  EXPECT_EQ(attempt("run", "/bin/true"), "done");
  // It runs, and answers no: it was asked nothing.
  const bool held = GetParam() >= 1;
  EXPECT_EQ(attempt("run", "/usr/bin/test"), held ? "EACCES" : "ECHILD");
  fs::copy_file("/bin/true", granted("true"));
  grant(false);
  EXPECT_EQ(attempt("run", granted("true")), held ? "EACCES" : "done");
  EXPECT_EQ(attempt("read", "/usr/bin/test"), "done");
}

// As a worker of commands that only read has it: what the shell and its programs need, no more.
TEST_P(EveryAbi, WhoRunsNamedProgramsNeitherWritesNorConnects) {
  grant(false);
  profile_.exec = true;
  profile_.programs = {"true", "sh"};
  for (const char* what :
       {"write", "truncate", "truncate_open", "truncate_unopened", "remove", "make_folder"}) {
    EXPECT_NE(attempt(what, granted("file")), "done") << what;
  }
  EXPECT_NE(attempt("write", granted("new")), "done");
  EXPECT_EQ(fs::file_size(granted("file")), 10u);
  for (const char* what : {"tcp", "udp", "unix"}) EXPECT_EQ(attempt(what, "1"), "EPERM") << what;
  EXPECT_EQ(attempt("write", "/dev/null"), GetParam() >= 1 ? "done" : "EPERM");
}

INSTANTIATE_TEST_SUITE_P(Landlock, EveryAbi, ::testing::Range(0u, 8u));

}  // namespace
}  // namespace host::sandbox
