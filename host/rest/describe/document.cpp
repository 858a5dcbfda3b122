#include "rest/describe/document.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"
#include "json/object_text.h"
#include "rest/describe/operation.h"

namespace host::rest {
namespace {

using json::Value;

constexpr std::string_view kInfo =
    R"({"title":"Toolpost","version":"1","description":"Tools for AI agents over REST. Every error is a problem document (RFC 9457). /api/v1 is another name for /v1."})";
constexpr std::string_view kSchemes =
    R"({"bearer":{"type":"http","scheme":"bearer","description":"A key, or a token of the host's issuer. The roles are the scopes call, approve and admin."},"agentKey":{"type":"apiKey","in":"header","name":"X-Agent-API-Key","description":"A key."}})";

// Standard Webhooks.
constexpr std::string_view kSigned =
    R"([{"name":"webhook-id","in":"header","required":true,"schema":{"type":"string"}},)"
    R"({"name":"webhook-timestamp","in":"header","required":true,"schema":{"type":"string"}},)"
    R"({"name":"webhook-signature","in":"header","required":true,"schema":{"type":"string"}}])";

struct Described {
  const Value* operation = nullptr;
  bool used = false;
};

// By "GET /v1/tools".
using Operations = std::map<std::string, Described, std::less<>>;
// The operations of each path, in the order of the paths.
using Paths = std::map<std::string, std::string>;

std::string lower_case(std::string_view method) {
  std::string out(method);
  for (char& c : out) c = static_cast<char>(c - 'A' + 'a');
  return out;
}

void add_operation(Paths& paths, const std::string& path, std::string_view method,
                   const std::string& operation) {
  const auto at = paths.emplace(path, "{").first;
  json::add_member(at->second, lower_case(method), operation);
}

Result<void> add_listed(Paths& paths, Operations& operations, const ListedRoute& route) {
  const std::string path = path_with_names(route.path);
  const auto at = operations.find(std::string(route.method) + " " + path);
  if (at == operations.end()) {
    return Error{ErrorKind::Internal,
                 "no description of " + std::string(route.method) + " " + path};
  }
  at->second.used = true;
  add_operation(paths, path, route.method,
                operation_json(path, *at->second.operation, route.scopes));
  return {};
}

Result<void> add_unlisted(Paths& paths, const std::string& name, const Described& described) {
  const Value* const unlisted = json::find(*described.operation, "unlisted");
  if (!unlisted) return Error{ErrorKind::Internal, "no route for the description of " + name};
  const std::size_t space = name.find(' ');
  const std::string path = name.substr(space + 1);
  add_operation(paths, path, std::string_view(name).substr(0, space),
                operation_json(path, *described.operation, {}));
  return {};
}

// What a receiver is sent, by the type of the event.
std::string webhooks_json(std::span<const webhook::EventSchema> events) {
  std::string out = "{";
  for (const webhook::EventSchema& event : events) {
    std::string post = "{";
    json::add_text(post, "summary", event.about);
    json::add_member(post, "parameters", kSigned);
    json::add_member(
        post, "requestBody",
        R"({"required":true,"content":{"application/json":{"schema":)" + event.schema + "}}}");
    json::add_member(post, "responses",
                     R"({"2XX":{"description":"The event was received"},)"
                     R"("default":{"description":"The host sends the event again later"}})");
    json::add_member(out, event.name, R"({"post":)" + post + "}}");
  }
  return out + "}";
}

}  // namespace

Result<std::string> openapi_document(std::span<const ListedRoute> routes,
                                     std::span<const Fragment> fragments,
                                     std::span<const webhook::EventSchema> events) {
  std::vector<json::Document> texts;  // moving one moves no value
  Operations operations;
  std::string schemas = "{";
  for (const Fragment& fragment : fragments) {
    HOST_TRY_ASSIGN(json::Document text, json::parse(fragment.text));
    texts.push_back(std::move(text));
    const Value& root = texts.back().root();
    if (const Value* const all = json::find(root, "operations")) {
      for (const auto& one : all->GetObject())
        operations[std::string(json::text(one.name))] = {&one.value, false};
    }
    if (const Value* const all = json::find(root, "schemas")) {
      for (const auto& one : all->GetObject())
        json::add_member(schemas, json::text(one.name), json::write(one.value));
    }
  }
  Paths paths;
  for (const ListedRoute& route : routes) HOST_TRY(add_listed(paths, operations, route));
  for (const auto& [name, described] : operations) {
    if (!described.used) HOST_TRY(add_unlisted(paths, name, described));
  }
  std::string all = "{";
  for (const auto& [path, members] : paths) json::add_member(all, path, members + "}");
  std::string components = "{";
  json::add_member(components, "schemas", schemas + "}");
  json::add_member(components, "headers", response_headers_json());
  json::add_member(components, "securitySchemes", kSchemes);
  std::string out = "{";
  json::add_text(out, "openapi", "3.1.0");
  json::add_member(out, "info", kInfo);
  json::add_member(out, "servers", R"([{"url":"/"}])");
  json::add_member(out, "paths", all + "}");
  json::add_member(out, "webhooks", webhooks_json(events));
  json::add_member(out, "components", components + "}");
  return out + "}";
}

}  // namespace host::rest
