// Every fault of a plugin, many times, beside a healthy one that is called all the while: each gets
// its definite answer in time, the healthy one loses no call, and the host keeps nothing.
// TOOLPOST_ZOO_ROUNDS says how many rounds; scripts/soak runs a thousand, on a quiet machine, and
// there the answers must also come fast.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kSeesNoHeapFault = true;  // its allocator lets a plugin free what it borrowed
#else
constexpr bool kSeesNoHeapFault = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // slow, and holds on to memory
#else
constexpr bool kSanitized = false;
#endif
constexpr std::chrono::milliseconds kDeadline = 250ms;

struct Fault {
  std::string tool;
  std::string words;   // in its error; empty: an answer
  bool waits = false;  // until its deadline, and is told by the host then
};

const Fault kFaults[] = {
    {"fault_segv", "SIGSEGV"},
    {"fault_nowhere", "SIGSEGV"},
    {"fault_abort", "SIGABRT"},
    {"fault_divide", "SIGFPE"},
    {"fault_illegal", "SIGILL"},
    {"fault_overflow", "SIGSEGV"},
    {"fault_thread", "SIGSEGV"},
    {"fault_exit",
     kSanitized ? "exited with status" : "exited with status 3"},  // leaks are status 1
    {"fault_quick_exit", "exited with status 4"},
    {"fault_hang", "grace period", true},
    {"fault_deaf", "grace period", true},
    {"fault_never", "grace period", true},
    {"fault_late", "", true},
    {"fault_leak", ""},
    {"fault_huge_answer", "larger"},
    {"fault_twice", ""},
    {"fault_frees", kSeesNoHeapFault ? ""
                    : kSanitized     ? "exited with status"  // it sees it first
                                     : "SIGABRT"},
    {"fault_flood", ""},
    {"fault_forks", ""},
    {"fault_outside", ""},
};

const char* const kRounds =
    std::getenv("TOOLPOST_ZOO_ROUNDS");  // null: a sample, beside other work

int rounds() {
  return kRounds ? std::atoi(kRounds) : 3;
}

// No more than this after the fault. A busy machine may take longer, but never as long as the
// deadline of 30 s, which a host would wait for that did not see the fault.
std::chrono::milliseconds within() {
  return kRounds && !kSanitized ? 200ms : 15s;
}

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::size_t resident_kib() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Rss:")) return std::stoul(line.substr(4));
  }
  return 0;
}

struct Held {
  std::size_t descriptors = entries("/proc/self/fd");
  std::size_t threads = entries("/proc/self/task");
  std::size_t kib = resident_kib();
};

class Zoo : public PluginTest {
 protected:
  Zoo() {
    config::Supervision& supervision = options_.plugins.supervision;
    supervision.restart_pause = 0ms;
    supervision.quarantine_crashes = 0;
    supervision.poison_crashes = 0;
    options_.call.grace = 500ms;  // fault_late must do something in it, on a busy machine too
    options_.result_bytes = 1u << 20u;
    install("faults", "faults");
    install("one", "neighbour");
  }

  // Some calls of the neighbour are always under way.
  void tend_neighbour() {
    std::erase_if(beside_, [&](const Running& one) {
      if (!one.done()) return false;
      ++answered_;
      if (!**one.answer) ++failed_;
      return true;
    });
    while (beside_.size() < 4) {
      prepare_ = nullptr;
      beside_.push_back(begin(answered_ % 2 == 0 ? "version" : "slow", R"({"ms":4})"));
    }
  }

  void suffer(const Fault& fault) {
    prepare_ = [&](tool::Invocation& invocation) {
      invocation.deadline = std::chrono::steady_clock::now() + (fault.waits ? kDeadline : 30s);
    };
    const auto begun = std::chrono::steady_clock::now();
    const Running running = begin(fault.tool);
    ASSERT_TRUE(run_until([&] {
      tend_neighbour();
      return running.done();
    })) << fault.tool;
    auto took = std::chrono::steady_clock::now() - begun;
    if (fault.waits) took -= kDeadline + options_.call.grace;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took);
    const bool works_long = fault.tool == "fault_leak" || fault.tool == "fault_flood" ||
                            fault.tool == "fault_huge_answer";
    if (!works_long) worst_[fault.tool] = std::max(worst_[fault.tool], ms);
    const Answer& answer = **running.answer;
    const std::string told = !answer            ? answer.error().message
                             : answer->is_error ? answer->content
                                                : "";
    EXPECT_EQ(told.empty(), fault.words.empty()) << fault.tool << ": " << told;
    EXPECT_NE(told.find(fault.words), std::string::npos) << fault.tool << ": " << told;
  }

  // The worker is up again, so that what comes next is measured from its fault on.
  void recover() {
    prepare_ = nullptr;
    const Running probe = begin("well");
    ASSERT_TRUE(run_until([&] {
      tend_neighbour();
      return probe.done();
    }));
    EXPECT_TRUE(**probe.answer) << (*probe.answer)->error().message;
  }

  std::vector<Running> beside_;
  int answered_ = 0;
  int failed_ = 0;
  std::map<std::string, std::chrono::milliseconds> worst_;
};

TEST_F(Zoo, NoFaultCostsTheHostOrTheNeighbourAnything) {
  start();
  Held before;
  for (int round = 0; round <= rounds(); ++round) {
    for (const Fault& fault : kFaults) {
      recover();
      suffer(fault);
      if (HasFatalFailure()) return;
    }
    if (round == 0) before = Held{};  // what is made once is made
  }
  recover();
  ASSERT_TRUE(run_until([&] {
    std::erase_if(beside_, [](const Running& one) { return one.done(); });
    return beside_.empty();
  }));
  run_for(400ms);  // what was forked is gone
  const Held after;
  EXPECT_EQ(failed_, 0);
  EXPECT_GT(answered_, 100);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
  if (!kSanitized) {
    EXPECT_LE(after.kib, before.kib + 4096);
  }
  for (const auto& [tool, took] : worst_) EXPECT_LE(took, within()) << tool;
  RecordProperty("neighbour_calls", answered_);
  RecordProperty("kib_before", static_cast<int>(before.kib));
  RecordProperty("kib_after", static_cast<int>(after.kib));
  std::string slowest;
  for (const auto& [tool, took] : worst_)
    slowest += tool + " " + std::to_string(took.count()) + " ms, ";
  RecordProperty("slowest", slowest);
}

}  // namespace
}  // namespace host::plugin
