// context.hpp contains the functions of the host for a call and for an instance.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolpost/detail/ask.hpp"
#include "toolpost/detail/attachments.hpp"
#include "toolpost/detail/call_tool.hpp"
#include "toolpost/detail/error.hpp"
#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/history.hpp"
#include "toolpost/detail/http.hpp"
#include "toolpost/detail/kv.hpp"
#include "toolpost/detail/timer.hpp"
#include "toolpost/ext/announce.h"
#include "toolpost/ext/config.h"
#include "toolpost/ext/context.h"
#include "toolpost/ext/secrets.h"
#include "toolpost/plugin.h"

namespace toolpost {
inline namespace v1 {

enum class LogLevel : std::int32_t {
  Debug = TP_LOG_DEBUG,
  Info = TP_LOG_INFO,
  Notice = TP_LOG_NOTICE,
  Warning = TP_LOG_WARNING,
  Error = TP_LOG_ERROR,
  Critical = TP_LOG_CRITICAL,
};

namespace detail {

constexpr tp_str str(std::string_view text) {
  return {text.data(), text.size()};
}
constexpr std::string_view view(tp_str text) {
  return text.ptr == nullptr ? std::string_view() : std::string_view(text.ptr, text.len);
}

}  // namespace detail

// Announce announces changes of a serving instance (tp.announce/1). Each function of Announce
// returns immediately. If the host does not offer tp.announce/1, the functions of Announce do
// nothing. Any thread can call the functions of Announce.
class Announce {
 public:
  Announce(const tp_announce_api* api, tp_host* host) : api_(api), host_(host) {}

  // resources_changed() and prompts_changed() announce that the plugin's list of resources or
  // prompts has changed. After an announcement, the host requests the list again.
  void resources_changed() const;
  void prompts_changed() const;
  // Announces that the contents of the resource with this URI have changed.
  void resource_updated(std::string_view uri) const;
  // If `on` is false, removes a tool of this plugin from the host's list. If `on` is true, puts the
  // tool back into the list. Returns false if the plugin has no tool of this name.
  bool offer_tool(std::string_view name, bool on) const;

 private:
  const tp_announce_api* api_;
  tp_host* host_;
};

// A Host contains the functions of the host for one instance. A Host can be copied cheaply. Any
// thread may use a Host until the instance is destroyed.
class Host {
 public:
  Host(const tp_host_api* api, tp_host* host) : api_(api), host_(host) {}

  // Writes a line to the host's log. `fields` is one JSON object, or empty.
  void log(LogLevel level, std::string_view message, std::string_view fields = {}) const;

  // Returns the host's table of functions for an extension id. Returns NULL if the host does not
  // offer the extension.
  template <class Api>
  const Api* extension(const char* id) const {
    return static_cast<const Api*>(api_->extension(host_, id));
  }

  Announce announce() const;

  // Returns the plugin's storage. A Kv that was made with a call (see Context::kv) is valid until
  // the call ends.
  Kv kv(const tp_call* call = nullptr, std::uint32_t scope = TP_KV_PLUGIN) const;

  // Returns a setting by its JSON pointer, like "/server/port". Returns nullopt if there is no
  // setting at the pointer.
  std::optional<Json> setting(std::string_view pointer) const;
  // Returns a secret of the plugin's `secrets` by its name. Returns nullopt if `secrets` does
  // not have the name, or if the secret is not set.
  std::optional<std::string> secret(std::string_view name) const;
  // after() calls `act` once, and every() calls `act` repeatedly. Once the Timer is destroyed,
  // `act` is not called any more, so store the returned Timer.
  [[nodiscard]] Timer after(std::chrono::milliseconds delay, std::function<void()> act) const;
  [[nodiscard]] Timer every(std::chrono::milliseconds period, std::function<void()> act) const;

  const tp_host_api* api() const { return api_; }
  tp_host* id() const { return host_; }

 private:
  const tp_host_api* api_;
  tp_host* host_;
};

// A Todo is one entry of the todo list that a model keeps with the tool todo_write.
struct Todo {
  std::string id = {};
  std::string content = {};
  std::string status = {};                   // pending, in_progress or completed
  std::optional<std::string> priority = {};  // high, medium or low
  TOOLPOST_FIELDS(Todo, TOOLPOST_FIELD(id), TOOLPOST_FIELD(content), TOOLPOST_FIELD(status),
                  TOOLPOST_FIELD(priority))
};

// A KeptValue is a value that the plugin has stored for the call's session, as it was when the call
// began to run.
struct KeptValue {
  std::string key = {};
  std::string value = {};
  std::uint64_t version = 0;  // the value's version, to pass to Context::session_kv().try_set()
  TOOLPOST_FIELDS(KeptValue, TOOLPOST_FIELD(key), TOOLPOST_FIELD(value), TOOLPOST_FIELD(version))
};

// The state of a call's session when the call began to run; see Context::session_state().
struct SessionState {
  static constexpr const char* context_type = "toolpost.session";
  std::uint64_t version = 0;                   // grows with each change of the session's settings
  std::string mode = {};                       // the permission mode that applies to the call
  std::vector<std::string> groups = {};        // the active tool groups
  std::vector<std::string> working_dirs = {};  // absolute paths
  std::vector<Todo> todos = {};    // the todo list of the session's model, see todo_write
  std::vector<KeptValue> kv = {};  // values of Context::session_kv(), in the order of their keys
  bool kv_more = false;            // true: session_kv() has more values than `kv`

  // kept() finds a value in `kv` by its key. kept() returns null if `kv` does not contain the key.
  // To write a new key with try_set(), use the version 0.
  const KeptValue* kept(std::string_view key) const;
  TOOLPOST_FIELDS(SessionState, TOOLPOST_FIELD(version), TOOLPOST_FIELD(mode),
                  TOOLPOST_FIELD(groups), TOOLPOST_FIELD(working_dirs),
                  TOOLPOST_FIELD(todos, "", defaulted), TOOLPOST_FIELD(kv, "", defaulted),
                  TOOLPOST_FIELD(kv_more, "", defaulted))
};

// One call. Use the Context only on the thread that runs the call, and only until the call ends.
class Context {
 public:
  Context(Host host, tp_call* call) : host_(host), call_(call) {}

  // Returns true if the call should stop. Call cancelled() in loops, or call check(), which throws
  // Cancelled.
  bool cancelled() const { return api().cancelled(call_) != 0; }
  void check() const;

  // Returns the deadline of the call, or nullopt if the call has no deadline.
  std::optional<std::chrono::steady_clock::time_point> deadline() const;

  // Reports the progress of the call. Pass 0 as `total` if the total is unknown. Throws Cancelled
  // if the call should stop.
  void progress(double done, double total = 0, std::string_view message = {}) const;

  void log(LogLevel level, std::string_view message, std::string_view fields = {}) const;

  // Sends a text to the caller immediately. The text of partial() is never part of the call's
  // result.
  void partial(std::string_view text) const;
  template <Described T>
  void partial(const T& value) const {
    push(TP_JSON | TP_PARTIAL, {}, detail::json_of(value));
  }

  // Pushes a part of the result before the tool returns; `kind` is one of TP_TEXT to TP_CONTENT,
  // with flags. partial() waits while the receiver is slow. Throws Cancelled if the caller does not
  // wait for the result any more.
  void push(std::uint32_t kind, std::string_view mime, std::string_view bytes) const;

  // Returns the kinds of questions that the call's client supports: TP_ASK_... bits.
  std::uint32_t abilities() const;

  // Asks the client and returns its answer. detail/ask.hpp describes how the function runs again.
  // `key` identifies the question within the call. Throws Unanswerable if the client does not
  // support the question. A tool whose function takes a Pending cannot use elicit() and the other
  // functions that ask questions.
  template <Described T>
  Elicited<T> elicit(std::string_view key, std::string_view message) const;
  Elicited<Json> elicit(std::string_view key, std::string_view message, const Json& schema) const;
  Action elicit_url(std::string_view key, std::string_view message, std::string_view url) const;
  Sampled sample(std::string_view key, const Sampling& what) const;
  std::vector<Root> roots(std::string_view key) const;

  // Returns the bytes that the tool's function passed to keep() in its previous run for this call.
  // In the first run of the function, state() returns an empty text.
  std::string_view state() const;
  // Keeps bytes for the next run of the function, at most 16 KiB. The client never sees the bytes
  // that keep() keeps.
  void keep(std::string_view state) const;

  // principal() and the functions after it return facts that the host knows about the call, or an
  // empty text for an unknown fact. The values and entries that a client sends cannot change the
  // host's facts about the call.
  std::string_view principal() const { return fact("principal"); }
  std::string_view agent() const { return fact("agent"); }
  std::string_view session() const { return fact("session"); }
  std::string_view request() const { return fact("request"); }
  std::string_view traceparent() const { return fact("traceparent"); }
  std::string_view tracestate() const { return fact("tracestate"); }
  std::string_view baggage() const { return fact("baggage"); }
  // Returns a plain text that was sent with the call. Returns nullopt if no text with this key was
  // sent.
  std::optional<std::string_view> value(std::string_view key) const;
  // Returns the context entry with the type `type` that was sent with the call, as JSON. Returns an
  // empty text if the call has no entry with the type `type`.
  std::string_view entry(const char* type) const;
  // Returns the entry of a type as a value of T, read from the entry's JSON. Throws Error if the
  // JSON is not a T.
  template <class T>
  std::optional<T> entry(const char* type) const {
    const std::string_view json = entry(type);
    if (json.empty()) return std::nullopt;
    const std::string what = "entry \"" + std::string(type) + '"';
    detail::Reader in(json, what);
    T value{};
    detail::Codec<T>::read(in, value);
    in.end();
    return value;
  }

  // Returns the state of the call's session, for tools with .state_injected. Returns nullopt if the
  // session has ended. To write a value of the state's `kv` back, use session_kv().try_set() with
  // the version of kept(KEY). try_set() writes only if no other call has written the value in the
  // meantime.
  std::optional<SessionState> session_state() const {
    return entry<SessionState>(SessionState::context_type);
  }

  // kv() returns the plugin's storage for all calls. session_kv() returns the plugin's storage for
  // this call's session.
  Kv kv() const;
  Kv session_kv() const;

  // Returns the files that were sent with the call.
  Attachments attachments() const;

  // Returns earlier calls of this call's session. The operator must allow the plugin to read
  // earlier calls.
  History history() const;

  // Calls another tool as this call's principal, with the same checks, and waits for the result.
  // Throws ServiceError if the called tool did not run. If the called tool runs and fails, the
  // returned result contains the failure.
  ToolResult call_tool(std::string_view tool, const Json& args = {"{}"}) const;
  template <Described T>
  ToolResult call_tool(std::string_view tool, const T& args) const {
    return call_tool(tool, Json{detail::json_of(args)});
  }
  // Calls another tool without waiting. `then` gets the answer to the call: ServiceAnswer::json is
  // a CallToolResult.
  void call_tool(std::string_view tool, const Json& args, OnAnswer then) const;

  // Makes an HTTP request and waits for the response, of any status. Throws ServiceError if there
  // is no response.
  HttpResponse http(const HttpRequest& request) const;
  // Makes an HTTP request without waiting. `then` gets the answer to the HTTP request, which
  // read_http() reads.
  void http(const HttpRequest& request, OnAnswer then) const;

  const Host& host() const { return host_; }
  // Returns the id of the call. on_cancel() of the instance gets the same id as its argument.
  tp_call* id() const { return call_; }

 private:
  const tp_host_api& api() const { return *host_.api(); }
  std::string_view fact(const char* key) const;
  const tp_ask_api* asking() const;
  tp_status ask_tool(std::string_view tool, std::string_view args, const tp_reply* reply) const;
  tp_status ask_http(std::string_view json, std::string_view body, const tp_reply* reply) const;

  Host host_;
  tp_call* call_;
};

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/context.ipp"
#endif
