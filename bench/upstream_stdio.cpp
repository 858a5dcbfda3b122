// The upstream of bench/upstreams: an MCP server over stdio (2025-11-25) with the tool echo. It
// costs as little as the bare server.
#include <unistd.h>

#include <string>
#include <string_view>

#include "echo.h"

namespace {

constexpr const char* kSelf =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}})";
constexpr const char* kTools =
    R"({"tools":[{"name":"echo","description":"Returns its text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":{"readOnlyHint":true}}]})";

std::string result(const rapidjson::Value& id, const char* text) {
  rapidjson::StringBuffer out;
  rapidjson::Writer<rapidjson::StringBuffer> writer(out);
  id.Accept(writer);
  return R"({"jsonrpc":"2.0","id":)" + std::string(out.GetString(), out.GetSize()) +
         ",\"result\":" + text + "}";
}

// Empty: the message needs no answer.
std::string answer(std::string_view line) {
  if (line.find(R"("method":"tools/call")") != std::string_view::npos) return bench::echo(line);
  rapidjson::Document message;
  message.Parse(line.data(), line.size());
  if (message.HasParseError() || !message.IsObject() || !message.HasMember("id") ||
      !message.HasMember("method"))
    return {};
  const std::string_view method = message["method"].GetString();
  if (method == "initialize") return result(message["id"], kSelf);
  if (method == "tools/list") return result(message["id"], kTools);
  if (method == "ping") return result(message["id"], "{}");
  std::string refused = result(message["id"], "");
  refused.resize(refused.rfind(",\"result\":"));
  return refused + R"(,"error":{"code":-32601,"message":"Method not found"}})";
}

bool write_all(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(1, text.data() + done, text.size() - done);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

int main() {
  std::string input;
  std::string output;
  static char bytes[256u << 10u];
  for (ssize_t count; (count = ::read(0, bytes, sizeof bytes)) > 0;) {
    const std::size_t scanned = input.size();
    input.append(bytes, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = input.find('\n', scanned); end != std::string::npos;
         end = input.find('\n', begin)) {
      const std::string line = answer(std::string_view(input).substr(begin, end - begin));
      if (!line.empty()) output.append(line).push_back('\n');
      begin = end + 1;
    }
    input.erase(0, begin);
    if (!write_all(output)) return 1;
    output.clear();
  }
}
