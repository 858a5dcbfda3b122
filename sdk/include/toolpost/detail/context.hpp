// What a call and an instance can ask of the host.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "toolpost/detail/error.hpp"
#include "toolpost/detail/fields.hpp"
#include "toolpost/ext/context.h"
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

  const tp_host_api* api() const { return api_; }

 private:
  const tp_host_api* api_;
  tp_host* host_;
};

// One call: for the thread that runs it, until the call ends.
class Context {
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

  // Who is calling, as the host knows it: empty where it does not say.
  std::string_view principal() const { return entry("principal"); }
  std::string_view session() const { return entry("session"); }
  std::string_view request() const { return entry("request"); }
  std::string_view traceparent() const { return entry("traceparent"); }

  const Host& host() const { return host_; }
  // The same for on_cancel() of the instance: a name for the call.
  tp_call* id() const { return call_; }

 private:
  const tp_host_api& api() const { return *host_.api(); }

  std::string_view entry(const char* key) const {
    const auto* context = host_.extension<tp_context_api>(TP_EXT_CONTEXT);
    return context == nullptr ? std::string_view() : detail::view(context->get(call_, key));
  }

  Host host_;
  tp_call* call_;
};

}  // namespace v1
}  // namespace toolpost
