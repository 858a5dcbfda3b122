#include "rest/describe/operation.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "json/object_text.h"
#include "rest/route/route_table.h"
#include "transport/http/problem.h"

namespace host::rest {
namespace {

using json::Value;
using transport::Problem;

// Found before a route is, so they are answers of every operation.
constexpr std::string_view kOfEveryRequest =
    "An error that is found before the operation is: malformed HTTP, a Host that is not allowed, a "
    "timeout, or a body that is too large.";

std::string schema_content(std::string_view type, std::string_view schema) {
  std::string media = "{";
  json::add_member(media, "schema", schema);
  std::string out = "{";
  json::add_member(out, type, media + "}");
  return out + "}";
}

std::string parameter_json(std::string_view in, std::string_view name, std::string_view schema) {
  std::string out = "{";
  json::add_text(out, "name", name);
  json::add_text(out, "in", in);
  if (in == "path") json::add_bool(out, "required", true);
  json::add_member(out, "schema", schema);
  return out + "}";
}

void append(std::string& list, const std::string& one) {
  list += (list.size() > 1 ? "," : "") + one;
}

std::string parameters_json(std::string_view path, const Value& described) {
  std::string out = "[";
  for (std::size_t at = path.find('{'); at != path.npos; at = path.find('{', at + 1)) {
    const std::string_view name = path.substr(at + 1, path.find('}', at) - at - 1);
    append(out, parameter_json("path", name, R"({"type":"string","minLength":1})"));
  }
  const auto add_each = [&](std::string_view member, std::string_view in) {
    const Value* const given = json::find(described, member);
    if (!given) return;
    for (const auto& one : given->GetObject())
      append(out, parameter_json(in, json::text(one.name), json::write(one.value)));
  };
  add_each("query", "query");
  add_each("headers", "header");
  return out + "]";
}

bool is_true(const Value& described, std::string_view member) {
  const Value* const flag = json::find(described, member);
  return flag && flag->IsTrue();
}

// Empty: the operation has no body.
std::string body_json(const Value& described) {
  std::string out = "{";
  if (is_true(described, "bytes_in")) {
    json::add_bool(out, "required", true);
    json::add_member(out, "content", schema_content("application/octet-stream", "{}"));
    return out + "}";
  }
  const Value* const body = json::find(described, "body");
  if (!body) return {};
  json::add_bool(out, "required", !is_true(described, "body_optional"));
  std::string media = "{";
  json::add_member(media, "schema", json::write(*body));
  if (const Value* const example = json::find(described, "example"))
    json::add_member(media, "example", json::write(*example));
  json::add_member(out, "content", R"({"application/json":)" + media + "}}");
  return out + "}";
}

// `headers`: names in response_headers_json().
std::string answer_json(std::string_view description, const std::vector<std::string_view>& headers,
                        const std::string& content) {
  std::string out = "{";
  json::add_text(out, "description", description);
  std::string each = "{";
  for (const std::string_view name : headers)
    json::add_member(each, name, R"({"$ref":"#/components/headers/)" + std::string(name) + "\"}");
  json::add_member(out, "headers", each + "}");
  if (!content.empty()) json::add_member(out, "content", content);
  return out + "}";
}

// The headers of an answer that succeeds. A description names those of its operation.
std::vector<std::string_view> headers_of_success(const Value& described) {
  std::vector<std::string_view> names = {"RateLimit", "RateLimit-Policy"};
  if (is_true(described, "bytes_out")) names.push_back("Repr-Digest");
  if (const Value* const more = json::find(described, "answer_headers")) {
    for (const Value& name : more->GetArray()) names.push_back(json::text(name));
  }
  return names;
}

// 0: any other status.
std::vector<std::string_view> headers_of_failure(int status) {
  std::vector<std::string_view> names = {"RateLimit", "RateLimit-Policy"};
  if (status == 412) names.push_back("ETag");
  if (status == 401 || status == 403) names.push_back("WWW-Authenticate");
  if (status == 429 || status == 503 || status == 0) names.push_back("Retry-After");
  return names;
}

void add_answers(std::string& out, const Value& described) {
  const std::vector<std::string_view> headers = headers_of_success(described);
  if (const Value* const answers = json::find(described, "answers")) {
    for (const auto& one : answers->GetObject()) {
      const std::string content =
          one.value.IsNull() ? "" : schema_content("application/json", json::write(one.value));
      json::add_member(out, json::text(one.name), answer_json("It is done", headers, content));
    }
  }
  if (const Value* const events = json::find(described, "events")) {
    json::add_member(
        out, "200",
        answer_json("Server-sent events. The data of each is JSON of this schema.", headers,
                    schema_content("text/event-stream", json::write(*events))));
  }
  if (is_true(described, "bytes_out")) {
    json::add_member(
        out, "200",
        answer_json("The file", headers, schema_content("application/octet-stream", "{}")));
  }
}

std::set<Problem> problems_of(std::string_view path, const Value& described,
                              identity::Scopes scopes) {
  std::set<Problem> all = {Problem::RateLimited, Problem::Internal, Problem::Unavailable};
  if (scopes.bits() != 0)
    all.insert({Problem::Unauthorized, Problem::Denied, Problem::TooManyAttempts});
  if (path.find('{') != path.npos) all.insert(Problem::NotFound);
  const bool has_body = json::find(described, "body") != nullptr;
  // Of a request that has a body nevertheless, too.
  all.insert({Problem::InvalidArgument, Problem::WrongContentType});
  if (has_body) all.insert(Problem::TooLarge);
  if (const Value* const more = json::find(described, "errors")) {
    for (const Value& name : more->GetArray()) {
      const auto types = transport::problem_types();
      const auto at = std::find_if(types.begin(), types.end(), [&name](const auto& type) {
        return type.name == json::text(name);
      });
      if (at != types.end()) all.insert(at->problem);
    }
  }
  return all;
}

// A problem document with one of these types.
std::string problem_schema(const std::vector<std::string>& uris) {
  std::string type = "{";
  json::add_member(type, "enum", json::list_of(uris));
  return R"({"$ref":"#/components/schemas/Problem","properties":{"type":)" + type + "}}}";
}

void add_errors(std::string& out, const std::set<Problem>& problems) {
  struct Errors {
    std::string titles;
    std::vector<std::string> uris;
  };
  std::map<int, Errors> by_status;
  for (const Problem problem : problems) {
    const transport::ProblemType& type = transport::type_of(problem);
    Errors& errors = by_status[type.status];
    errors.titles.append(errors.titles.empty() ? "" : ". ").append(type.title);
    errors.uris.push_back(transport::type_uri(type));
  }
  for (const auto& [status, errors] : by_status) {
    json::add_member(
        out, std::to_string(status),
        answer_json(errors.titles, headers_of_failure(status),
                    schema_content(transport::kProblemJson, problem_schema(errors.uris))));
  }
  json::add_member(out, "default",
                   answer_json(kOfEveryRequest, headers_of_failure(0),
                               schema_content(transport::kProblemJson,
                                              R"({"$ref":"#/components/schemas/Problem"})")));
}

// A key, or a login, with one of these scopes. Clients without a key have the scope call, if the
// host serves them.
std::string security_json(identity::Scopes scopes) {
  std::string out = "[";
  if (scopes.has(identity::Scope::Call)) append(out, "{}");
  for (const identity::Scope scope :
       {identity::Scope::Call, identity::Scope::Approve, identity::Scope::Admin}) {
    if (!scopes.has(scope)) continue;
    for (const char* const scheme : {"bearer", "agentKey"}) {
      std::string one = "{";
      json::add_member(one, scheme, json::list_of({std::string(to_string(scope))}));
      append(out, one + "}");
    }
  }
  return out + "]";
}

constexpr std::pair<std::string_view, std::string_view> kResponseHeaders[] = {
    {"RateLimit",
     "What is left of each limit on the rate of requests, if the host has such limits."},
    {"RateLimit-Policy", "The limits on the rate of requests, if the host has such limits."},
    {"Retry-After", "The seconds after which the client can try again."},
    {"WWW-Authenticate", "How a client proves who it is (RFC 6750)."},
    {"Repr-Digest", "The SHA-256 of the file (RFC 9530)."},
    {"ETag", "The version of the session, for If-Match."},
    {"Location", "The path of what was made."},
};

}  // namespace

std::string response_headers_json() {
  std::string out = "{";
  for (const auto& [name, about] : kResponseHeaders) {
    std::string one = "{";
    json::add_text(one, "description", about);
    json::add_member(one, "schema",
                     name == "Retry-After" ? R"({"type":"integer"})" : R"({"type":"string"})");
    json::add_member(out, name, one + "}");
  }
  return out + "}";
}

std::string path_with_names(std::string_view pattern) {
  const bool one = std::count(pattern.begin(), pattern.end(), '*') < 2;
  std::string out;
  bool first = true;
  for (const char c : pattern) {
    if (c != '*') {
      out += c;
      continue;
    }
    out += one ? "{id}" : first ? "{session}" : "{request}";
    first = false;
  }
  return out;
}

std::string operation_json(std::string_view path, const Value& described, identity::Scopes scopes) {
  std::string responses = "{";
  add_answers(responses, described);
  add_errors(responses, problems_of(path, described, scopes));
  std::string out = "{";
  json::add_text(out, "operationId", json::find_text(described, "id"));
  json::add_text(out, "summary", json::find_text(described, "summary"));
  json::add_member(out, "tags", json::list_of({std::string(json::find_text(described, "tag"))}));
  json::add_member(out, "parameters", parameters_json(path, described));
  const std::string body = body_json(described);
  if (!body.empty()) json::add_member(out, "requestBody", body);
  json::add_member(out, "responses", responses + "}");
  json::add_member(out, "security", security_json(scopes));
  return out + "}";
}

}  // namespace host::rest
