// A plugin host over a temporary folder, on the test's own thread, with the zoo to fill it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "plugin/lifecycle/plugin_host.h"
#include "support/passports.h"
#include "support/places.h"
#include "tool/call/invocation.h"

namespace host::plugin {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

inline fs::path animal(const std::string& name) {
  return places::build() / "tests/plugins/zoo" / ("zoo_" + name + ".so");
}

class PluginTest : public ::testing::TestWithParam<config::Isolation> {
 protected:
  using Answer = Result<tool::CallResult>;

  // One call under way.
  struct Running {
    std::shared_ptr<tool::Invocation> invocation;
    std::shared_ptr<tool::Provider> provider;
    std::shared_ptr<std::optional<Answer>> answer;
    bool done() const { return answer->has_value(); }
  };

  PluginTest() {
    std::string name = (fs::temp_directory_path() / "plugin-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    plugins_ = folder_ / "plugins";
    fs::create_directory(plugins_);
    fs::permissions(plugins_, fs::perms::owner_all);
    options_.plugins.dirs = {plugins_};
    options_.plugins.cache_dir = folder_ / "cache";
    options_.plugins.manifest_cache.clear();
    options_.plugins.probe_timeout = 60s;  // also enough on a busy machine
    options_.plugins.debounce = 30ms;
    options_.plugins.retire_grace = 100ms;
    options_.plugins.drain_timeout = 5s;
    options_.plugins.rescan = 500ms;
    options_.call.grace = 300ms;
    options_.worker = places::build() / "toolpost-worker";
  }
  ~PluginTest() override {
    stop();
    run_for(10ms);
    EXPECT_TRUE(run_until([] { return !has_children(); })) << "a process of the host's is left";
    fs::remove_all(folder_);
  }

  config::Plugin& settings(const std::string& name = "zoo") {
    return options_.plugins.by_name[name];
  }

  void start() {
    host_.emplace(io_.get_executor(), options_, catalog_);
    await(host_->load_all());
  }
  // Whether this process has any, dead and not reaped ones included.
  static bool has_children() {
    siginfo_t one{};
    return ::waitid(P_ALL, 0, &one, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
  }
  // With every generation gone: a test lets go of its calls before, for they hold theirs.
  void stop() {
    if (!host_) return;
    await(host_->stop());
    EXPECT_EQ(host_->generations(), 0u);
    host_.reset();
  }

  void install(const std::string& which, const std::string& as = "zoo") {
    install_file(animal(which), as);
  }
  // By a name of its own, then moved over: no half of it is ever seen.
  void install_file(const fs::path& file, const std::string& as = "zoo") {
    fs::copy_file(file, plugins_ / ".new", fs::copy_options::overwrite_existing);
    fs::permissions(plugins_ / ".new", fs::perms::owner_all);
    fs::rename(plugins_ / ".new", plugins_ / (as + ".so"));
  }
  void write(const std::string& bytes) {
    std::ofstream(plugins_ / ".new", std::ios::binary) << bytes;
    fs::rename(plugins_ / ".new", installed());
  }
  static std::string bytes_of(const std::string& which) {
    std::ifstream file(animal(which), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // No file event starts a look: PluginHost::reload() alone does.
  void look_only_when_asked() { options_.plugins.debounce = options_.plugins.rescan = 1h; }

  fs::path installed(const std::string& as = "zoo") const { return plugins_ / (as + ".so"); }

  template <class Condition>
  bool run_until(Condition condition, std::chrono::milliseconds most = 20s) {
    const auto until = std::chrono::steady_clock::now() + most;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > until) return false;
      io_.restart();
      io_.run_one_for(5ms);
    }
    return true;
  }
  void run_for(std::chrono::milliseconds time) {
    run_until([] { return false; }, time);
  }
  void await(boost::asio::awaitable<void> what) {
    bool done = false;
    boost::asio::co_spawn(io_, std::move(what), [&done](std::exception_ptr) { done = true; });
    ASSERT_TRUE(run_until([&] { return done; }, 60s));
  }

  Running begin(const std::string& name, const std::string& arguments = "{}",
                tool::Function function = tool::Function::Call) {
    const tool::Entry* entry = catalog_.snapshot()->find(name);
    if (!entry) {
      Running running;
      running.answer = std::make_shared<std::optional<Answer>>();
      *running.answer = Error{ErrorKind::NotFound, "no tool " + name};
      return running;
    }
    return begin_on(entry->provider, entry->tool, function, arguments);
  }
  // tool: null where the function is the provider's own. For ReadResource, `arguments` is the URI.
  Running begin_on(std::shared_ptr<tool::Provider> provider, std::shared_ptr<const tool::Tool> tool,
                   tool::Function function, const std::string& arguments) {
    Running running;
    running.answer = std::make_shared<std::optional<Answer>>();
    running.invocation = std::make_shared<tool::Invocation>();
    running.provider = std::move(provider);
    tool::Invocation& invocation = *running.invocation;
    invocation.tool = std::move(tool);
    invocation.function = function;
    (function == tool::Function::ReadResource ? invocation.name : invocation.arguments) = arguments;
    invocation.context = R"({"mode":"default"})";
    invocation.passport = passport_ ? passport_ : test::passport("c1", "anna");
    invocation.cancel = std::make_shared<Cancel>();
    if (prepare_) prepare_(invocation);
    auto* io = &io_;
    invocation.set_on_finish([io, answer = running.answer](Answer result) {
      auto shared = std::make_shared<Answer>(std::move(result));
      boost::asio::post(*io, [answer, shared] { *answer = std::move(*shared); });
    });
    running.provider->start(running.invocation);
    return running;
  }
  Answer finish(const Running& running) {
    if (!run_until([&] { return running.done(); }))
      return Error{ErrorKind::Internal, "never answered"};
    return **running.answer;
  }
  Answer call(const std::string& name, const std::string& arguments = "{}") {
    return finish(begin(name, arguments));
  }
  // The text of a call that gives one text block, or what went wrong.
  std::string text(const std::string& name, const std::string& arguments = "{}") {
    return text_in(call(name, arguments));
  }
  static std::string text_in(const Answer& answer) {
    if (!answer) return "error: " + answer.error().message;
    constexpr std::string_view kBefore = R"({"type":"text","text":")";
    if (!answer->content.starts_with(kBefore)) return answer->content;
    return answer->content.substr(kBefore.size(), answer->content.size() - kBefore.size() - 2);
  }

  PluginStatus status(const std::string& name = "zoo") {
    for (const PluginStatus& one : host_->status()) {
      if (one.name == name) return one;
    }
    return {};
  }
  bool waits_for_reason(const std::string& words) {
    return run_until([&] { return status().last_error.find(words) != std::string::npos; });
  }

  boost::asio::io_context io_{1};
  fs::path folder_;
  fs::path plugins_;
  Options options_;
  tool::Catalog catalog_;
  std::optional<PluginHost> host_;
  std::function<void(tool::Invocation&)> prepare_;
  tool::PassportPtr passport_;  // of the calls that begin; null: anna's call c1
};

inline std::string isolation_name(const ::testing::TestParamInfo<config::Isolation>& info) {
  return info.param == config::Isolation::Worker ? "Worker" : "Inline";
}

}  // namespace host::plugin
