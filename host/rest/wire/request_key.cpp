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

// The arguments are parsed only if they can have the member.
Result<RequestKey> take_from_arguments(std::string& text, const tool::Tool& tool) {
  RequestKey key;
  const bool can_have_key = text.find(router::kKeyMember) != std::string::npos ||
                            text.find('\\') != std::string::npos;  // perhaps as an escape
  if (!can_have_key || tool.declares_argument(router::kKeyMember)) return key;
  HOST_TRY_ASSIGN(json::Document arguments, json::parse_own(text));
  const json::Value* const member = json::find(arguments.root(), router::kKeyMember);
  if (!member) return key;
  key.pointer = kInArguments;
  if (!member->IsString()) return key.fault("must be a string");
  key.text = json::text(*member);
  HOST_TRY(check(key));
  arguments.root().RemoveMember("idempotency_key");
  text = json::write(arguments.root());
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

Result<RequestKey> take_request_key(const transport::HttpRequest& http, RequestBody& body,
                                    const tool::Tool& tool) {
  HOST_TRY_ASSIGN(RequestKey key, read_header(http));
  RequestKey in_body;
  in_body.text = std::move(body.idempotency_key);
  in_body.pointer = kInBody;
  HOST_TRY_ASSIGN(RequestKey in_arguments, take_from_arguments(body.arguments, tool));
  for (RequestKey* const next : {&in_body, &in_arguments}) {
    if (next->text.empty()) continue;
    if (!key.text.empty() && key.text != next->text)
      return next->fault(place_of(key) + " has another key");
    key = std::move(*next);
  }
  return key;
}

}  // namespace host::rest
