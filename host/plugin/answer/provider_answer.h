// The answers of a plugin that are not tool results: the contents of a resource, a prompt, and
// completions. Plugins are untrusted, so the functions of this header check the form of plugins'
// answers.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

// The contents of one resource, in the form of MCP's ReadResourceResult.
class ResourceContents {
 public:
  explicit ResourceContents(std::string uri) : uri_(std::move(uri)) {}

  void add_text(std::string_view mime, std::string_view text);
  void add_blob(std::string_view mime, std::string_view bytes);
  void add_item(std::string_view json);  // adds one ResourceContents of MCP (JSON)

  bool empty() const { return items_.empty(); }
  std::string json() const { return R"({"contents":[)" + items_ + "]}"; }

 private:
  void begin_item(std::string_view mime);

  std::string uri_;
  std::string items_;
};

// Returns an Error that describes the difference if `json` is not {"description"?, "messages":
// [{"role", "content"}]}.
Result<void> check_prompt(std::string_view json);
// Checks that `json` is {"values": [at most 100 texts], "total"?, "hasMore"?}.
Result<void> check_completion(std::string_view json);

}  // namespace host::plugin
