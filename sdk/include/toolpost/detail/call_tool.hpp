// Lets a tool call another tool (tp.call_tool/1).
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

// ToolResult is the result of the called tool: MCP's CallToolResult.
struct ToolResult {
  std::vector<Json> content = {};  // MCP content blocks
  Json structured = {""};          // empty: no structured content
  bool is_error = false;

  // Returns the text blocks, joined by line feeds.
  std::string text() const;
  // Returns the structured content as a struct.
  template <Described T>
  T as() const {
    return detail::read_object<T>(structured.text, "result");
  }
};

namespace detail {
ToolResult read_tool_result(std::string_view json);
}

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/call_tool.ipp"
#endif
