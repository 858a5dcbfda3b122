// What a call and an instance can ask of the host.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "toolpost/detail/ask.hpp"
#include "toolpost/detail/attachments.hpp"
#include "toolpost/detail/call_tool.hpp"
#include "toolpost/detail/error.hpp"
#include "toolpost/detail/fields.hpp"
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
  void resources_changed() const {
    if (api_ != nullptr) api_->resources_changed(host_);
  }
  void prompts_changed() const {
    if (api_ != nullptr) api_->prompts_changed(host_);
  }
  // Reading this URI gives something else.
  void resource_updated(std::string_view uri) const {
    if (api_ != nullptr) api_->resource_updated(host_, detail::str(uri));
  }
  // Takes a tool of this plugin out of the host's list, or puts it back. False: it has no such.
  bool offer_tool(std::string_view name, bool on) const {
    const tp_plugin& plugin = *toolpost_plugin_v1();
    const auto* at = reinterpret_cast<const char*>(plugin.tools);
    for (std::uint32_t i = 0; i < plugin.tool_count; ++i, at += plugin.tool_stride) {
      if (detail::view(reinterpret_cast<const tp_tool*>(at)->name) != name) continue;
      return api_ != nullptr && api_->offer_tool(host_, i, on ? 1 : 0) == TP_OK;
    }
    return false;
  }

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
  void log(LogLevel level, std::string_view message, std::string_view fields = {}) const {
    api_->log(host_, static_cast<std::int32_t>(level), detail::str(message), detail::str(fields));
  }

  // The host's table for an extension id, NULL where it has none.
  template <class Api>
  const Api* extension(const char* id) const {
    return static_cast<const Api*>(api_->extension(host_, id));
  }

  Announce announce() const { return {extension<tp_announce_api>(TP_EXT_ANNOUNCE), host_}; }

  // What the plugin keeps. A call's own (Context::kv) ends with the call.
  Kv kv(const tp_call* call = nullptr, std::uint32_t scope = TP_KV_PLUGIN) const {
    return {extension<tp_kv_api>(TP_EXT_KV), host_, call, scope};
  }

  // A setting by its JSON pointer, like "/server/port"; nothing where there is none.
  std::optional<Json> setting(std::string_view pointer) const {
    const auto* config = extension<tp_config_api>(TP_EXT_CONFIG);
    const tp_str text = config == nullptr ? tp_str{} : config->get(host_, detail::str(pointer));
    if (text.ptr == nullptr) return std::nullopt;
    return Json{std::string(detail::view(text))};
  }
  // A secret of the plugin's `secrets` by its name; nothing where it may not have it, or it is not
  // set.
  std::optional<std::string> secret(std::string_view name) const {
    const auto* secrets = extension<tp_secrets_api>(TP_EXT_SECRETS);
    const tp_str text = secrets == nullptr ? tp_str{} : secrets->get(host_, detail::str(name));
    if (text.ptr == nullptr) return std::nullopt;
    return std::string(detail::view(text));
  }
  // Calls `act` once, or again and again, until the Timer goes away. Keep it.
  [[nodiscard]] Timer after(std::chrono::milliseconds delay, std::function<void()> act) const {
    return {extension<tp_timer_api>(TP_EXT_TIMER), host_, delay, {}, std::move(act)};
  }
  [[nodiscard]] Timer every(std::chrono::milliseconds period, std::function<void()> act) const {
    const auto at_least = period.count() < 1 ? std::chrono::milliseconds(1) : period;
    return {extension<tp_timer_api>(TP_EXT_TIMER), host_, at_least, at_least, std::move(act)};
  }

  const tp_host_api* api() const { return api_; }
  tp_host* id() const { return host_; }

 private:
  const tp_host_api* api_;
  tp_host* host_;
};

// One call: for the thread that runs it, until the call ends.
class Context {
  // First: what is deduced must stand before its use.
  auto asks_tool(std::string_view tool, std::string_view args) const {
    return detail::asks_tool(host_.extension<tp_call_tool_api>(TP_EXT_CALL_TOOL), host_.id(), call_,
                             tool, args);
  }

 public:
  Context(Host host, tp_call* call) : host_(host), call_(call) {}

  // Poll this in loops; check() throws Cancelled instead.
  bool cancelled() const { return api().cancelled(call_) != 0; }
  void check() const {
    if (cancelled()) throw Cancelled();
  }

  // Empty where the call may take as long as it likes.
  std::optional<std::chrono::steady_clock::time_point> deadline() const {
    const std::int64_t nanoseconds = api().deadline_ns(call_);
    if (nanoseconds == 0) return std::nullopt;
    return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(nanoseconds));
  }

  // How far the call is; total 0 where unknown. Throws Cancelled once the call should stop.
  void progress(double done, double total = 0, std::string_view message = {}) const {
    if (api().progress(call_, done, total, detail::str(message)) == TP_E_CANCELLED)
      throw Cancelled();
  }

  void log(LogLevel level, std::string_view message, std::string_view fields = {}) const {
    host_.log(level, message, fields);
  }

  // For the caller to watch, now; never part of the model's result.
  void partial(std::string_view text) const { push(TP_TEXT | TP_PARTIAL, {}, text); }
  template <Described T>
  void partial(const T& value) const {
    push(TP_JSON | TP_PARTIAL, {}, detail::to_json(value));
  }

  // Pushes a part of the result before the tool returns; kind is TP_TEXT ... TP_CONTENT with its
  // flags. Waits while the receiver is slow. Throws Cancelled once nobody waits for the result.
  void push(std::uint32_t kind, std::string_view mime, std::string_view bytes) const {
    tp_status status = TP_E_BUSY;
    for (;;) {
      status = api().result(call_, kind, detail::str(mime), detail::str(bytes));
      if (status != TP_E_BUSY) break;
      check();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (status == TP_E_CANCELLED) throw Cancelled();
    if (status == TP_E_NOMEM) throw v1::Error("the result is larger than the host allows");
    if (status < 0)
      throw std::runtime_error("the host did not take the result: " + std::to_string(status));
  }

  // What its client can be asked: TP_ASK_... bits.
  std::uint32_t abilities() const {
    const auto* api = asking();
    return api == nullptr ? 0 : api->abilities(call_);
  }

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
  std::string_view state() const {
    const auto* api = asking();
    return api == nullptr ? std::string_view() : detail::view(api->state(call_));
  }
  // For the next run, at most 16 KiB. The client never sees it.
  void keep(std::string_view state) const {
    const auto* api = asking();
    const tp_status status =
        api == nullptr ? TP_E_UNSUPPORTED : api->keep(call_, detail::str(state));
    if (status == TP_E_CANCELLED) throw Cancelled();
    if (status != TP_OK) throw std::runtime_error("the host did not keep the call's state");
  }

  // Who is calling, as the host knows it: empty where it does not say.
  std::string_view principal() const { return entry("principal"); }
  std::string_view agent() const { return entry("agent"); }
  std::string_view session() const { return entry("session"); }
  std::string_view request() const { return entry("request"); }
  std::string_view traceparent() const { return entry("traceparent"); }
  std::string_view tracestate() const { return entry("tracestate"); }
  std::string_view baggage() const { return entry("baggage"); }
  // A plain text that was given along with the call; nothing where there is none.
  std::optional<std::string_view> value(std::string_view key) const {
    const auto* context = host_.extension<tp_context_2_api>(TP_EXT_CONTEXT_2);
    const tp_str text = context == nullptr ? tp_str{} : context->value(call_, detail::str(key));
    if (text.ptr == nullptr) return std::nullopt;
    return detail::view(text);
  }
  // The entry of a type that was given along with the call, as JSON, or a text that the host itself
  // knows; empty where there is none.
  std::string_view entry(const char* key) const {
    if (const auto* more = host_.extension<tp_context_2_api>(TP_EXT_CONTEXT_2)) {
      const std::string_view json = detail::view(more->entry(call_, detail::str(key)));
      if (!json.empty() && json != "null") return json;
      return detail::view(more->text(call_, detail::str(key)));
    }
    const auto* context = host_.extension<tp_context_api>(TP_EXT_CONTEXT);
    return context == nullptr ? std::string_view() : detail::view(context->get(call_, key));
  }
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

  // What the plugin keeps, for all calls or for this call's session.
  Kv kv() const { return host_.kv(call_); }
  Kv session_kv() const { return host_.kv(call_, TP_KV_SESSION); }

  // Files that were given along with the call.
  Attachments attachments() const {
    return {host_.extension<tp_attachments_api>(TP_EXT_ATTACHMENTS), host_.id(), call_};
  }

  // Calls another tool as this call's principal, through the same gates, and waits. Throws
  // ServiceError where it did not come to the tool; a failure of the tool itself is a result.
  ToolResult call_tool(std::string_view tool, const Json& args = {"{}"}) const {
    return detail::read_tool_result(detail::wait_for_good(asks_tool(tool, args.text)).json);
  }
  template <Described T>
  ToolResult call_tool(std::string_view tool, const T& args) const {
    return call_tool(tool, Json{detail::to_json(args)});
  }
  // The same without waiting: ServiceAnswer::json is a CallToolResult.
  void call_tool(std::string_view tool, const Json& args, OnAnswer then) const {
    detail::answer_later(asks_tool(tool, args.text), std::move(then));
  }

  // Makes an HTTP request and waits for the response, whatever its status. Throws ServiceError
  // where there is none.
  HttpResponse http(const HttpRequest& request) const {
    return read_http(detail::wait_for_good(
        detail::asks_http(host_.extension<tp_http_api>(TP_EXT_HTTP), host_.id(), call_, request)));
  }
  // The same without waiting; read_http() reads an answer that is TP_OK.
  void http(const HttpRequest& request, OnAnswer then) const {
    detail::answer_later(
        detail::asks_http(host_.extension<tp_http_api>(TP_EXT_HTTP), host_.id(), call_, request),
        std::move(then));
  }

  const Host& host() const { return host_; }
  // The same for on_cancel() of the instance: a name for the call.
  tp_call* id() const { return call_; }

 private:
  const tp_host_api& api() const { return *host_.api(); }
  const tp_ask_api* asking() const { return host_.extension<tp_ask_api>(TP_EXT_ASK); }

  Host host_;
  tp_call* call_;
};

}  // namespace v1
}  // namespace toolpost
