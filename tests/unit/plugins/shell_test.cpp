#include <chrono>
#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "unit/plugins/plugin_test.h"

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

class Shell : public testing::Test {
 protected:
  Shell() : plugin_(library("shell"), settings()) {}

  std::string settings(const std::string& more = "") const {
    return R"({"roots":[)" + json_text(folder_.root.string()) + "]" + more + "}";
  }
  std::string run(const std::string& command, const std::string& more = "") {
    return told(plugin_, "run_command", R"({"command":)" + json_text(command) + more + "}");
  }
  pid_t number_in(const std::string& name) const {
    const std::string text = folder_.read(name);
    return text.empty() ? 0 : static_cast<pid_t>(std::stol(text));
  }
  // Gone, or only waiting for whoever inherited it.
  static bool is_gone(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(stat, line)) return true;
    const char state = line.at(line.rfind(')') + 2);
    return state == 'Z' || state == 'X';
  }
  static bool waits_until_gone(pid_t pid) {
    for (int i = 0; i < 500 && !is_gone(pid); ++i) std::this_thread::sleep_for(10ms);
    return is_gone(pid);
  }

  Folder folder_;
  fake::Plugin plugin_;
};

TEST_F(Shell, AnswersWithWhatACommandPrints) {
  EXPECT_EQ(run("echo hello; echo oops >&2"), "hello\n[stderr]\noops\n");
  EXPECT_EQ(run("true"), "done, without output");
  EXPECT_EQ(run("cat"), "done, without output") << "there is no input to wait for";
  EXPECT_EQ(run("printf 'a\\377b\\033[31m'"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd[31m");
}

TEST_F(Shell, AFailureIsAnErrorBehindTheOutput) {
  EXPECT_TRUE(run("echo half; exit 3").starts_with("half\nerror: exit code 3 after 0."));
  EXPECT_TRUE(run("kill -SEGV $$").starts_with("error: ended by SIGSEGV after "));
  EXPECT_NE(run("no-such-program-here").find("error: exit code 127"), std::string::npos);
}

TEST_F(Shell, RunsInAGrantedFolderOnly) {
  folder_.write("sub/x", "");
  const std::string root = folder_.root.string();
  EXPECT_EQ(run("pwd"), root + "\n");
  EXPECT_EQ(run("ls", R"(,"cwd":)" + json_text(root + "/sub")), "x\n");
  fs::create_symlink("/", folder_.root / "out");
  for (const std::string& cwd : {std::string("/etc"), std::string("sub"), root + "/..",
                                 root + "/out", root + "/none", root + "/sub/x"}) {
    EXPECT_EQ(run("pwd", R"(,"cwd":)" + json_text(cwd)).find("error: "), 0u) << cwd;
  }
  fake::Plugin bare(library("shell"), "{}");
  EXPECT_NE(told(bare, "run_command", R"({"command":"ls"})").find("[plugin.shell.settings] roots"),
            std::string::npos);
}

TEST_F(Shell, GetsNoEnvironmentButTheAllowedOne) {
  ::setenv("TP_TEST_SECRET", "secret", 1);
  ::setenv("TP_TEST_WANTED", "wanted", 1);
  fake::Plugin plugin(library("shell"), settings(R"(,"env":["TP_TEST_WANTED"])"));
  const std::string seen = told(plugin, "run_command", R"({"command":"env"})");
  EXPECT_EQ(seen.find("TP_TEST_SECRET"), std::string::npos) << seen;
  EXPECT_NE(seen.find("TP_TEST_WANTED=wanted"), std::string::npos) << seen;
  EXPECT_NE(seen.find("PATH="), std::string::npos) << seen;
  EXPECT_NE(seen.find("PAGER=cat"), std::string::npos) << seen;
}

TEST_F(Shell, GetsNoneOfOurDescriptors) {
  const int ours = ::dup2(0, 77);  // without O_CLOEXEC
  EXPECT_EQ(run("ls /proc/self/fd | grep -c 77").find("0\n"), 0u);
  ::close(ours);
}

TEST_F(Shell, OfAFloodTheHeadAndTheTailAreKept) {
  fake::Plugin plugin(library("shell"), settings(R"(,"max_output_bytes":1000)"));
  const std::string seen =
      told(plugin, "run_command",
           R"({"command":"echo first; yes \u00e4 | head -c 50000001; echo last"})");
  EXPECT_TRUE(seen.starts_with("first\n")) << seen.substr(0, 40);
  EXPECT_TRUE(seen.ends_with("last\n"));
  EXPECT_NE(seen.find(" bytes left out ...]\n"), std::string::npos);
  EXPECT_LT(seen.size(), 1100u);
}

TEST_F(Shell, AnEndlessFloodEndsAtItsTime) {
  const auto start = steady_clock::now();
  const std::string seen = run("yes", R"(,"timeout_s":1)");
  EXPECT_NE(seen.find("error: timed out after 1."), std::string::npos);
  EXPECT_LT(steady_clock::now() - start, 10s);
  EXPECT_LT(seen.size(), 31'000u);
}

TEST_F(Shell, ItsTimeEndsBeforeTheDeadlineOfTheCall) {
  fake::Call call;
  const auto deadline = steady_clock::now() + 2500ms;
  call.deadline_ns = deadline.time_since_epoch().count();
  EXPECT_NE(told(plugin_, "run_command", R"({"command":"sleep 60"})", call).find("timed out after"),
            std::string::npos);
  EXPECT_LT(steady_clock::now(), deadline + 500ms);
}

TEST_F(Shell, ACancelEndsTheWholeGroup) {
  fake::Call call;
  std::thread cancel([&] {
    while (number_in("inner") == 0) std::this_thread::sleep_for(5ms);
    call.cancelled = true;
  });
  // Neither listens to SIGTERM.
  plugin_.call(
      "run_command",
      R"json({"command":"trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >inner; sleep 600; sleep 600'"})json",
      call);
  cancel.join();
  EXPECT_EQ(call.status, TP_E_CANCELLED);
  EXPECT_TRUE(waits_until_gone(number_in("inner")));
}

TEST_F(Shell, WhatIsLeftInTheBackgroundIsEnded) {
  const auto start = steady_clock::now();
  EXPECT_EQ(run("sleep 600 & echo $! >pid; echo done"),
            "done\n[what it left running in the background was ended]\n");
  EXPECT_LT(steady_clock::now() - start, 5s);
  EXPECT_TRUE(waits_until_gone(number_in("pid")));
  EXPECT_EQ(run("sleep 600 >/dev/null 2>&1 & echo $! >quiet"), "done, without output");
  EXPECT_TRUE(waits_until_gone(number_in("quiet")));
}

TEST_F(Shell, TellsItsOutputWhileItRuns) {
  fake::Call call;
  std::thread release([&] {
    std::this_thread::sleep_for(300ms);
    folder_.write("go", "");
  });
  told(plugin_, "run_command",
       R"({"command":"echo early; while [ ! -e go ]; do sleep 0.02; done; echo late"})", call);
  release.join();
  std::string parts;
  int count = 0;
  for (const fake::Block& block : call.blocks) {
    if ((block.kind & TP_PARTIAL) == 0) continue;
    parts += block.bytes;
    ++count;
  }
  EXPECT_EQ(parts, "early\nlate\n");
  EXPECT_GE(count, 2);
}

// The host counts partial results, too, and may take no more of them.
TEST_F(Shell, ACommandRunsToItsEndThoughItsOutputIsRefused) {
  static decltype(tp_host_api::result) usual = nullptr;
  tp_host_api api = fake::host_api();
  usual = api.result;
  api.result = [](tp_call* call, uint32_t kind, tp_str mime, tp_str bytes) -> tp_status {
    return (kind & TP_PARTIAL) != 0 ? TP_E_NOMEM : usual(call, kind, mime, bytes);
  };
  fake::Plugin plugin(library("shell"), settings(), api);
  EXPECT_EQ(
      told(plugin, "run_command", R"({"command":"echo early; sleep 0.3; echo late; touch end"})"),
      "early\nlate\n");
  EXPECT_TRUE(fs::exists(folder_.root / "end"));
}

// What a cancel finds first may be a partial result.
TEST_F(Shell, ACancelThatRefusesOutputEndsTheCommandInOrder) {
  tp_host_api api = fake::host_api();
  api.result = [](tp_call* call, uint32_t, tp_str, tp_str) -> tp_status {
    fake::Call::of(call).cancelled = true;
    return TP_E_CANCELLED;
  };
  fake::Plugin plugin(library("shell"), settings(), api);
  fake::Call call;
  plugin.call("run_command",
              R"json({"command":"trap 'touch end; exit' TERM; echo x; sleep 600 & wait"})json",
              call);
  EXPECT_EQ(call.status, TP_E_CANCELLED);
  EXPECT_TRUE(fs::exists(folder_.root / "end"));
}

TEST_F(Shell, LeavesNoProcessAndNoDescriptorBehind) {
  const auto open = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
  run("true");
  const auto before = open();
  for (int i = 0; i < 20; ++i) run("exit 1");
  EXPECT_EQ(open(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not waited for";
}

TEST_F(Shell, ItsOwnCheckDeniesForeignFoldersAndTellsWhereTheRestRuns) {
  const auto& tool = plugin_.tool(plugin_.index_of("run_command"));
  EXPECT_EQ(fake::text(tool.command_arg), "/command");
  EXPECT_EQ(fake::text(tool.path_args.items[0]), "/cwd");
  EXPECT_EQ(tool.flags & (TP_TOOL_READ_ONLY | TP_TOOL_HAS_CHECK_READ_ONLY | TP_TOOL_HAS_MATCH_RULE),
            0u);
  EXPECT_NE(tool.flags & TP_TOOL_SERIAL, 0u);
  const auto check = [&](const std::string& args, const std::string& mode) {
    return judged(plugin_, "run_command", args, R"({"mode":")" + mode + R"("})");
  };
  const std::string root = R"("cwd":)" + json_text(folder_.root.string()) + "}";
  for (const char* mode : {"default", "accept_edits", "bypass"}) {
    for (const std::string& more : {std::string("}"), "," + root}) {
      const std::string answer = check(R"({"command":"rm x")" + more, mode);
      EXPECT_NE(answer.find(R"("behavior":"passthrough")"), answer.npos) << answer;
      EXPECT_NE(answer.find(root), answer.npos) << answer;
    }
    const std::string answer = check(R"({"command":"ls","cwd":"/etc"})", mode);
    EXPECT_NE(answer.find(R"("behavior":"deny")"), answer.npos) << answer;
    EXPECT_EQ(answer.find(R"("cwd")"), answer.npos) << answer;
  }
}

}  // namespace
