// One tool calls another (tp.call_tool/1).
//
//   std::string total(const Order& order, toolpost::Context& call) {
//     const auto price = call.call_tool("price", toolpost::Json{R"({"bread":"rye"})"});
//     if (price.is_error) throw toolpost::Error("no price: " + price.text());
//     return price.text();
//   }
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/reply.hpp"
#include "toolpost/ext/call_tool.h"

namespace toolpost {
inline namespace v1 {

// What another tool gave: MCP's CallToolResult.
struct ToolResult {
  std::vector<Json> content = {};  // blocks
  Json structured = {""};          // empty: none
  bool is_error = false;

  // The text blocks, joined by line ends.
  std::string text() const {
    std::string all;
    for (const Json& block : content) {
      detail::Reader in(block.text, "block");
      in.object([&](std::string_view key) {
        if (key != "text") return static_cast<void>(in.any());
        if (!all.empty()) all += '\n';
        all += in.string();
      });
    }
    return all;
  }
  // The structured content as a struct.
  template <Described T>
  T as() const {
    return detail::read_object<T>(structured.text, "result");
  }
};

namespace detail {

inline ToolResult read_tool_result(std::string_view json) {
  ToolResult result;
  Reader in(json, "result");
  in.object([&](std::string_view key) {
    if (key == "content") {
      Codec<std::vector<Json>>::read(in, result.content);
    } else if (key == "structuredContent") {
      result.structured.text = in.any();
    } else if (key == "isError") {
      result.is_error = in.boolean();
    } else {
      in.any();
    }
  });
  return result;
}

inline auto asks_tool(const tp_call_tool_api* api, tp_host* host, const tp_call* call,
                      std::string_view tool, std::string_view args) {
  return [=](const tp_reply* reply) -> tp_status {
    if (api == nullptr) return TP_E_UNSUPPORTED;
    return api->call(host, call, {tool.data(), tool.size()}, {args.data(), args.size()}, reply);
  };
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
