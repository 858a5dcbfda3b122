#include "rest/wire/request_key.h"

#include <algorithm>
#include <utility>

#include "json/fault.h"
#include "json/json.h"
#include "json/own_text.h"
#include "router/step/arguments.h"
#include "router/step/idempotency.h"

namespace host::rest {
namespace {

constexpr std::string_view kInBody = "/idempotency_key";
constexpr std::string_view kInArguments = "/arguments/idempotency_key";
constexpr std::string_view kInInnerArguments = "/arguments/arguments/idempotency_key";

Result<void> check(const RequestKey& key) {
  if (key.text.empty()) return key.fault("must not be empty");
  if (key.text.size() <= router::kIdempotencyKeyBytes) return {};
  return key.fault("must have at most " + std::to_string(router::kIdempotencyKeyBytes) + " bytes");
}

// Reads a string of RFC 8941, without its quotes: the standard's form of the header.
Result<std::string> unquoted(const RequestKey& key) {
  std::string out;
  const std::string_view text = key.text;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      if (at + 1 == text.size()) return out;
      break;
    }
    if (text[at] == '\\' && ++at < text.size() && text[at] != '"' && text[at] != '\\') break;
    if (at < text.size()) out += text[at];
  }
  return key.fault("is not a valid string in quotes");
}

// A key without quotes is one as it stands: many clients send it so.
Result<RequestKey> read_header(const transport::HttpRequest& http) {
  RequestKey key;
  const std::string_view text = http.header("Idempotency-Key");
  if (!text.data()) return key;
  key.text = text;
  key.in_header = true;
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!printable) return key.fault("must have printable characters of ASCII alone");
  if (text.starts_with('"')) {
    HOST_TRY_ASSIGN(key.text, unquoted(key));
  }
  HOST_TRY(check(key));
  return key;
}

bool can_have_key(std::string_view arguments) {
  return arguments.find(router::kKeyMember) != std::string_view::npos ||
         arguments.find('\\') != std::string_view::npos;  // perhaps as an escape
}

Result<RequestKey> take_from(json::Value* arguments, const tool::Tool& tool,
                             std::string_view pointer) {
  RequestKey key;
  key.pointer = pointer;
  const bool is_tools_own = tool.declares_argument(router::kKeyMember);
  const json::Value* const member =
      arguments && !is_tools_own ? json::find(*arguments, router::kKeyMember) : nullptr;
  if (!member) return key;
  if (!member->IsNull()) {  // which is an absent key
    if (!member->IsString()) return key.fault("must be a string");
    key.text = json::text(*member);
    HOST_TRY(check(key));
  }
  arguments->RemoveMember("idempotency_key");
  return key;
}

std::string place_of(const RequestKey& key) {
  return key.in_header ? "the header Idempotency-Key" : std::string(key.pointer) + " of the body";
}

}  // namespace

Error RequestKey::fault(std::string_view why) const {
  if (!in_header) return json::fault_at(pointer, why);
  return {ErrorKind::InvalidArgument, "the header Idempotency-Key " + std::string(why)};
}

InnerCall inner_call_in(std::string_view arguments) {
  InnerCall inner;
  const auto tree = json::parse_own(arguments);
  if (!tree) return inner;
  inner.tool = json::find_text(tree->root(), "name");
  const json::Value* const given = json::find(tree->root(), "arguments");
  if (given && !given->IsNull()) inner.arguments = json::write(*given);
  return inner;
}

Result<RequestKey> take_request_key(const transport::HttpRequest& http, RequestBody& body,
                                    const tool::Tool& tool, const tool::Tool* inner) {
  HOST_TRY_ASSIGN(RequestKey key, read_header(http));
  RequestKey in_body;
  in_body.text = std::move(body.idempotency_key);
  in_body.pointer = kInBody;
  RequestKey in_arguments;
  RequestKey in_inner;
  if (can_have_key(body.arguments)) {
    HOST_TRY_ASSIGN(json::Document arguments, json::parse_own(body.arguments));
    HOST_TRY_ASSIGN(in_arguments, take_from(&arguments.root(), tool, kInArguments));
    if (inner) {
      json::Value* const of_inner = json::find(arguments.root(), "arguments");
      HOST_TRY_ASSIGN(in_inner, take_from(of_inner, *inner, kInInnerArguments));
    }
    body.arguments = json::write(arguments.root());
  }
  for (RequestKey* const next : {&in_body, &in_arguments, &in_inner}) {
    if (next->text.empty()) continue;
    if (!key.text.empty() && key.text != next->text)
      return next->fault(place_of(key) + " has another key");
    key = std::move(*next);
  }
  return key;
}

}  // namespace host::rest
