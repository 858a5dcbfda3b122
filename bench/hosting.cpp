// What hosting costs: a call into a worker beside one inline, a large text there and back, and from
// a library's rename to the first answer of its new build. Both isolations take turns, so that a
// busy machine is busy for both.
//
//   taskset -c 1 bench_hosting HELLO.so [CALLS] [RELOADS]   20,000 calls, a hundredth of them for
//   each size of text, and 100 reloads of each; medians. Without taskset a call wakes another core,
//   which costs more than the call. Reloads have all cores.
#include <sched.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/heap.h"
#include "plugin/lifecycle/plugin_host.h"
#include "tool/call/invocation.h"

namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;
namespace plugin = host::plugin;
namespace tool = host::tool;
using host::config::Isolation;
using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr std::chrono::milliseconds kDebounce{20};
constexpr Isolation kBoth[] = {Isolation::Inline, Isolation::Worker};

const char* name_of(Isolation isolation) {
  return isolation == Isolation::Inline ? "inline" : "worker";
}

void must(bool held, const char* what) {
  if (held) return;
  std::fprintf(stderr, "bench_hosting: %s\n", what);
  std::exit(1);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `hello` in a folder of its own, on this thread.
class Hosted {
 public:
  Hosted(const fs::path& library, Isolation isolation) {
    std::string name = (fs::temp_directory_path() / "bench-hosting-XXXXXX").string();
    must(::mkdtemp(name.data()) != nullptr, "no folder can be made");
    folder_ = name;
    fs::create_directory(folder_ / "plugins");
    read(library);
    plugin::Options options;
    options.plugins.dirs = {folder_ / "plugins"};
    options.plugins.cache_dir = folder_ / "cache";
    options.plugins.manifest_cache.clear();
    options.plugins.debounce = kDebounce;
    options.plugins.retire_grace = std::chrono::milliseconds(100);
    options.plugins.by_name["hello"].isolation = isolation;
    options.worker = plugin::worker_beside_host().parent_path().parent_path() / "toolpost-worker";
    put(0);
    host_.emplace(io_.get_executor(), options, catalog_);
    await(host_->load_all());
    must(catalog_.snapshot()->find("greet") != nullptr, "hello is not served");
  }
  ~Hosted() {
    await(host_->stop());
    host_.reset();
    fs::remove_all(folder_);
  }

  // One call to its end; microseconds.
  double call(const std::string& tool = "greet", const std::string& arguments = kGreet) {
    const Clock::time_point began = Clock::now();
    begin(tool, arguments);
    while (!answer_) io_.run_one();
    return Microseconds(Clock::now() - began).count();
  }

  // Milliseconds from the rename to the first answer of the other build, without the wait for the
  // file to rest and without its trial; and that trial.
  struct Reload {
    double rest = 0;
    double trial = 0;
  };
  Reload reload() {
    serving_ = 1 - serving_;
    const std::string wanted = kGreetings[serving_];
    write(serving_);
    const Clock::time_point began = Clock::now();
    fs::rename(folder_ / "new", folder_ / "plugins/hello.so");
    Clock::duration trial{0};
    Clock::time_point last = began;
    begin();
    for (;;) {
      io_.run_one_for(std::chrono::microseconds(50));
      const Clock::time_point now = Clock::now();
      if (host_->status().front().state == plugin::State::Probing) trial += now - last;
      last = now;
      must(now - began < std::chrono::seconds(20), "the new build does not come");
      if (!answer_) continue;
      if (answer_->find(wanted) != std::string::npos) break;
      begin();
    }
    const Clock::duration rest = Clock::now() - began - kDebounce - trial;
    return {Microseconds(rest).count() / 1e3, Microseconds(trial).count() / 1e3};
  }

 private:
  static constexpr const char* kGreet = R"({"name":"world"})";
  static constexpr const char* kGreetings[] = {"Hello, world", "Jello, world"};

  void read(const fs::path& library) {
    std::ifstream in(library, std::ios::binary);
    builds_[0].assign(std::istreambuf_iterator<char>(in), {});
    builds_[1] = builds_[0];
    const std::size_t at = builds_[1].find("Hello, ");
    must(at != std::string::npos, "that library is not hello.so");
    builds_[1][at] = 'J';
  }
  void write(int build) {
    std::ofstream(folder_ / "new", std::ios::binary) << builds_[build];
    fs::permissions(folder_ / "new", fs::perms::owner_all);
  }
  void put(int build) {
    write(build);
    fs::rename(folder_ / "new", folder_ / "plugins/hello.so");
  }

  void await(asio::awaitable<void> what) {
    bool done = false;
    asio::co_spawn(io_, std::move(what), [&done](std::exception_ptr) { done = true; });
    while (!done) io_.run_one();
  }

  void begin(const std::string& tool = "greet", const std::string& arguments = kGreet) {
    answer_.reset();
    const tool::Entry* entry = catalog_.snapshot()->find(tool);
    must(entry != nullptr, "a tool is gone");
    invocation_ = std::make_shared<tool::Invocation>();
    invocation_->tool = entry->tool;
    invocation_->function = tool::Function::Call;
    invocation_->arguments = arguments;
    invocation_->context = R"({"mode":"default"})";
    invocation_->cancel = std::make_shared<host::Cancel>();
    invocation_->set_on_finish([this](host::Result<tool::CallResult> result) {
      must(result.has_value(), "a call failed");
      asio::post(io_, [this, text = std::move(result->content)] { answer_ = text; });
    });
    const std::shared_ptr<tool::Provider> provider = entry->provider;
    provider->start(invocation_);
  }

  asio::io_context io_{1};
  fs::path folder_;
  std::map<int, std::string> builds_;
  int serving_ = 0;
  tool::Catalog catalog_;
  std::optional<plugin::PluginHost> host_;
  std::shared_ptr<tool::Invocation> invocation_;
  std::optional<std::string> answer_;
};

}  // namespace

int main(int count, char** words) {
  host::keep_freed_memory();  // as a host that serves does
  must(count >= 2, "usage: bench_hosting HELLO.so [CALLS] [RELOADS]");
  const int calls = count > 2 ? std::atoi(words[2]) : 20'000;
  const int reloads = count > 3 ? std::atoi(words[3]) : 100;
  std::map<Isolation, Hosted> hosted;
  for (const Isolation isolation : kBoth) hosted.try_emplace(isolation, words[1], isolation);
  std::map<Isolation, std::vector<double>> took, rest, trial;
  for (int i = 0; i < calls; ++i) {
    for (auto& [isolation, one] : hosted) took[isolation].push_back(one.call());
  }
  for (const Isolation isolation : kBoth)
    std::printf("call, %s: %.1f us\n", name_of(isolation), median(took[isolation]));
  std::printf("a worker costs %.1f us more\n",
              median(took[Isolation::Worker]) - median(took[Isolation::Inline]));
  for (const std::size_t kib : {256, 1024, 8192}) {
    const std::string text = R"({"text":")" + std::string(kib << 10u, 'x') + "\"}";
    std::map<Isolation, std::vector<double>> echoed;
    for (int i = 0; i < calls / 100; ++i) {
      for (auto& [isolation, one] : hosted) echoed[isolation].push_back(one.call("echo", text));
    }
    for (const Isolation isolation : kBoth)
      std::printf("%zu KiB there and back, %s: %.0f us\n", kib, name_of(isolation),
                  median(echoed[isolation]));
  }
  cpu_set_t all;
  std::fill_n(reinterpret_cast<unsigned char*>(&all), sizeof all, 0xff);
  must(::sched_setaffinity(0, sizeof all, &all) == 0, "sched_setaffinity");
  for (int i = 0; i < reloads; ++i) {
    for (auto& [isolation, one] : hosted) {
      const Hosted::Reload reload = one.reload();
      rest[isolation].push_back(reload.rest);
      trial[isolation].push_back(reload.trial);
    }
  }
  for (const Isolation isolation : kBoth) {
    std::printf("rename to the first new answer, %s: %.2f ms, and %.2f ms of trial\n",
                name_of(isolation), median(rest[isolation]), median(trial[isolation]));
  }
  return 0;
}
