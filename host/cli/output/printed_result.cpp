#include "cli/output/printed_result.h"

#include "json/json.h"

namespace host::cli {

std::string result_text(const tool::CallResult& result) {
  std::string out;
  const auto blocks = json::parse("[" + result.content + "]");
  if (!blocks) return out;
  for (const auto& block : blocks->root().GetArray()) {
    if (json::find_text(block, "type") == "text") {
      out += json::find_text(block, "text");
    } else {
      json::write(block, out);
    }
    out += '\n';
  }
  return out;
}

std::string result_json(const tool::CallResult& result) {
  std::string out = "{\"content\":[" + result.content + "]";
  if (!result.structured.empty()) out += ",\"structuredContent\":" + result.structured;
  if (result.is_error) out += ",\"isError\":true";
  if (!result.meta.empty()) out += ",\"_meta\":{" + result.meta + "}";
  return out + "}\n";
}

}  // namespace host::cli
