#include "plugin/services/call_tool.h"

#include <string>
#include <utility>

#include "json/json.h"
#include "json/own_text.h"
#include "plugin/services/status.h"

namespace host::plugin {
namespace {

std::string as_json(const tool::CallResult& result) {
  std::string json = "{\"content\":[" + result.content + "]";
  if (!result.structured.empty()) json += ",\"structuredContent\":" + result.structured;
  if (!result.meta.empty()) json += ",\"_meta\":{" + result.meta + "}";
  return json + (result.is_error ? ",\"isError\":true}" : ",\"isError\":false}");
}

// The words of an error result, for who gets no result.
std::string words_of(const tool::CallResult& result) {
  const auto tree = json::parse_own("[" + result.content + "]");
  std::string words;
  if (!tree) return words;
  for (const json::Value& block : tree->root().GetArray()) {
    words += (words.empty() ? "" : "\n") + std::string(json::find_text(block, "text"));
  }
  return words;
}

// What stopped it on its road, by the road's own words; TP_OK: it came to its tool.
tp_status stopped_by(std::string_view outcome) {
  if (outcome == "denied" || outcome == "needs_approval" || outcome == "asked") return TP_E_DENIED;
  if (outcome == "would_deadlock") return TP_E_DENIED;
  return outcome == "busy" || outcome == "limit_reached" ? TP_E_BUSY : TP_OK;
}

HostAnswer answer_to(const tool::Call& call, const Result<tool::CallResult>& result) {
  if (!result) return {status_of(result.error().kind), 0, {}, result.error().message};
  if (const tp_status stopped = stopped_by(call.outcome); stopped != TP_OK) {
    return {stopped, 0, {}, words_of(*result)};
  }
  if (result->round || !result->lacking.empty()) {
    return {TP_E_DENIED,
            0,
            {},
            "\"" + call.name + "\" has to ask its client, but a nested call cannot ask"};
  }
  return {TP_OK, result->is_error ? 1u : 0u, as_json(*result), {}};
}

tool::Caller caller_of(const tool::Invocation& by) {
  const tool::Caller* const above = by.passport->caller.get();
  return {by.passport, by.tool, by.deadline, above ? above->depth + 1 : 1};
}

}  // namespace

void CallToolService::offer_in(ServiceTable& table) const {
  table.add(ServiceId::CallTool, [run = run_, number = std::make_shared<std::uint64_t>(0)](
                                     const std::shared_ptr<ServiceCall>& asked) {
    const tool::Invocation* const by = asked->call.get();
    if (!by || !by->tool || by->function != tool::Function::Call) {
      return asked->fail(TP_E_UNSUPPORTED, "only the call of a tool can call a tool");
    }
    BodyReader body(asked->bytes);
    const std::string name(body.text());
    const std::string_view text = body.rest();
    if (!body.ok()) return asked->fail(TP_E_INVALID, "a malformed request");
    auto arguments = json::parse(text.empty() ? "{}" : text);
    if (!arguments || !arguments->root().IsObject()) {
      return asked->fail(TP_E_INVALID, "the arguments are not one JSON object");
    }
    const tool::Caller outer = caller_of(*by);
    if (outer.depth >= tool::kMostNested) {
      return asked->fail(TP_E_DENIED, "calls stand " + std::to_string(tool::kMostNested) +
                                          " deep within each other: no deeper");
    }
    auto call = std::make_shared<tool::Call>();
    call->passport = tool::passport_of_nested(outer, ++*number);
    call->name = name;
    call->arguments = *std::move(arguments);
    call->cancel = asked->cancel;
    run(call, [asked, call](const Result<tool::CallResult>& result) {
      asked->answer(answer_to(*call, result));
    });
  });
}

}  // namespace host::plugin
