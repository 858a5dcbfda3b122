// The bodies of call_tool.hpp.
#pragma once

#include "toolpost/detail/call_tool.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE std::string ToolResult::text() const {
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

namespace detail {

TOOLPOST_INLINE ToolResult read_tool_result(std::string_view json) {
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

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
