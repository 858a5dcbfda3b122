// counter: counts its calls, and hands the count over to the next build.
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "toolpost/toolpost.hpp"

#ifndef COUNTER_CONCURRENT
#define COUNTER_CONCURRENT false
#endif

namespace {

struct Counter {
  std::atomic<int> count = 0;
  // The host calls save() after the calls. ThreadSanitizer cannot see this order, because it sees
  // only the worker's process.
  std::mutex mutex;       // guards the next two
  std::string save_gate;  // save() waits for this file; empty: save() does not wait
  std::string end_file;   // quiesce() makes this file; empty: it makes none

  void quiesce(std::chrono::milliseconds) {
    const std::lock_guard lock(mutex);
    if (!end_file.empty()) std::ofstream(end_file) << "ended";
  }
};

struct File {
  std::string file;
  TOOLPOST_FIELDS(File, TOOLPOST_FIELD(file))
};

struct Gate {
  std::string file;
  std::optional<std::string> runs;  // each run adds a line to this file when it begins
  TOOLPOST_FIELDS(Gate, TOOLPOST_FIELD(file), TOOLPOST_FIELD(runs))
};

void wait_for(const std::string& file) {
  while (!file.empty() && !std::filesystem::exists(file))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

std::string until(Counter&, const Gate& gate) {
  if (gate.runs) std::ofstream(*gate.runs, std::ios::app) << "run\n";
  wait_for(gate.file);
  return "open";
}

std::string hold_save(Counter& counter, const File& gate) {
  const std::lock_guard lock(counter.mutex);
  counter.save_gate = gate.file;
  return "held";
}

std::string tell_end(Counter& counter, const File& end) {
  const std::lock_guard lock(counter.mutex);
  counter.end_file = end.file;
  return "noted";
}

std::string count_on(Counter& counter) {
  return std::to_string(++counter.count);
}

std::string version(Counter&) {
  return COUNTER_VERSION;
}

std::string die(Counter&) {
  __builtin_trap();
}

std::string fail(Counter&) {
  throw toolpost::Fault("a fault of its own");
}

// Never ends.
std::string stay(Counter&, toolpost::Context& call) {
  try {
    call.progress(0, 1, "begun");
  } catch (const toolpost::Cancelled&) {  // by whoever heard of it already
  }
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

[[maybe_unused]] std::string save([[maybe_unused]] Counter& counter) {
  std::string gate;
  {
    const std::lock_guard lock(counter.mutex);
    gate = counter.save_gate;
  }
  wait_for(gate);
#if defined(COUNTER_LARGE)
  return std::string((16u << 20u) + 1, 'x');
#else
  return std::to_string(counter.count.load());
#endif
}

[[maybe_unused]] void restore(Counter& counter, std::string_view schema_id,
                              std::string_view bytes) {
#if defined(COUNTER_REFUSES)
  throw toolpost::Error("not of my kind");
#endif
  if (schema_id != "counter/1") throw toolpost::Error("of another kind");
  int count = 0;
  std::from_chars(bytes.data(), bytes.data() + bytes.size(), count);
  counter.count = count;
}

// Refuses each call, and says on which thread of this process.
[[maybe_unused]] toolpost::Verdict before_call(const toolpost::Intercepted&, toolpost::Context&) {
  return toolpost::Verdict::refuse(::gettid() == ::getpid() ? "main thread" : "other thread");
}

[[maybe_unused]] std::optional<toolpost::CalledResult> leave_call(const toolpost::Intercepted&,
                                                                  const toolpost::CalledResult&,
                                                                  toolpost::Context&) {
  return std::nullopt;
}

auto plugin() {
  return toolpost::Plugin<Counter>({.id = "io.toolpost.test.counter",
                                    .name = "Counter",
                                    .version = COUNTER_VERSION,
                                    .concurrent = COUNTER_CONCURRENT})
      .tool("count", "Counts", count_on)
      .tool("version", "Says which build this is", version, {.read_only = true})
      .tool("stay", "Never ends, cancelled or not", stay)
      .tool("until", "Runs until a file exists", until, {.long_running = true})
      .tool("hold_save", "Lets save() wait until a file exists", hold_save)
      .tool("tell_end", "Lets quiesce() make a file", tell_end)
      .tool("die", "Crashes", die)
      .tool("fail", "Fails by its own fault", fail)
#if !defined(COUNTER_FORGETS)
      .state("counter/1", save, restore)
#endif
#if defined(COUNTER_INTERCEPTS)
      .before_calls(before_call)
#endif
#if defined(COUNTER_INTERCEPTS_AT_ONCE)
      .leave_calls(leave_call)
      .intercepts_at_once()
#endif
      ;
}

}  // namespace

TOOLPOST_PLUGIN(plugin())
