#include "tool/call/result.h"

#include "json/json.h"

namespace host::tool {

void CallResult::add_text(std::string_view text) {
  if (!content.empty()) content += ',';
  content += R"({"type":"text","text":)";
  json::write_string(text, content);
  content += '}';
}

void CallResult::add_block(std::string_view json) {
  if (!content.empty()) content += ',';
  content += json;
}

CallResult CallResult::text(std::string_view text) {
  CallResult result;
  result.add_text(text);
  return result;
}

CallResult CallResult::error(std::string_view text) {
  CallResult result = CallResult::text(text);
  result.is_error = true;
  return result;
}

}  // namespace host::tool
