#include "transport/json_answer.h"

#include <utility>

#include "base/log.h"
#include "json/fault.h"
#include "json/object_text.h"
#include "transport/ascii.h"

namespace host::transport {
namespace {

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidArgument:
      return 422;
    case ErrorKind::NotFound:
      return 404;
    case ErrorKind::Denied:
      return 403;
    case ErrorKind::DeadlineExceeded:
      return 504;
    case ErrorKind::Unavailable:
    case ErrorKind::Io:  // the store, or another file of the host, cannot be read or written now
      return 503;
    default:
      return 500;
  }
}

// JSON-RPC 2.0, and MCP's for a server that is busy.
int code_of(int status) {
  if (status == 429 || status == 503) return -31001;
  return status >= 500 ? -32603 : -32600;
}

}  // namespace

std::string error_json(std::string_view kind, std::string_view message) {
  std::string error = "{";
  json::add_text(error, "kind", kind);
  json::add_text(error, "message", message);
  return "{\"error\":" + error + "}}";
}

std::string error_json(const Error& fault) {
  std::string error = "{";
  const ErrorKind kind = fault.kind == ErrorKind::Io ? ErrorKind::Unavailable : fault.kind;
  json::add_text(error, "kind", to_string(kind));
  json::add_text(error, "message", fault.message);
  const std::string_view pointer = json::pointer_of(fault);
  if (!pointer.empty()) json::add_text(error, "pointer", pointer);
  return "{\"error\":" + error + "}}";
}

std::string error_text(ErrorForm form, int status, std::string_view kind,
                       std::string_view message) {
  if (form == ErrorForm::Rest) return error_json(kind, message);
  std::string data = "{";
  json::add_text(data, "kind", kind);
  std::string error = "{";
  json::add_member(error, "code", std::to_string(code_of(status)));
  json::add_text(error, "message", message);
  json::add_member(error, "data", data + "}");
  return R"({"jsonrpc":"2.0","error":)" + error + "}}";
}

void answer_refusal(HttpExchange& exchange, const HttpRefusal& refusal, ErrorForm form) {
  exchange.respond(refusal.status, error_text(form, refusal.status, refusal.kind, refusal.message),
                   "application/json", refusal.headers);
}

void answer_json(HttpExchange& exchange, int status, std::string json, Headers headers) {
  headers.emplace_back("Cache-Control", "no-store");
  exchange.respond(status, std::move(json), "application/json", std::move(headers));
}

void answer_error(HttpExchange& exchange, int status, std::string_view kind,
                  std::string_view message) {
  answer_json(exchange, status, error_json(kind, message));
}

void answer_error(HttpExchange& exchange, const Error& error) {
  if (error.kind == ErrorKind::Io) {
    log::error("transport", "a request failed, because the host could not read or write its files",
               {{"reason", error.message}});
  }
  answer_json(exchange, status_of(error.kind), error_json(error));
}

void answer_wrong_method(HttpExchange& exchange, const std::string& allowed) {
  answer_json(exchange, 405, error_json("method_not_allowed", "use " + allowed),
              {{"Allow", allowed}});
}

bool is_json_type(std::string_view content_type) {
  constexpr std::string_view kJson = "application/json";
  const std::string_view type = content_type.substr(0, content_type.find_first_of("; \t"));
  return equal_ignoring_case(type, kJson);
}

}  // namespace host::transport
