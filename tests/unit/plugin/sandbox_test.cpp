// A real worker with a plugin that tries what it may not: what holds it, what a grant lets through,
// and that its neighbours notice nothing.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/unique_fd.h"
#include "plugin/process/worker_process.h"
#include "plugin_fixture.h"
#include "sandbox/compile_filter.h"
#include "sandbox/landlock.h"
#include "sandbox/sanitized.h"
#include "support/places.h"

namespace host::plugin {
namespace {

bool has_landlock() {
  return sandbox::landlock_abi() >= sandbox::kAbiThatHoldsSignals;
}

class WorkerSandbox : public PluginTest {
 protected:
  WorkerSandbox() {
    for (const char* place : {"granted", "private"}) fs::create_directory(folder_ / place);
    std::ofstream(folder_ / "private/file") << "private\n";
    std::ofstream(folder_ / "granted/file") << "granted\n";
  }

  void start_escape(const std::string& library = "escape") {
    install_file(places::build() / "tests/plugins" / (library + ".so"), "escape");
    start();
    ASSERT_EQ(status("escape").state, State::Active) << status("escape").last_error;
  }
  std::string attempt(const std::string& what, const std::string& target = {}) {
    return text("attempt", R"({"what":")" + what + R"(","target":")" + target + "\"}");
  }
  std::string granted(const std::string& name) { return folder_ / "granted" / name; }
  std::string secret(const std::string& name) { return folder_ / "private" / name; }
  bool has_grant(const std::string& words) {
    const auto grants = status("escape").grants;
    return std::find(grants.begin(), grants.end(), words) != grants.end();
  }
};

TEST_F(WorkerSandbox, ShowsItsLayersAndGrants) {
  settings("escape").fs = {{granted(""), true}, {secret("none"), false}};
  settings("escape").env = {"ESCAPE_TEST"};
  start_escape();
  const PluginStatus shown = status("escape");
  ASSERT_EQ(shown.layers.size(), sandbox::kLayerNames.size());
  for (const sandbox::Layer& layer : shown.layers) {
    const bool optional =
        layer.name == sandbox::LayerName::Namespaces || layer.name == sandbox::LayerName::Landlock;
    EXPECT_TRUE(layer.active || optional) << sandbox::to_string(layer.name) << layer.detail;
  }
  EXPECT_TRUE(has_grant("rw:" + granted("")) && has_grant("memory_mib 1024") &&
              has_grant("env ESCAPE_TEST"));
  EXPECT_FALSE(shown.reads_only);
  if (!has_landlock()) GTEST_SKIP() << "no Landlock here";
  ASSERT_EQ(shown.absent_grants.size(), 1u);
  EXPECT_TRUE(shown.absent_grants[0].starts_with(secret("none") + ": No such file"));
}

TEST_F(WorkerSandbox, WithoutGrantsNothingLeadsOut) {
  if (!has_landlock()) GTEST_SKIP() << "no Landlock here";
  install("one");
  start_escape();
  EXPECT_EQ(attempt("read", "/etc/passwd"), "EACCES");
  EXPECT_EQ(attempt("read", secret("file")), "EACCES");
  EXPECT_EQ(attempt("write", secret("new")), "EACCES");
  EXPECT_EQ(attempt("parent_environment"), "EACCES");
  for (const char* what : {"tcp", "udp", "fork", "run", "signal_parent", "signal_parent_thread",
                           "unshare", "setuid", "raise_limit"}) {
    EXPECT_EQ(attempt(what, "1"), "EPERM") << what;
  }
  EXPECT_EQ(attempt("unix", "/run/any"), "EPERM");
  EXPECT_EQ(attempt("list", "."), "EACCES");  // an empty folder, but not its own
}

TEST_F(WorkerSandbox, NoSignalReachesTheHostWhateverIsGranted) {
  for (const bool granted_all : {false, true}) {
    settings("escape").exec = settings("escape").sockets = granted_all;
    start_escape();
    for (const char* what : {"aim_at_parent", "own_by_parent", "notify_by_ioctl", "queue_to_parent",
                             "signal_parent", "signal_all", "outlive_parent", "slow_parent"}) {
      EXPECT_EQ(attempt(what), "EPERM") << what;
    }
    stop();
  }
}

TEST_F(WorkerSandbox, AnotherPluginsCopyIsNotReadable) {
  if (!has_landlock()) GTEST_SKIP() << "no Landlock here";
  install("one");
  start_escape();
  fs::path copy;
  fs::path own;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache")) {
    if (entry.path().filename() == "zoo.so") copy = entry.path();
    if (entry.path().filename() == "escape.so") own = entry.path();
  }
  ASSERT_FALSE(copy.empty());
  EXPECT_EQ(attempt("read", copy), "EACCES");
  EXPECT_EQ(attempt("read", own), "done");
  EXPECT_EQ(attempt("write", own), "EACCES");
}

TEST_F(WorkerSandbox, WhatIsDeadlyEndsThatWorkerAlone) {
  options_.plugins.supervision.quarantine_crashes = 0;
  options_.plugins.supervision.restart_pause = 0ms;
  options_.place_within = 10s;  // a busy machine takes its time
  install("one");
  start_escape();
  const pid_t neighbour = status("zoo").pid;
  const std::pair<const char*, const char*> attempts[] = {
      {"ptrace", "its sandbox forbids the system call ptrace"},
      {"ptrace_with_a_handler", "its sandbox forbids the system call ptrace"},
      // Of a thread that the plugin started, the host does not know the call: no call is blamed.
      {"ptrace_on_a_thread", "was killed by SIGSYS"},
      {"ptrace_with_a_blocked_signal", "a system call such as ptrace"},
      {"io_uring", "its sandbox forbids the system call io_uring_setup"},
      {"mount", "its sandbox forbids the system call mount"},
      {"send_sigsys", "sent by a process"},
  };
  for (const auto& [what, words] : attempts) {
    const std::string told = attempt(what, "/");
    EXPECT_NE(told.find("signal 31"), std::string::npos) << what << ": " << told;
    EXPECT_NE(told.find(words), std::string::npos) << what << ": " << told;
  }
  EXPECT_EQ(text("version"), "one");
  EXPECT_EQ(status("zoo").pid, neighbour);
}

TEST_F(WorkerSandbox, AGrantLetsThroughWhatItSays) {
  settings("escape").fs = {{granted(""), true}, {secret(""), false}};
  start_escape();
  EXPECT_EQ(attempt("write", granted("new")), "done");
  EXPECT_TRUE(fs::exists(granted("new")));
  EXPECT_EQ(attempt("read", secret("file")), "done");
  if (has_landlock()) {
    EXPECT_EQ(attempt("write", secret("new")), "EACCES");
  }
  EXPECT_EQ(attempt("fork"), "EPERM");
}

TEST_F(WorkerSandbox, SocketsAndProgramsAreGrants) {
  const UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  ::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&at), &size);
  settings("escape").sockets = true;
  settings("escape").exec = true;
  start_escape();
  EXPECT_EQ(attempt("tcp", std::to_string(ntohs(at.sin_port))), "done");
  EXPECT_EQ(attempt("run"), "done");
  EXPECT_EQ(attempt("unix", "/run/any"), "EPERM");
}

TEST_F(WorkerSandbox, ItsProgramsGetNoDescriptorOfTheWorkers) {
  settings("escape").exec = true;
  start_escape();
  EXPECT_EQ(attempt("keep_descriptors"), "done");
}

TEST_F(WorkerSandbox, ItsEnvironmentIsWhatWasNamed) {
  ::setenv("ESCAPE_TEST", "given", 1);
  ::setenv("ESCAPE_SECRET", "kept", 1);
  settings("escape").env = {"ESCAPE_TEST"};
  start_escape();
  EXPECT_EQ(text("variable", R"({"name":"ESCAPE_TEST"})"), "given");
  EXPECT_EQ(text("variable", R"({"name":"ESCAPE_SECRET"})"), "unset");
  EXPECT_NE(text("variable", R"({"name":"PATH"})"), "unset");
  ::unsetenv("ESCAPE_TEST");
  ::unsetenv("ESCAPE_SECRET");
}

TEST_F(WorkerSandbox, MemoryBeyondItsLimitIsNotToBeHad) {
  if (sandbox::kSanitizer != nullptr) GTEST_SKIP() << "sanitizers need more than any limit";
  settings("escape").memory_mib = 128;
  start_escape();
  EXPECT_EQ(attempt("allocate", "256"), "ENOMEM");
  EXPECT_EQ(attempt("allocate", "32"), "done");
}

TEST_F(WorkerSandbox, AWorkerThatUsedUpItsProcessorTimeEndsAlone) {
  settings("escape").cpu_s = 1;
  start_escape();
  const std::string told = attempt("burn");
  EXPECT_NE(told.find("CPU time limit exceeded"), std::string::npos) << told;
  EXPECT_EQ(attempt("thread"), "done");  // another one
}

TEST_F(WorkerSandbox, APluginThatOnlyReadsIsHeldToIt) {
  settings("escape").fs = {{granted(""), true}};
  settings("escape").exec = true;
  start_escape("escape_reading");
  EXPECT_TRUE(status("escape").reads_only);
  EXPECT_TRUE(has_grant("ro:" + granted("")));
  EXPECT_FALSE(has_grant("exec"));
  EXPECT_EQ(attempt("read", granted("file")), "done");
  EXPECT_NE(attempt("write", granted("new")), "done");
  EXPECT_EQ(attempt("run"), "EPERM");
  EXPECT_FALSE(fs::exists(granted("new")));
}

TEST_F(WorkerSandbox, ToolsThatOnlyReadAreHeldToItBesideOthersWhereThatIsAsked) {
  settings("escape").fs = {{granted(""), true}};
  settings("escape").exec = true;
  settings("escape").split_read_only = true;
  start_escape();
  const auto attempt_reading = [this](const std::string& what, const std::string& target = {}) {
    return text("attempt_reading", R"({"what":")" + what + R"(","target":")" + target + "\"}");
  };
  EXPECT_TRUE(status("escape").split_read_only);
  EXPECT_TRUE(run_until([&] { return status("escape").pids.size() == 2; }));
  EXPECT_EQ(attempt("write", granted("written")), "done");
  EXPECT_EQ(attempt("run"), "done");
  EXPECT_EQ(attempt_reading("read", granted("file")), "done");
  EXPECT_NE(attempt_reading("write", granted("new")), "done");
  EXPECT_EQ(attempt_reading("run"), "EPERM");
  EXPECT_FALSE(fs::exists(granted("new")));
}

TEST_F(WorkerSandbox, ToolsThatAreNotBelievedToOnlyReadGetNoWorkerOfTheirOwn) {
  settings("escape").fs = {{granted(""), true}};
  settings("escape").split_read_only = true;
  settings("escape").trust_read_only = false;
  start_escape();
  EXPECT_FALSE(status("escape").split_read_only);
  EXPECT_EQ(text("attempt_reading", R"({"what":"write","target":")" + granted("new") + "\"}"),
            "done");
}

// Whether the plugin has workers for commands that only read, with these settings.
class CommandWorkers : public WorkerSandbox {
 protected:
  CommandWorkers() {
    options_.read_only_programs = {"true"};
    settings("liar").exec = true;
  }
  bool are_there() {
    install_file(places::build() / "tests/plugins/liar.so", "liar");
    start();
    EXPECT_EQ(status("liar").state, State::Active) << status("liar").last_error;
    const bool split = status("liar").split_read_only;
    EXPECT_TRUE(run_until([&] { return status("liar").pids.size() == (split ? 2u : 1u); }));
    return split;
  }
};

TEST_F(CommandWorkers, AreThereUnasked) {
  EXPECT_EQ(are_there(), sandbox::landlock_abi() > 0);
}

TEST_F(CommandWorkers, AreNotThereWhereNoProgramRuns) {
  settings("liar").exec = false;
  EXPECT_FALSE(are_there());
}

TEST_F(CommandWorkers, AreNotThereWhereNoCommandIsBelievedToOnlyRead) {
  settings("liar").trust = config::Trust::None;
  EXPECT_FALSE(are_there());
}

TEST_F(CommandWorkers, CanBeForbidden) {
  settings("liar").split_read_only = false;
  EXPECT_FALSE(are_there());
}

TEST_F(CommandWorkers, CanBeDemanded) {
  settings("liar").split_read_only = true;
  EXPECT_TRUE(are_there());
}

TEST_F(CommandWorkers, AreStoppedWhereNothingIsToDo) {
  if (sandbox::landlock_abi() == 0) GTEST_SKIP() << "no Landlock here";
  options_.plugins.idle_stop = 50ms;
  install_file(places::build() / "tests/plugins/liar.so", "liar");
  start();
  bool both = false;
  EXPECT_TRUE(run_until([&] {
    const std::size_t up = status("liar").pids.size();
    both = both || up == 2;
    return both && up == 1;  // the other one may hold something in memory
  }));
}

TEST_F(WorkerSandbox, OneThatIsNotBelievedToOnlyReadKeepsItsGrants) {
  settings("escape").fs = {{granted(""), true}};
  settings("escape").trust_read_only = false;
  start_escape("escape_reading");
  EXPECT_FALSE(status("escape").reads_only);
  EXPECT_EQ(attempt("write", granted("new")), "done");
}

// Its constructor writes to a place that the plugin is granted: only where it serves may it do so.
TEST_F(WorkerSandbox, TheTrialOfALibraryCannotWrite) {
  ::setenv("ESCAPE_AT_LOAD", granted("at_load").c_str(), 1);
  settings("escape").fs = {{granted(""), true}};
  settings("escape").env = {"ESCAPE_AT_LOAD"};
  start_escape();
  ::unsetenv("ESCAPE_AT_LOAD");
  EXPECT_TRUE(fs::exists(granted("at_load")));
  EXPECT_FALSE(fs::exists(granted("at_load--probe")));
}

// A worker on a kernel without Landlock, with what it tells when it is up.
class OldKernel : public WorkerSandbox {
 protected:
  Result<std::string> start_worker(sandbox::LayerSet required) {
    install("one");
    WorkerProcess::Settings worker;
    worker.executable = options_.worker;
    worker.plugin = "zoo";
    worker.config.library = installed();
    worker.config.settings = "{}";
    worker.config.result_bytes = 1024;
    worker.config.profile.required = required;
    worker.config.profile.landlock_abi = 0;
    worker.filters = std::make_shared<sandbox::Filters>();
    std::optional<Result<std::string>> outcome;
    worker_ = WorkerProcess::create(io_.get_executor(), worker);
    worker_->start([&](Result<std::string> manifest) { outcome = std::move(manifest); });
    run_until([&] { return outcome.has_value(); });
    return outcome ? *outcome : Error{ErrorKind::Internal, "never up"};
  }
  ~OldKernel() override {
    if (worker_) worker_->kill("the test is over");
    run_until([&] { return !worker_ || worker_->gone(); });
  }

  std::shared_ptr<WorkerProcess> worker_;
};

TEST_F(OldKernel, ServesAndSaysWhatIsMissing) {
  const auto manifest = start_worker({});
  ASSERT_TRUE(manifest) << manifest.error().message;
  const auto& layers = worker_->sandbox().layers;
  const auto landlock = std::find_if(layers.begin(), layers.end(), [](const auto& layer) {
    return layer.name == sandbox::LayerName::Landlock;
  });
  ASSERT_NE(landlock, layers.end());
  EXPECT_FALSE(landlock->active);
}

TEST_F(OldKernel, IsRefusedWhereTheMissingLayerIsRequired) {
  sandbox::LayerSet required;
  required.add(sandbox::LayerName::Landlock);
  const auto manifest = start_worker(required);
  ASSERT_FALSE(manifest);
  EXPECT_NE(manifest.error().message.find("lacks \"landlock\", which sandbox.require names"),
            std::string::npos)
      << manifest.error().message;
}

TEST_F(WorkerSandbox, RunsAsItsOwnUser) {
  settings("escape").uid = 12'345;
  if (::geteuid() != 0) {
    install_file(places::build() / "tests/plugins/escape.so", "escape");
    start();
    EXPECT_NE(status("escape").last_error.find("cannot run as user 12345"), std::string::npos);
    return;
  }
  for (const fs::path& place : {folder_, folder_ / "private"})
    fs::permissions(place, fs::perms(0711));
  fs::permissions(folder_ / "private/file", fs::perms(0600));
  settings("escape").fs = {{folder_.string(), true}};
  start_escape();
  struct stat process {};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(status("escape").pid)).c_str(), &process), 0);
  EXPECT_EQ(process.st_uid, 12'345u);
  EXPECT_EQ(attempt("read", secret("file")), "EACCES");  // granted, but root's
  EXPECT_EQ(attempt("maps"), "done");
}

TEST_F(WorkerSandbox, InlineThereIsNone) {
  settings("escape").isolation = config::Isolation::Inline;
  start_escape();
  EXPECT_TRUE(status("escape").layers.empty());
  EXPECT_TRUE(status("escape").grants.empty());
  EXPECT_EQ(attempt("read", secret("file")), "done");
}

}  // namespace
}  // namespace host::plugin
