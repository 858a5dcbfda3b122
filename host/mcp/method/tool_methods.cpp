#include "mcp/method/tool_methods.h"

#include <string>
#include <utility>

#include "json/own_text.h"
#include "mcp/method/long_call.h"
#include "mcp/method/task_methods.h"
#include "protocol/mcp.h"
#include "protocol/tasks.h"
#include "router/step/idempotency.h"
#include "tool/definition/call_tool.h"
#include "tool/provider/provider.h"

namespace host::mcp {
namespace {

// No tool has a longer name. The call's events, which can be stored for days, contain its name.
constexpr std::size_t kMostNameBytes = 4096;

bool is_idempotency_key(const json::Value& key) {
  return key.IsString() && key.GetStringLength() > 0 &&
         key.GetStringLength() <= router::kIdempotencyKeyBytes;
}

std::string words_of(const tool::CallResult& result) {
  const auto blocks = json::parse_own("[" + result.content + "]");
  const json::Value* const text = blocks ? json::at(blocks->root(), "/0/text") : nullptr;
  return text ? std::string(json::text(*text)) : "invalid arguments";
}

// The state of an upstream is of no use to another server. So nobody is asked to approve a call
// that cannot continue.
std::string definition_and_server(const tool::Route& route) {
  if (!route.tool) return {};
  const bool is_upstream = route.provider && route.provider->identity().is_upstream();
  return route.tool->digest() + (is_upstream ? route.provider->identity().build : std::string());
}

// Results and tools may have members that a version does not know: a caller that named no version
// gets objects.
protocol::Structured structured_of(const Request& request) {
  return request.bare ? protocol::Structured::Object
                      : protocol::features(request.version).structured;
}

}  // namespace

Reply ToolMethods::list(const Request& request) const {
  const ToolService::Listing listing = services_.tools.list(request.who);
  const auto page = pages_.cut(
      request, listing.tools, [](const tool::Tool* tool) -> auto& { return tool->name(); },
      [&](const tool::Tool* tool, std::string& out) {
        protocol::append_tool(*tool, request.version, structured_of(request), out);
      });
  if (!page) return unknown_cursor(request.message.id);
  Reply reply;
  reply.text = protocol::list_answer(request.message.id, "tools", page->entries, page->next,
                                     request.version, infos_.of(request.version));
  return reply;
}

// Takes the request's tree: its arguments become the call's without a copy. Pointers into it stay
// good as long as the call keeps its arguments.
awaitable<Reply> ToolMethods::call(Request& request) {
  const protocol::Id& id = request.message.id;
  const json::Value* const name = request.param("name");
  if (!name || !name->IsString()) {
    co_return invalid_params(id, "tools/call needs \"name\", a string");
  }
  if (name->GetStringLength() > kMostNameBytes) {
    co_return invalid_params(
        id, "\"name\" must have at most " + std::to_string(kMostNameBytes) + " bytes");
  }
  json::Value* const arguments = json::find(*request.message.params, "arguments");
  const bool absent = !arguments || arguments->IsNull();
  if (!absent && !arguments->IsObject()) {
    co_return invalid_params(id, "\"arguments\" must be an object");
  }
  const json::Value* key = request.envelope.idempotency_key;
  if (key && key->IsNull()) key = nullptr;  // as an absent one
  if (key && !is_idempotency_key(*key)) {
    co_return invalid_params(id, "/_meta/idempotency_key: must be a string of 1 to " +
                                     std::to_string(router::kIdempotencyKeyBytes) + " bytes");
  }
  const bool follows_tasks = protocol::features(request.version).stateless &&
                             protocol::follows_tasks(request.envelope.capabilities);
  tool::Call call;
  call.name = json::text(*name);
  if (key) call.idempotency_key = json::text(*key);
  json::Value taken(rapidjson::kObjectType);
  if (!absent) taken = std::move(*arguments);
  call.arguments = std::move(request.tree);
  call.arguments.root() = std::move(taken);
  call.route = std::exchange(request.route, {});
  if (!call.route) call.route = services_.tools.find(request.who, call.name);
  const std::shared_ptr<const tool::Tool> tool = call.route.tool;
  const std::string definition = tool ? definition_of(request, call) : std::string();
  const tool::TaskUse use = tool ? tool->declared().tasks : tool::TaskUse::Never;
  if (use == tool::TaskUse::Never || !follows_tasks) {
    if (use == tool::TaskUse::Needed) co_return without_task(request, call);
    Reply reply = co_await runner_.run(request, call, definition, *this);
    co_return reply;
  }
  LongCall long_call(services_, infos_, runner_, *this, *tool);
  Reply reply = co_await runner_.run(request, call, definition, long_call);
  co_return reply;
}

void ToolMethods::resume(LongCall::Resumed resumed) const {
  LongCall::resume(services_, runner_, *this, std::move(resumed));
}

// A call of call_tool asks what the tool asks that its arguments name.
std::string ToolMethods::definition_of(const Request& request, const tool::Call& call) const {
  const std::string own = definition_and_server(call.route);
  if (call.route.tool->name() != tool::kCallTool) return own;
  const std::string inner(json::find_text(call.arguments.root(), "name"));
  return own + definition_and_server(services_.tools.find(request.who, inner));
}

// Versions with sessions have no word for what their client would have to follow.
Reply ToolMethods::without_task(const Request& request, const tool::Call& call) const {
  const std::string what = "tool \"" + call.name + "\"";
  if (protocol::features(request.version).stateless) return needs_tasks(request, what);
  Reply reply;
  reply.text = answer(
      request, call,
      tool::CallResult::error(what + " runs as a task only, which needs a client of MCP 2026-07-28 "
                                     "with the extension io.modelcontextprotocol/tasks."));
  return reply;
}

awaitable<Result<tool::CallResult>> ToolMethods::run(tool::Call& call) {
  return services_.tools.call(call);
}

std::string ToolMethods::answer(const Request& request, const tool::Call& call,
                                const tool::CallResult& result) const {
  if (call.outcome == tool::kBadArguments && tells_codes(services_.config, request)) {
    return protocol::error_text(request.message.id, protocol::kInvalidParams, words_of(result));
  }
  return protocol::call_answer(request.message.id, result, request.version,
                               infos_.of(request.version), structured_of(request));
}

// What the model can read and work around is a result.
Reply ToolMethods::failure(const Request& request, const tool::Call& call,
                           const Error& error) const {
  if (error.kind == ErrorKind::NotFound) {
    const int code = tells_codes(services_.config, request) ? protocol::kMethodNotFound
                                                            : protocol::kInvalidParams;
    return refuse({code, error.message, request.message.id, {}});
  }
  Reply reply;
  reply.text = answer(request, call, tool::CallResult::error(error.message));
  return reply;
}

}  // namespace host::mcp
