// What the gates cost an allowed inline call, in processor time of the one I/O thread: the same
// calls of `echo` of the plugin `hello`, loaded inline into a whole host (app/core/core.h), once
// started at once, once with what decides whether it may run before each, once down the whole road.
//
//   taskset -c 1 bench_gates HELLO.SO [CALLS]   200,000 calls, the median of nine stretches of each
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/core/core.h"
#include "config/config.h"
#include "config/reader/load.h"
#include "executor/executor.h"

namespace {

using boost::asio::awaitable;
using host::app::Core;
using host::tool::Call;

constexpr int kStretches = 9;
constexpr const char* kText =
    "the text of a call, some two hundred and fifty-six bytes of it, so that each call takes what "
    "a "
    "call of the other measurements takes; it is neither long nor short, and it is the same in "
    "each "
    "call, which nobody remembers: every call is taken as new......";

double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "bench_gates: %s\n", why.c_str());
  std::exit(1);
}

Call new_call() {
  Call call;
  auto passport = std::make_shared<host::tool::Passport>();
  passport->call = passport->connection = "bench";
  call.passport = std::move(passport);
  call.name = "echo";
  auto arguments = host::json::parse(std::string(R"({"text":")") + kText + "\"}");
  if (!arguments) die(arguments.error().message);
  call.arguments = std::move(*arguments);
  return call;
}

void must_answer(const host::Result<host::tool::CallResult>& result) {
  if (!result) die(result.error().message);
  if (result->is_error) die("the call was refused");
}

// To run what was decided on already.
awaitable<void> run_alone(host::executor::Executor& executor, const host::router::Route& route) {
  Call call = new_call();
  must_answer(co_await executor.run(route.provider, route.tool, call, host::executor::Slot()));
}

// Whether it may run, and then to run it.
awaitable<void> decide_and_run(Core& core, host::executor::Executor& executor) {
  Call call = new_call();
  const auto route = core.router().take_route(call);
  if (!route) die(route.error().message);
  if (core.permission().deny_by_name(call)) die("denied by name");
  const auto decision = co_await core.permission().decide(call, *route);
  if (decision.behavior != host::permission::Behavior::Allow) die("not allowed");
  must_answer(co_await executor.run(route->provider, route->tool, call, host::executor::Slot()));
}

awaitable<void> whole_road(Core& core) {
  Call call = new_call();
  must_answer(co_await core.dispatcher().call(call));
}

// One after the other, interleaved in stretches: the medians, in nanoseconds a call.
awaitable<std::map<std::string, double>> measure(Core& core, long calls) {
  host::executor::Executor executor(core.io().get_executor());
  Call first = new_call();
  const auto route = core.router().take_route(first);
  if (!route) die(route.error().message);
  std::map<std::string, std::vector<double>> stretches;
  for (int i = 0; i < kStretches; ++i) {
    for (const char* const road : {"run", "decide", "whole"}) {
      const double began = cpu_ns();
      for (long call = 0; call < calls / kStretches; ++call) {
        if (*road == 'r') co_await run_alone(executor, *route);
        if (*road == 'd') co_await decide_and_run(core, executor);
        if (*road == 'w') co_await whole_road(core);
      }
      stretches[road].push_back((cpu_ns() - began) / static_cast<double>(calls / kStretches));
    }
  }
  std::map<std::string, double> medians;
  for (auto& [road, values] : stretches) {
    std::sort(values.begin(), values.end());
    medians[road] = values[kStretches / 2];
  }
  co_return medians;
}

std::string rules_of(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += "[[rule]]\ntool = \"other_" + std::to_string(i) + "\"\nbehavior = \"deny\"\n";
  }
  return out;
}

std::map<std::string, double> measure_host(const std::filesystem::path& plugins,
                                           const std::string& audit, int rules, long calls) {
  const std::string text = "[plugins]\ndirs = [\"" + plugins.string() +
                           "\"]\n[plugin.hello]\nenabled = true\nisolation = \"inline\"\n[log]\n"
                           "level = \"error\"\n[store]\nfile = \"\"\n[audit]\nfile = \"" +
                           audit + "\"\n" + rules_of(rules);
  auto config = host::config::parse(text, "bench.toml", nullptr);
  if (!config.config) die("the configuration is refused");
  auto core = Core::create(std::move(*config.config));
  if (!core) die(core.error().message);
  std::map<std::string, double> medians;
  const auto run = [&]() -> awaitable<void> {
    co_await (*core)->start();
    medians = co_await measure(**core, calls);
    co_await (*core)->stop();
  };
  boost::asio::co_spawn((*core)->io(), run, [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
  (*core)->io().run();
  return medians;
}

}  // namespace

int main(int count, char** words) {
  const long calls = count > 2 ? std::atol(words[2]) : 200'000;
  if (count < 2 || calls < kStretches) die("usage: bench_gates HELLO.SO [CALLS]");
  const auto folder = std::filesystem::temp_directory_path() / "toolpost-bench-gates";
  std::filesystem::create_directories(folder / "plugins");
  std::filesystem::copy_file(words[1], folder / "plugins/hello.so",
                             std::filesystem::copy_options::overwrite_existing);
  for (const int rules : {0, 100}) {
    for (const std::string& audit : {std::string(), (folder / "audit.jsonl").string()}) {
      const auto ns = measure_host(folder / "plugins", audit, rules, calls);
      std::printf(
          "%3d rules, %s: run alone %5.0f ns; the decision adds %5.0f; the whole road adds %5.0f\n",
          rules, audit.empty() ? "no audit" : "an audit", ns.at("run"),
          ns.at("decide") - ns.at("run"), ns.at("whole") - ns.at("run"));
    }
  }
  std::filesystem::remove_all(folder);
  return 0;
}
