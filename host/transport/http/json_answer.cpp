#include "transport/http/json_answer.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "json/object_text.h"
#include "transport/ascii.h"

namespace host::transport {
namespace {

// JSON-RPC 2.0, and MCP's for a server that is busy.
int code_of(int status) {
  if (status == 429 || status == 503) return -31001;
  return status >= 500 ? -32603 : -32600;
}

// `parameters` of a content type. Bodies are read as UTF-8, so another `charset` would be misread.
bool is_in_utf8(std::string_view parameters) {
  constexpr std::string_view kCharset = "charset=";
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    std::string_view one = parameters.substr(0, end);
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
    while (!one.empty() && (one.front() == ' ' || one.front() == '\t')) one.remove_prefix(1);
    while (!one.empty() && (one.back() == ' ' || one.back() == '\t')) one.remove_suffix(1);
    if (!equal_ignoring_case(one.substr(0, kCharset.size()), kCharset)) continue;
    const std::string_view charset = one.substr(kCharset.size());
    const bool is_utf8 = equal_ignoring_case(charset, "utf-8") ||
                         equal_ignoring_case(charset, "\"utf-8\"") ||
                         equal_ignoring_case(charset, "utf8");
    if (!is_utf8) return false;
  }
  return true;
}

}  // namespace

std::string error_data(Problem problem) {
  std::string data = "{";
  json::add_text(data, "type", type_uri(type_of(problem)));
  return data + "}";
}

std::string error_text(ErrorForm form, Problem problem, std::string_view message) {
  if (form == ErrorForm::Rest) return problem_json(problem, message);
  std::string error = "{";
  json::add_member(error, "code", std::to_string(code_of(type_of(problem).status)));
  json::add_text(error, "message", message);
  json::add_member(error, "data", error_data(problem));
  return R"({"jsonrpc":"2.0","error":)" + error + "}}";
}

std::string_view error_content_type(ErrorForm form) {
  return form == ErrorForm::Rest ? kProblemJson : "application/json";
}

void answer_refusal(HttpExchange& exchange, const HttpRefusal& refusal, ErrorForm form) {
  exchange.respond(type_of(refusal.problem).status,
                   error_text(form, refusal.problem, refusal.message), error_content_type(form),
                   refusal.headers);
}

void answer_json(HttpExchange& exchange, int status, std::string json, Headers headers) {
  headers.emplace_back("Cache-Control", "no-store");
  exchange.respond(status, std::move(json), "application/json", std::move(headers));
}

void answer_problem(HttpExchange& exchange, Problem problem, std::string json, Headers headers) {
  headers.emplace_back("Cache-Control", "no-store");
  exchange.respond(type_of(problem).status, std::move(json), kProblemJson, std::move(headers));
}

void answer_error(HttpExchange& exchange, Problem problem, std::string_view message,
                  Headers headers) {
  answer_problem(exchange, problem, problem_json(problem, message), std::move(headers));
}

void answer_error(HttpExchange& exchange, const Error& error) {
  if (error.kind == ErrorKind::Io) {
    log::error("transport", "a request failed, because the host could not read or write its files",
               {{"reason", error.message}});
  }
  answer_problem(exchange, problem_of(error.kind), problem_json(error));
}

void answer_wrong_method(HttpExchange& exchange, const std::string& allowed) {
  // HEAD is possible wherever GET is.
  const bool has_get = allowed.find("GET") != std::string::npos;
  answer_error(exchange, Problem::MethodNotAllowed, "use " + allowed,
               {{"Allow", has_get ? allowed + ", HEAD" : allowed}});
}

bool is_json_type(std::string_view content_type) {
  constexpr std::string_view kJson = "application/json";
  const std::string_view type = content_type.substr(0, content_type.find_first_of("; \t"));
  if (!equal_ignoring_case(type, kJson)) return false;
  const std::size_t parameters = content_type.find(';');
  return parameters == std::string_view::npos || is_in_utf8(content_type.substr(parameters + 1));
}

}  // namespace host::transport
