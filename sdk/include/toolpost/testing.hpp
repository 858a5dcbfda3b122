// testing.hpp is for unit tests of plugins: a host of the C ABI in one header, in the process of
// the test. testing.hpp needs no test framework and no library.
//
//   #include <toolpost/testing.hpp>
//
//   toolpost::testing::Plugin plugin("build/adder.so", R"({"precision":2})");
//   EXPECT_EQ(plugin.answer("add", R"({"a":2,"b":40})"), "42");
//
// A toolpost::testing::Call sets the inputs of a call, such as call.context["principal"] = "anna",
// and records its results. call.reply(KEY, JSON) sets the answer to a question of the tool.
// plugin.run("order", "{}", call) runs the tool until all its questions are answered.
//
// The test host finds some mistakes that a real host tolerates (broken JSON, pushes after the end).
// However, the test host does not make the checks of a real host. For example, the test host does
// not check arguments against the tool's schema.
#pragma once

#if !defined(__cpp_concepts)
#error "toolpost: these headers need C++20: set(CMAKE_CXX_STANDARD 20), or -std=c++20"
#else

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

// There are two kinds of mingw-w64 compilers. The mingw-w64 compilers with "win32" threads have no
// std::mutex.
#if defined(__MINGW32__) && defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS)
#error "toolpost: this compiler has no std::mutex: use the -posix one, x86_64-w64-mingw32-g++-posix"
#endif

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include "toolpost/detail/json.hpp"
#include "toolpost/ext/completion.h"
#include "toolpost/ext/interceptor.h"
#include "toolpost/ext/prompts.h"
#include "toolpost/ext/resources.h"
#include "toolpost/ext/selftest.h"
#include "toolpost/plugin.h"
#include "toolpost/testing/call.hpp"
#include "toolpost/testing/host.hpp"

namespace toolpost {
namespace testing {

// A testing::Plugin is a plugin with one activated instance. The destructor of testing::Plugin
// quiesces and destroys the instance. If the instance cannot be made, the constructor does not
// throw: created() returns the status.
class Plugin {
 public:
#if !defined(_WIN32)
  explicit Plugin(const std::string& library, std::string_view settings = "{}",
                  const tp_host_api& api = host_api())
      : library_(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    const auto entry =
        reinterpret_cast<decltype(&toolpost_plugin_v1)>(::dlsym(library_, TP_ENTRY_SYMBOL));
    if (entry == nullptr) throw std::runtime_error(library + " has no " TP_ENTRY_SYMBOL);
    open(entry(), settings, api);
  }
#endif
  // For a plugin that is linked into the test, pass toolpost_plugin_v1().
  explicit Plugin(const tp_plugin* about, std::string_view settings = "{}",
                  const tp_host_api& api = host_api()) {
    open(about, settings, api);
  }
  ~Plugin() {
    if (instance_ != nullptr) {
      if (api_->quiesce != nullptr) api_->quiesce(instance_, 1000);
      api_->destroy(instance_);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(_WIN32)
    // With the leak check of a sanitizer, the library stays loaded. The leak check can then show
    // the names of the library's functions, and does not report data that the library caches until
    // its end, such as time zones.
    if (library_ != nullptr) ::dlclose(library_);
#endif
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  // Runs a call and returns the text of its result. For a failed call, returns "error: ..." or
  // "status N".
  std::string answer(std::string_view tool, std::string_view arguments = "{}") {
    Call made;
    return answer_of(run(tool, arguments, made), made);
  }

  // Runs a call to its end. If `made` has prepared replies to the call's questions, run() runs the
  // call again with these replies.
  tp_status run(std::string_view tool, std::string_view arguments, Call& made) {
    for (int rounds = 1;; ++rounds) {
      const tp_status status = call(tool, arguments, made);
      if (status != TP_OK || rounds == 10 || !made.answer_prepared()) return status;
      made.next_round();
    }
  }

  // Runs one round of a call. If the call is pending, call() waits for the end of the call.
  tp_status call(std::string_view tool, std::string_view arguments, Call& made) {
    if (start(tool, arguments, made) == TP_PENDING) made.wait_until_complete();
    return made.status;
  }

  // Starts one round of a call (ext/ask.h), without waiting. The returned status TP_PENDING means
  // that the call is still running.
  tp_status start(std::string_view tool, std::string_view arguments, Call& made) {
    made.arguments = arguments;
    const tp_status status = api_->call(instance_, index_of(tool), str(arguments), made.handle());
    if (status != TP_PENDING) made.status = status;
    return status;
  }

  // Cancels a call that another thread runs.
  void cancel(Call& made) {
    made.cancelled = true;
    if (api_->cancel != nullptr) api_->cancel(instance_, made.handle());
  }

  // The functions below call the four optional functions of a tool. The functions below return the
  // answer's JSON, or "status N" if there is no answer.
  std::string check_permissions(std::string_view tool, std::string_view arguments,
                                std::string_view context = R"({"mode":"default"})") {
    return check(api_->check_permissions, tool, arguments, context);
  }
  std::string match_rule(std::string_view tool, std::string_view arguments,
                         std::string_view rule_content) {
    std::string context = R"({"mode":"default","rule_content":)";
    detail::write_string(context, rule_content);
    return check(api_->match_rule, tool, arguments, context + "}");
  }
  std::string generate_suggestions(std::string_view tool, std::string_view arguments,
                                   std::string_view context = R"({"mode":"default"})") {
    return check(api_->generate_suggestions, tool, arguments, context);
  }
  std::string check_read_only(std::string_view tool, std::string_view arguments,
                              std::string_view context = R"({"mode":"default"})") {
    return check(api_->check_read_only, tool, arguments, context);
  }

  // The functions below call the plugin's functions for resources, prompts and completions. The
  // functions below return "status -2" if the plugin does not offer the extension.
  std::string list_resources() {
    const auto* table = extension<tp_resources_api>(TP_EXT_RESOURCES);
    return table ? pushed([&](tp_call* to) { return table->list(instance_, to); }) : "status -2";
  }
  std::string read_resource(std::string_view uri) {
    const auto* table = extension<tp_resources_api>(TP_EXT_RESOURCES);
    return table ? pushed([&](tp_call* to) { return table->read(instance_, str(uri), to); })
                 : "status -2";
  }
  std::string list_prompts() {
    const auto* table = extension<tp_prompts_api>(TP_EXT_PROMPTS);
    return table ? pushed([&](tp_call* to) { return table->list(instance_, to); }) : "status -2";
  }
  std::string get_prompt(std::string_view name, std::string_view arguments = "{}") {
    const auto* table = extension<tp_prompts_api>(TP_EXT_PROMPTS);
    return table ? pushed([&](tp_call* to) {
      return table->get(instance_, str(name), str(arguments), to);
    })
                 : "status -2";
  }
  std::string complete(std::string_view request) {
    const auto* table = extension<tp_completion_api>(TP_EXT_COMPLETION);
    return table ? pushed([&](tp_call* to) { return table->complete(instance_, str(request), to); })
                 : "status -2";
  }
  // Runs a function of the plugin's interceptor for the call `made` of `tool`. Returns the answer's
  // JSON, or an empty text if the answer changes nothing. If the interceptor fails, intercept()
  // returns "error: ..." or "status N".
  using Interception = decltype(&tp_interceptor_api::before);
  std::string intercept(Interception which, std::string_view input, std::string_view tool,
                        Call& made, std::string_view state = {}) {
    const auto* table = extension<tp_interceptor_api>(TP_EXT_INTERCEPTOR);
    if (table == nullptr || table->*which == nullptr) return "status -2";
    const tp_intercepted about = {sizeof about, 0, str(tool), str("test"), str(state)};
    made.status = (table->*which)(instance_, str(input), &about, made.handle());
    if (made.status == TP_PENDING) made.wait_until_complete();
    return made.failed() ? answer_of(made.status, made) : made.structured();
  }

  // Runs the plugin's self-test. Returns TP_OK also if the plugin has no self-test.
  tp_status selftest() {
    const auto* table = extension<tp_selftest_api>(TP_EXT_SELFTEST);
    return table == nullptr ? TP_OK : table->run(instance_);
  }

  const tp_plugin& about() const {
    return *about_;
  }
  const tp_instance_api& api() const {
    return *api_;
  }
  tp_instance* instance() const {
    return instance_;
  }
  tp_status created() const {
    return created_;
  }
  Host& host() {
    return host_;
  }

  // The plugin can have been compiled with a different tp_tool, so tool() uses the plugin's
  // tool_stride.
  const tp_tool& tool(std::uint32_t index) const {
    const auto* bytes = reinterpret_cast<const char*>(about_->tools);
    return *reinterpret_cast<const tp_tool*>(bytes +
                                             static_cast<std::size_t>(index) * about_->tool_stride);
  }
  std::uint32_t index_of(std::string_view name) const {
    for (std::uint32_t i = 0; i < about_->tool_count; ++i) {
      if (text(tool(i).name) == name) return i;
    }
    throw std::runtime_error("no tool " + std::string(name));
  }

  // Returns the plugin's table of functions for an extension. Returns NULL if the plugin does not
  // offer the extension.
  template <class Table>
  const Table* extension(const char* id) const {
    if (api_->extension == nullptr) return nullptr;
    return static_cast<const Table*>(api_->extension(instance_, id));
  }

 private:
  void open(const tp_plugin* about, std::string_view settings, const tp_host_api& api) {
    if (about == nullptr) throw std::runtime_error("the library has no description");
    about_ = about;
    created_ = about->create(&api, host_.handle(), str(settings), &api_, &instance_);
    if (created_ == TP_OK && api_->activate != nullptr) created_ = api_->activate(instance_);
  }

  static std::string answer_of(tp_status status, const Call& made) {
    if (made.error) return "error: " + *made.error;
    if (status != TP_OK) return "status " + std::to_string(status);
    return made.text();
  }

  template <class F>
  std::string pushed(F&& act, std::string_view arguments = {}) {
    Call made;
    made.arguments = arguments;
    const tp_status status = act(made.handle());
    return answer_of(status, made);
  }

  std::string check(decltype(tp_instance_api::check_permissions) function, std::string_view tool,
                    std::string_view arguments, std::string_view context) {
    if (function == nullptr) return "status -2";
    return pushed(
        [&](tp_call* to) {
          return function(instance_, index_of(tool), str(arguments), str(context), to);
        },
        arguments);
  }

  void* library_ = nullptr;
  const tp_plugin* about_ = nullptr;
  const tp_instance_api* api_ = nullptr;
  tp_instance* instance_ = nullptr;
  tp_status created_ = TP_E_INTERNAL;
  Host host_;
};

}  // namespace testing
}  // namespace toolpost

#endif  // C++20
