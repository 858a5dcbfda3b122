#include "rest/wire/request_body.h"

#include "rest/wire/body.h"
#include "router/step/idempotency.h"
#include "tool/call/sent_context.h"

namespace host::rest {
namespace {

constexpr std::size_t kMostIdBytes = 256;
constexpr std::size_t kMostErrorBytes = 64u << 10u;

void check_length(Members& root, std::string_view name, const std::string& text, std::size_t most) {
  if (text.size() > most) root.fault(name, "must have at most " + std::to_string(most) + " bytes");
}

CallerName read_caller(Members& root) {
  CallerName caller;
  caller.worker = root.text_if("worker").value_or("");
  caller.lease = root.number_if("lease");
  check_length(root, "worker", caller.worker, kMostIdBytes);
  return caller;
}

Result<std::string> read_call_context(const json::Value* given, bool may_send_context) {
  if (!given) return std::string();
  if (!may_send_context) {
    return Error{
        ErrorKind::Denied,
        "/context: needs a key with the scope \"context\". Leave it out, or use such a key"};
  }
  HOST_TRY_ASSIGN(const tool::SentContext sent, tool::read_sent_context(*given, "/context"));
  return tool::text_of(sent);
}

}  // namespace

Result<RequestBody> read_request_body(const transport::HttpRequest& http, bool may_send_context) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  RequestBody asked;
  asked.tool = root.text("name");
  const json::Value* const arguments = root.object_if("arguments");
  asked.arguments = arguments ? json::write(*arguments) : "{}";
  asked.tool_use_id = root.text_if("tool_use_id").value_or("");
  check_length(root, "tool_use_id", asked.tool_use_id, kMostIdBytes);
  if (const auto key = root.text_if("idempotency_key")) {
    asked.idempotency_key = *key;
    if (key->empty()) root.fault("idempotency_key", "must not be empty");
    check_length(root, "idempotency_key", asked.idempotency_key, router::kIdempotencyKeyBytes);
  }
  asked.webhooks = root.texts_if("webhooks").value_or(std::vector<std::string>());
  const json::Value* const context = root.any_if("context");
  HOST_TRY(body.end());
  HOST_TRY_ASSIGN(asked.context, read_call_context(context, may_send_context));
  return asked;
}

Result<HeartbeatBody> read_heartbeat_body(const transport::HttpRequest& http) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  HeartbeatBody beat;
  beat.failed = root.word("state", {"PROCESSING", "ERROR"}) == "ERROR";
  beat.client_clock = root.number_if("heartbeat");
  const auto error = root.text_if("error");
  beat.error = error.value_or("");
  if (beat.failed && beat.error.empty())
    root.fault("error", "is missing: a text that tells the model what failed");
  if (!beat.failed && error) root.fault("error", "is only allowed with the state ERROR");
  check_length(root, "error", beat.error, kMostErrorBytes);
  beat.caller = read_caller(root);
  HOST_TRY(body.end());
  return beat;
}

Result<ResponseBody> read_response_body(const transport::HttpRequest& http) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  ResponseBody given;
  if (const json::Value* const response = root.object("response"))
    given.response.root() = json::copy(*response, given.response.allocator());
  given.caller = read_caller(root);
  HOST_TRY(body.end());
  return given;
}

}  // namespace host::rest
