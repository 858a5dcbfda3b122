// What a call and an instance can ask of the host.
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

// What an instance tells of itself while it serves (tp.announce/1). Each returns at once; a host
// that does not listen is told nothing. Any thread.
class Announce {
 public:
  Announce(const tp_announce_api* api, tp_host* host) : api_(api), host_(host) {}

  // A list is another: the host asks for it again.
  void resources_changed() const;
  void prompts_changed() const;
  // Reading this URI gives something else.
  void resource_updated(std::string_view uri) const;
  // Takes a tool of this plugin out of the host's list, or puts it back. False: it has no such.
  bool offer_tool(std::string_view name, bool on) const;

 private:
  const tp_announce_api* api_;
  tp_host* host_;
};

// The host as one instance sees it. A small value; any thread may use it until the instance is
// destroyed.
class Host {
 public:
  Host(const tp_host_api* api, tp_host* host) : api_(api), host_(host) {}

  // fields: one JSON object or empty.
  void log(LogLevel level, std::string_view message, std::string_view fields = {}) const;

  // The host's table for an extension id, NULL where it has none.
  template <class Api>
  const Api* extension(const char* id) const {
    return static_cast<const Api*>(api_->extension(host_, id));
  }

  Announce announce() const;

  // What the plugin keeps. A call's own (Context::kv) ends with the call.
  Kv kv(const tp_call* call = nullptr, std::uint32_t scope = TP_KV_PLUGIN) const;

  // A setting by its JSON pointer, like "/server/port"; nothing where there is none.
  std::optional<Json> setting(std::string_view pointer) const;
  // A secret of the plugin's `secrets` by its name; nothing where it may not have it, or it is not
  // set.
  std::optional<std::string> secret(std::string_view name) const;
  // Calls `act` once, or again and again, until the Timer goes away. Keep it.
  [[nodiscard]] Timer after(std::chrono::milliseconds delay, std::function<void()> act) const;
  [[nodiscard]] Timer every(std::chrono::milliseconds period, std::function<void()> act) const;

  const tp_host_api* api() const { return api_; }
  tp_host* id() const { return host_; }

 private:
  const tp_host_api* api_;
  tp_host* host_;
};

// One entry of the todo list that a model keeps with the tool todo_write.
struct Todo {
  std::string id = {};
  std::string content = {};
  std::string status = {};                   // pending, in_progress or completed
  std::optional<std::string> priority = {};  // high, medium or low
  TOOLPOST_FIELDS(Todo, TOOLPOST_FIELD(id), TOOLPOST_FIELD(content), TOOLPOST_FIELD(status),
                  TOOLPOST_FIELD(priority))
};

// A value that the plugin keeps for the call's session, as it was when the call began to run.
struct KeptValue {
  std::string key = {};
  std::string value = {};
  std::uint64_t version = 0;  // what Context::session_kv().try_set() expects
  TOOLPOST_FIELDS(KeptValue, TOOLPOST_FIELD(key), TOOLPOST_FIELD(value), TOOLPOST_FIELD(version))
};

// The state of a call's session when the call began to run; see Context::session_state().
struct SessionState {
  static constexpr const char* context_type = "toolpost.session";
  std::uint64_t version = 0;                   // grows with each change of the session's settings
  std::string mode = {};                       // the permission mode that applies to the call
  std::vector<std::string> groups = {};        // the active tool groups
  std::vector<std::string> working_dirs = {};  // absolute
  std::vector<Todo> todos = {};                // of the session's model, see todo_write
  std::vector<KeptValue> kv = {};              // of Context::session_kv(), by key
  bool kv_more = false;                        // session_kv() has more than is in kv

  // Null: kv has none of this key. A key without a value has the version 0.
  const KeptValue* kept(std::string_view key) const;
  TOOLPOST_FIELDS(SessionState, TOOLPOST_FIELD(version), TOOLPOST_FIELD(mode),
                  TOOLPOST_FIELD(groups), TOOLPOST_FIELD(working_dirs),
                  TOOLPOST_FIELD(todos, "", defaulted), TOOLPOST_FIELD(kv, "", defaulted),
                  TOOLPOST_FIELD(kv_more, "", defaulted))
};

// One call: for the thread that runs it, until the call ends.
class Context {
 public:
  Context(Host host, tp_call* call) : host_(host), call_(call) {}

  // Poll this in loops; check() throws Cancelled instead.
  bool cancelled() const { return api().cancelled(call_) != 0; }
  void check() const;

  // Empty where the call may take as long as it likes.
  std::optional<std::chrono::steady_clock::time_point> deadline() const;

  // How far the call is; total 0 where unknown. Throws Cancelled once the call should stop.
  void progress(double done, double total = 0, std::string_view message = {}) const;

  void log(LogLevel level, std::string_view message, std::string_view fields = {}) const;

  // For the caller to watch, now; never part of the model's result.
  void partial(std::string_view text) const;
  template <Described T>
  void partial(const T& value) const {
    push(TP_JSON | TP_PARTIAL, {}, detail::json_of(value));
  }

  // Pushes a part of the result before the tool returns; kind is TP_TEXT ... TP_CONTENT with its
  // flags. Waits while the receiver is slow. Throws Cancelled once nobody waits for the result.
  void push(std::uint32_t kind, std::string_view mime, std::string_view bytes) const;

  // What its client can be asked: TP_ASK_... bits.
  std::uint32_t abilities() const;

  // Asks the client and gives its answer; see detail/ask.hpp for how a function runs again. key
  // names the question among all of the call's. Throws Unanswerable where it cannot be asked. Not
  // for tools with a Pending.
  template <Described T>
  Elicited<T> elicit(std::string_view key, std::string_view message) const;
  Elicited<Json> elicit(std::string_view key, std::string_view message, const Json& schema) const;
  Action elicit_url(std::string_view key, std::string_view message, std::string_view url) const;
  Sampled sample(std::string_view key, const Sampling& what) const;
  std::vector<Root> roots(std::string_view key) const;

  // What the run before left by keep(), byte for byte; empty in the first.
  std::string_view state() const;
  // For the next run, at most 16 KiB. The client never sees it.
  void keep(std::string_view state) const;

  // Who is calling, as the host knows it: empty where it does not say.
  std::string_view principal() const { return entry("principal"); }
  std::string_view agent() const { return entry("agent"); }
  std::string_view session() const { return entry("session"); }
  std::string_view request() const { return entry("request"); }
  std::string_view traceparent() const { return entry("traceparent"); }
  std::string_view tracestate() const { return entry("tracestate"); }
  std::string_view baggage() const { return entry("baggage"); }
  // A plain text that was given along with the call; nothing where there is none.
  std::optional<std::string_view> value(std::string_view key) const;
  // The entry of a type that was given along with the call, as JSON, or a text that the host itself
  // knows; empty where there is none.
  std::string_view entry(const char* key) const;
  // The same as a value, read from the entry's JSON. An entry that is no such value is an Error.
  template <class T>
  std::optional<T> entry(const char* key) const {
    const std::string_view json = entry(key);
    if (json.empty()) return std::nullopt;
    detail::Reader in(json, "entry");
    T value{};
    detail::Codec<T>::read(in, value);
    in.end();
    return value;
  }

  // For tools with .state_injected: the state of the call's session. nullopt: it has ended.
  // To write the tool's own part of it back, use session_kv(): try_set() with the version of
  // kept(KEY) writes only if no other call has written since.
  std::optional<SessionState> session_state() const {
    return entry<SessionState>(SessionState::context_type);
  }

  // What the plugin keeps, for all calls or for this call's session.
  Kv kv() const;
  Kv session_kv() const;

  // Files that were given along with the call.
  Attachments attachments() const;

  // Earlier calls of this call's session. The operator has to allow it.
  History history() const;

  // Calls another tool as this call's principal, through the same gates, and waits. Throws
  // ServiceError where it did not come to the tool; a failure of the tool itself is a result.
  ToolResult call_tool(std::string_view tool, const Json& args = {"{}"}) const;
  template <Described T>
  ToolResult call_tool(std::string_view tool, const T& args) const {
    return call_tool(tool, Json{detail::json_of(args)});
  }
  // The same without waiting: ServiceAnswer::json is a CallToolResult.
  void call_tool(std::string_view tool, const Json& args, OnAnswer then) const;

  // Makes an HTTP request and waits for the response, whatever its status. Throws ServiceError
  // where there is none.
  HttpResponse http(const HttpRequest& request) const;
  // The same without waiting; read_http() reads the answer.
  void http(const HttpRequest& request, OnAnswer then) const;

  const Host& host() const { return host_; }
  // The same for on_cancel() of the instance: a name for the call.
  tp_call* id() const { return call_; }

 private:
  const tp_host_api& api() const { return *host_.api(); }
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
