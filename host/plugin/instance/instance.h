// One instance of a plugin's library, in a worker or inline, and the host's side of the ABI for
// this instance. Control functions (create, activate, self-test, quiesce,
// destruction) run one at a time, on any thread. Calls of tools run between activate() and
// quiesce(), on any threads.
#pragma once

#include <toolpost/ext/completion.h>
#include <toolpost/ext/interceptor.h>
#include <toolpost/ext/prompts.h>
#include <toolpost/ext/resources.h>
#include <toolpost/ext/state.h>
#include <toolpost/plugin.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "plugin/instance/call_sink.h"
#include "plugin/instance/callback_thread.h"
#include "plugin/instance/host_calls.h"
#include "plugin/instance/library.h"
#include "plugin/instance/metrics_board.h"
#include "plugin/wire/news.h"
#include "plugin/wire/redactor.h"
#include "plugin/wire/saved_state.h"
#include "tool/call/function.h"
#include "tool/call/intercepted.h"

namespace host::plugin {

class Instance {
 public:
  // Receives a line that the plugin logged outside any call. Any thread can call the function.
  using Log =
      std::function<void(int level, std::string_view message, std::string_view json_fields)>;

  // The data that the host gives to the plugin.
  struct Given {
    std::string settings = "{}";  // the plugin's settings, a JSON object
    Secrets secrets;
  };
  // The functions by which the plugin calls the host, on any thread.
  struct Roads {
    Log log;
    NewsBoard::Send news;
    HostCalls::Road services;
  };

  // `library` must outlive the instance. create() checks the form of the plugin's table of
  // functions. If the plugin refuses to make an instance, create() returns an Error with the
  // plugin's last log message.
  static Result<std::unique_ptr<Instance>> create(const Library& library, Given given, Roads roads);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Passes the state of the previous build to the plugin. Call restore() between create() and
  // activate().
  Result<void> restore(const SavedState& state);
  Result<void> activate();
  // Opens the connection from the plugin to the host's services. Call open_services() after
  // activate(), when the host is ready for requests of the plugin.
  void open_services();
  Result<void> selftest();  // also succeeds if the plugin has no self-test
  void quiesce(std::chrono::milliseconds grace);
  // Returns the state that the plugin hands over to its next build. Call save() while no call runs.
  // The instance continues unchanged.
  Result<SavedState> save() const;

  static Instance& of(tp_host* host) { return *reinterpret_cast<Instance*>(host); }
  NewsBoard& news() { return news_; }
  // setting() returns the setting at a JSON Pointer, and secret() returns the secret with a name.
  // Both functions return null if the setting or secret does not exist. The text is valid as long
  // as the instance exists. Any thread can call setting() and secret().
  const std::string* setting(std::string_view pointer);
  const std::string* secret(std::string_view name) const;
  CallbackThread& callbacks() { return callbacks_; }
  HostCalls& host_calls() { return *host_calls_; }
  MetricsBoard& metrics() { return metrics_; }
  // Returns a weak pointer to the instance, for code that may deliver an answer after the instance
  // has ended. After the instance's end, lock() returns null, and the code must drop the answer.
  std::weak_ptr<HostCalls> weak_host_calls() const { return host_calls_; }
  std::uint32_t tool_count() const { return tool_count_; }

  bool serial() const;
  bool has_state() const { return state_ != nullptr; }
  bool has(tool::Function function) const;
  // Returns true if the plugin's interceptor has the flag `flag` (TP_INTERCEPTOR_...).
  bool intercepts(std::uint32_t flag) const;

  // Makes the handle of a call. With the handle, the host can cancel a call even before run().
  // Returns nullptr if too many calls are open.
  static tp_call* open(CallInfo info, std::shared_ptr<CallSink> sink);
  // Runs the call until the plugin's function returns. The sink's done() is called before run()
  // returns. If the plugin returned TP_PENDING, done() can be called later. `input` is the URI if
  // the call reads a resource, and otherwise the arguments as JSON.
  void run(tp_call* call, tool::Function function, std::uint32_t tool, std::string_view input,
           std::string_view context);
  // open_running() and run_interception() do the same as open() and run(), for a function of
  // tp.interceptor/1. Nobody can cancel an interceptor's function before it runs. open_running()
  // gets the function's input in `info`.
  static tp_call* open_running(CallInfo info, std::shared_ptr<CallSink> sink);
  void run_interception(tp_call* call, tool::Function function, std::string_view input,
                        const tool::Intercepted& of);
  // Reports to the plugin that the call is cancelled. cancel() does not wait for the call's
  // end.
  void cancel(tp_call* call);

 private:
  Instance(Given given, Roads roads);
  Result<void> make(const Library& library);
  void stop_callbacks();
  bool send_metrics(std::string report);
  Result<void> check_table() const;
  Result<void> find_offers();
  template <class Table>
  const Table* table_of(const char* id) const;
  std::string last_words() const;
  void log(int level, tp_str message, tp_str json_fields);
  tp_status dispatch(tool::Function function, std::uint32_t tool, tp_str input, tp_str context,
                     tp_call* call);
  tp_status get_prompt(std::string_view arguments, tp_call* call);
  tp_status intercept(tool::Function function, tp_str input, const tool::Intercepted& of,
                      tp_call* call);

  struct HostFunctions;

  const Given given_;
  const Redactor redact_;
  Log log_;
  const tp_instance_api* api_ = nullptr;
  tp_instance* self_ = nullptr;
  const tp_resources_api* resources_ = nullptr;  // null: the plugin has no resources
  const tp_prompts_api* prompts_ = nullptr;
  const tp_completion_api* completion_ = nullptr;
  const tp_state_api* state_ = nullptr;
  const tp_interceptor_api* interceptor_ = nullptr;
  std::uint32_t tool_count_ = 0;
  NewsBoard news_;
  CallbackThread callbacks_;
  std::shared_ptr<HostCalls> host_calls_;
  MetricsBoard metrics_;
  std::mutex settings_mutex_;                             // guards the next two members
  json::Document settings_;                               // null until setting() is first called
  std::map<std::string, std::string, std::less<>> told_;  // results of setting(), by JSON Pointer
  mutable std::mutex last_mutex_;                         // guards last_message_
  std::string last_message_;  // the plugin's last warning or error, for the Errors of this class
};

}  // namespace host::plugin
