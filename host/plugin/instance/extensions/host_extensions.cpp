#include "plugin/instance/extensions/host_extensions.h"

#include <toolpost/ext/announce.h>
#include <toolpost/ext/ask.h>
#include <toolpost/ext/context.h>

#include <string>

#include "base/text/encoding.h"
#include "plugin/instance/abi_text.h"
#include "plugin/instance/call_table.h"
#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

constexpr tp_str kNone = {nullptr, 0};

CallTable& table() {
  return CallTable::of_process();
}

// A text of the passport by its name in tp.context/1.
const std::string* text_of(const tool::Passport& passport, std::string_view name) {
  if (name == "principal") return &passport.who.principal;
  if (name == "agent") return &passport.who.agent;
  if (name == "session") return &passport.who.session;
  if (name == "request") return &passport.call;
  if (name == "traceparent") return &passport.trace.parent;
  if (name == "tracestate") return &passport.trace.state;
  if (name == "baggage") return &passport.trace.baggage;
  return nullptr;
}

tp_str lend_text(const CallInfo& info, std::string_view name) {
  const std::string* const text = info.passport ? text_of(*info.passport, name) : nullptr;
  return text && !text->empty() ? lend(*text) : kNone;
}

// Null: nothing was sent along.
const tool::CallContext* given_with(const CallInfo& info) {
  return info.passport ? info.passport->given.get() : nullptr;
}

// ---- tp.context/1

tp_str context_text(const tp_call* call, tp_str key) {
  if (!readable(key)) return kNone;
  const auto pick = [wanted = view(key)](CallSink&, CallInfo& info) -> tp_str {
    return lend_text(info, wanted);
  };
  return table().with(call, pick).value_or(kNone);
}

tp_str context_value(const tp_call* call, tp_str key) {
  if (!readable(key)) return kNone;
  const auto pick = [wanted = view(key)](CallSink&, CallInfo& info) -> tp_str {
    const tool::CallContext* const given = given_with(info);
    if (!given) return kNone;
    const auto at = given->values.find(wanted);
    return at == given->values.end() ? kNone : lend(at->second);
  };
  return table().with(call, pick).value_or(kNone);
}

tp_str context_entry(const tp_call* call, tp_str type) {
  constexpr tp_str kNull = TP_STR("null");
  if (!readable(type)) return kNull;
  const auto pick = [wanted = view(type), kNull](CallSink&, CallInfo& info) -> tp_str {
    const tool::CallContext* const given = given_with(info);
    if (!given) return kNull;
    const auto at = given->entries.find(wanted);
    return at == given->entries.end() ? kNull : lend(at->second);
  };
  return table().with(call, pick).value_or(kNone);
}

// ---- tp.ask/1

std::uint32_t abilities(const tp_call* call) {
  return table().with(call, [](CallSink&, CallInfo& info) { return info.abilities; }).value_or(0);
}

tp_str answer(const tp_call* call, tp_str key) {
  if (!readable(key)) return kNone;
  const auto pick = [key](CallSink&, CallInfo& info) -> tp_str {
    if (!info.continuation) return kNone;
    const auto at = info.continuation->answers.find(view(key));
    return at == info.continuation->answers.end() ? kNone : lend(at->second);
  };
  return table().with(call, pick).value_or(kNone);
}

tp_status ask(tp_call* call, tp_str key, tp_str method, tp_str params) {
  if (!readable(key) || !readable(method) || !readable(params)) return TP_E_INVALID;
  const auto act = [&](CallSink& sink, CallInfo&) {
    return sink.ask(view(key), view(method), view(params));
  };
  return table().with(call, act).value_or(TP_E_CANCELLED);
}

tp_str state(const tp_call* call) {
  const auto pick = [](CallSink&, CallInfo& info) -> tp_str {
    return info.continuation ? lend(info.continuation->state) : kNone;
  };
  return table().with(call, pick).value_or(kNone);
}

tp_status keep(tp_call* call, tp_str bytes) {
  if (!readable(bytes)) return TP_E_INVALID;
  const auto act = [&](CallSink& sink, CallInfo&) { return sink.keep(view(bytes)); };
  return table().with(call, act).value_or(TP_E_CANCELLED);
}

// ---- tp.announce/1

NewsBoard& board(tp_host* host) {
  return Instance::of(host).news();
}

void resources_changed(tp_host* host) {
  board(host).tell([](News& news) { news.resources = true; });
}

void prompts_changed(tp_host* host) {
  board(host).tell([](News& news) { news.prompts = true; });
}

void resource_updated(tp_host* host, tp_str uri) {
  const bool sound =
      readable(uri) && uri.len > 0 && uri.len <= News::kMostUriBytes && is_utf8(view(uri));
  if (!sound) return;
  board(host).tell([&](News& news) { news.add_updated(view(uri)); });
}

tp_status offer_tool(tp_host* host, std::uint32_t tool, std::int32_t on) {
  if (tool >= Instance::of(host).tool_count()) return TP_E_INVALID;
  board(host).tell([&](News& news) { news.tools[tool] = on != 0; });
  return TP_OK;
}

constexpr tp_context_api kContext = {sizeof(tp_context_api), 0, &context_text, &context_value,
                                     &context_entry};
constexpr tp_ask_api kAsk = {sizeof(tp_ask_api), 0, &abilities, &answer, &ask, &state, &keep};
constexpr tp_announce_api kAnnounce = {sizeof(tp_announce_api), 0,
                                       &resources_changed,      &prompts_changed,
                                       &resource_updated,       &offer_tool};

}  // namespace

const void* host_extension(std::string_view id) {
  if (id == TP_EXT_CONTEXT) return &kContext;
  if (id == TP_EXT_ARGS) return &kArgsTable;
  if (id == TP_EXT_ASK) return &kAsk;
  if (id == TP_EXT_ANNOUNCE) return &kAnnounce;
  if (id == TP_EXT_KV) return &kKvTable;
  if (id == TP_EXT_CALL_TOOL) return &kCallToolTable;
  if (id == TP_EXT_HTTP) return &kHttpTable;
  if (id == TP_EXT_CONFIG) return &kConfigTable;
  if (id == TP_EXT_SECRETS) return &kSecretsTable;
  if (id == TP_EXT_METRICS) return &kMetricsTable;
  if (id == TP_EXT_ATTACHMENTS) return &kAttachmentsTable;
  if (id == TP_EXT_HISTORY) return &kHistoryTable;
  if (id == TP_EXT_TIMER) return &kTimerTable;
  return nullptr;
}

}  // namespace host::plugin
