// escape_server: an MCP server over stdio with the tool of the plugin `escape`, for the sandboxes
// of upstreams. Its tool `attempt` takes `what` and `target`, see attempts.h.
#include <iostream>
#include <string>

#include "attempts.h"
#include "json/json.h"
#include "json/object_text.h"

namespace {

using host::json::find;
using host::json::find_text;
using host::json::Value;

constexpr const char* kSelf = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                              R"("serverInfo":{"name":"escape","version":"1.0"}})";
constexpr const char* kTools =
    R"({"tools":[{"name":"attempt","description":"Tries something","inputSchema":{"type":"object",)"
    R"("properties":{"what":{"type":"string"},"target":{"type":"string"}},"required":["what"]}}]})";

std::string call(const Value& params) {
  const Value* const arguments = find(params, "arguments");
  const std::string said = arguments ? escape::attempt(std::string(find_text(*arguments, "what")),
                                                       std::string(find_text(*arguments, "target")))
                                     : "no arguments";
  std::string content = "{";
  host::json::add_text(content, "type", "text");
  host::json::add_text(content, "text", said);
  return R"({"content":[)" + content + "}]}";
}

// Empty: it knows no such method.
std::string result_of(const Value& message) {
  const std::string_view method = find_text(message, "method");
  if (method == "initialize") return kSelf;
  if (method == "ping") return "{}";
  if (method == "tools/list") return kTools;
  const Value* const params = find(message, "params");
  return method == "tools/call" && params ? call(*params) : std::string();
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto message = host::json::parse(line);
    const Value* const id = message ? find(message->root(), "id") : nullptr;
    if (!id) continue;  // a notification
    std::string answer = "{";
    host::json::add_text(answer, "jsonrpc", "2.0");
    host::json::add_member(answer, "id", host::json::write(*id));
    const std::string result = result_of(message->root());
    if (result.empty()) {
      host::json::add_member(answer, "error", R"({"code":-32601,"message":"no such method"})");
    } else {
      host::json::add_member(answer, "result", result);
    }
    std::cout << answer << "}\n" << std::flush;
  }
  return 0;
}
