// The bodies of context.hpp.
#pragma once

#include <stdexcept>
#include <thread>

#include "toolpost/detail/context.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE void Announce::resources_changed() const {
  if (api_ != nullptr) api_->resources_changed(host_);
}

TOOLPOST_INLINE void Announce::prompts_changed() const {
  if (api_ != nullptr) api_->prompts_changed(host_);
}

TOOLPOST_INLINE void Announce::resource_updated(std::string_view uri) const {
  if (api_ != nullptr) api_->resource_updated(host_, detail::str(uri));
}

TOOLPOST_INLINE bool Announce::offer_tool(std::string_view name, bool on) const {
  const tp_plugin& plugin = *toolpost_plugin_v1();
  const auto* at = reinterpret_cast<const char*>(plugin.tools);
  for (std::uint32_t i = 0; i < plugin.tool_count; ++i, at += plugin.tool_stride) {
    if (detail::view(reinterpret_cast<const tp_tool*>(at)->name) != name) continue;
    return api_ != nullptr && api_->offer_tool(host_, i, on ? 1 : 0) == TP_OK;
  }
  return false;
}

TOOLPOST_INLINE void Host::log(LogLevel level, std::string_view message,
                               std::string_view fields) const {
  api_->log(host_, static_cast<std::int32_t>(level), detail::str(message), detail::str(fields));
}

TOOLPOST_INLINE const KeptValue* SessionState::kept(std::string_view key) const {
  for (const KeptValue& each : kv) {
    if (each.key == key) return &each;
  }
  return nullptr;
}

TOOLPOST_INLINE Kv Host::kv(const tp_call* call, std::uint32_t scope) const {
  return {extension<tp_kv_api>(TP_EXT_KV), host_, call, scope};
}

TOOLPOST_INLINE std::optional<Json> Host::setting(std::string_view pointer) const {
  const auto* config = extension<tp_config_api>(TP_EXT_CONFIG);
  const tp_str text = config == nullptr ? tp_str{} : config->get(host_, detail::str(pointer));
  if (text.ptr == nullptr) return std::nullopt;
  return Json{std::string(detail::view(text))};
}

TOOLPOST_INLINE std::optional<std::string> Host::secret(std::string_view name) const {
  const auto* secrets = extension<tp_secrets_api>(TP_EXT_SECRETS);
  const tp_str text = secrets == nullptr ? tp_str{} : secrets->get(host_, detail::str(name));
  if (text.ptr == nullptr) return std::nullopt;
  return std::string(detail::view(text));
}

TOOLPOST_INLINE Timer Host::after(std::chrono::milliseconds delay,
                                  std::function<void()> act) const {
  return {extension<tp_timer_api>(TP_EXT_TIMER), host_, delay, {}, std::move(act)};
}

TOOLPOST_INLINE Timer Host::every(std::chrono::milliseconds period,
                                  std::function<void()> act) const {
  const auto at_least = period.count() < 1 ? std::chrono::milliseconds(1) : period;
  return {extension<tp_timer_api>(TP_EXT_TIMER), host_, at_least, at_least, std::move(act)};
}

TOOLPOST_INLINE Announce Host::announce() const {
  return {extension<tp_announce_api>(TP_EXT_ANNOUNCE), host_};
}

TOOLPOST_INLINE void Context::check() const {
  if (cancelled()) throw Cancelled();
}

TOOLPOST_INLINE std::optional<std::chrono::steady_clock::time_point> Context::deadline() const {
  const std::int64_t nanoseconds = api().deadline_ns(call_);
  if (nanoseconds == 0) return std::nullopt;
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(nanoseconds));
}

TOOLPOST_INLINE void Context::progress(double done, double total, std::string_view message) const {
  if (api().progress(call_, done, total, detail::str(message)) == TP_E_CANCELLED) throw Cancelled();
}

TOOLPOST_INLINE void Context::log(LogLevel level, std::string_view message,
                                  std::string_view fields) const {
  host_.log(level, message, fields);
}

TOOLPOST_INLINE void Context::partial(std::string_view text) const {
  push(TP_TEXT | TP_PARTIAL, {}, text);
}

TOOLPOST_INLINE void Context::push(std::uint32_t kind, std::string_view mime,
                                   std::string_view bytes) const {
  tp_status status = TP_E_BUSY;
  for (;;) {
    status = api().result(call_, kind, detail::str(mime), detail::str(bytes));
    if (status != TP_E_BUSY) break;
    check();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (status == TP_E_CANCELLED) throw Cancelled();
  if (status == TP_E_NOMEM) throw v1::Error("the result is larger than the host allows");
  if (status == TP_E_INVALID)
    throw std::runtime_error(
        "the host did not take the result: it is not valid JSON or UTF-8 text, "
        "or does not fit here");
  if (status < 0)
    throw std::runtime_error("the host did not take the result: " + std::to_string(status));
}

TOOLPOST_INLINE std::uint32_t Context::abilities() const {
  const auto* api = asking();
  return api == nullptr ? 0 : api->abilities(call_);
}

TOOLPOST_INLINE std::string_view Context::state() const {
  const auto* api = asking();
  return api == nullptr ? std::string_view() : detail::view(api->state(call_));
}

TOOLPOST_INLINE void Context::keep(std::string_view state) const {
  const auto* api = asking();
  const tp_status status = api == nullptr ? TP_E_UNSUPPORTED : api->keep(call_, detail::str(state));
  if (status == TP_E_CANCELLED) throw Cancelled();
  if (status != TP_OK) throw std::runtime_error("the host did not keep the call's state");
}

TOOLPOST_INLINE std::optional<std::string_view> Context::value(std::string_view key) const {
  const auto* context = host_.extension<tp_context_api>(TP_EXT_CONTEXT);
  const tp_str text = context == nullptr ? tp_str{} : context->value(call_, detail::str(key));
  if (text.ptr == nullptr) return std::nullopt;
  return detail::view(text);
}

// Returns only texts of the host, never an entry: a client can send an entry with any name.
TOOLPOST_INLINE std::string_view Context::fact(const char* key) const {
  const auto* context = host_.extension<tp_context_api>(TP_EXT_CONTEXT);
  if (context == nullptr) return {};
  return detail::view(context->text(call_, detail::str(key)));
}

TOOLPOST_INLINE std::string_view Context::entry(const char* type) const {
  const auto* context = host_.extension<tp_context_api>(TP_EXT_CONTEXT);
  if (context == nullptr) return {};
  const std::string_view json = detail::view(context->entry(call_, detail::str(type)));
  return json == "null" ? std::string_view() : json;
}

TOOLPOST_INLINE Kv Context::kv() const {
  return host_.kv(call_);
}

TOOLPOST_INLINE Kv Context::session_kv() const {
  return host_.kv(call_, TP_KV_SESSION);
}

TOOLPOST_INLINE Attachments Context::attachments() const {
  return {host_.extension<tp_attachments_api>(TP_EXT_ATTACHMENTS), host_.id(), call_};
}

TOOLPOST_INLINE History Context::history() const {
  return {host_.extension<tp_history_api>(TP_EXT_HISTORY), host_.id(), call_};
}

TOOLPOST_INLINE ToolResult Context::call_tool(std::string_view tool, const Json& args) const {
  return detail::read_tool_result(detail::wait_for_good([&](const tp_reply* reply) {
                                    return ask_tool(tool, args.text, reply);
                                  }).json);
}

TOOLPOST_INLINE void Context::call_tool(std::string_view tool, const Json& args,
                                        OnAnswer then) const {
  detail::answer_later([&](const tp_reply* reply) { return ask_tool(tool, args.text, reply); },
                       std::move(then));
}

TOOLPOST_INLINE HttpResponse Context::http(const HttpRequest& request) const {
  const std::string json = detail::write_request(request);
  return read_http(detail::wait_for_good(
      [&](const tp_reply* reply) { return ask_http(json, request.body, reply); }));
}

TOOLPOST_INLINE void Context::http(const HttpRequest& request, OnAnswer then) const {
  const std::string json = detail::write_request(request);
  detail::answer_later([&](const tp_reply* reply) { return ask_http(json, request.body, reply); },
                       std::move(then));
}

TOOLPOST_INLINE tp_status Context::ask_tool(std::string_view tool, std::string_view args,
                                            const tp_reply* reply) const {
  const auto* api = host_.extension<tp_call_tool_api>(TP_EXT_CALL_TOOL);
  if (api == nullptr) return TP_E_UNSUPPORTED;
  return api->call(host_.id(), call_, detail::str(tool), detail::str(args), reply);
}

TOOLPOST_INLINE tp_status Context::ask_http(std::string_view json, std::string_view body,
                                            const tp_reply* reply) const {
  const auto* api = host_.extension<tp_http_api>(TP_EXT_HTTP);
  if (api == nullptr) return TP_E_UNSUPPORTED;
  return api->request(host_.id(), call_, detail::str(json), detail::str(body), reply);
}

TOOLPOST_INLINE const tp_ask_api* Context::asking() const {
  return host_.extension<tp_ask_api>(TP_EXT_ASK);
}

}  // namespace v1
}  // namespace toolpost
