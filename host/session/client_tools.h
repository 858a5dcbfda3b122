// The tools that a session's client brings along and runs itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "tool/tool.h"

namespace host::session {

struct ToolLimits {
  std::uint32_t tools = 256;              // of one session
  std::uint32_t tool_bytes = 64u << 10u;  // of one definition, as JSON
  std::function<void(std::string_view limit)> on_refusal = {};
};

// Checked tools, compiled once. Immutable.
struct ClientTools {
  std::vector<std::shared_ptr<const tool::Tool>> tools;  // in the order of their names
  std::string build;                                     // "sha256:HEX" of their definitions
};

struct ReadTools {
  std::string text;  // what a session stores
  std::shared_ptr<const ClientTools> compiled;
};

// Reads {name: definition} of a client's JSON, where it stands at `pointer`. All or nothing: the
// first fault is the error. Tools that need too much CPU time to compile are a fault too. Any
// thread.
Result<ReadTools> read_tools(const json::Value& tools, std::string_view pointer,
                             const ToolLimits& limits);

// The names of the tools that a session had and has no more, of the texts that it stores. Null: no
// tools.
std::set<std::string, std::less<>> removed_tools(const std::shared_ptr<const std::string>& before,
                                                 const std::shared_ptr<const std::string>& now);

// Compiled tools of sessions that were used last. Equal definitions share them. Not thread-safe.
class ToolSets {
 public:
  // null text: no tools, and null. A text that cannot be compiled, which only an older host can
  // have stored, gives no tools and a line in the log.
  std::shared_ptr<const ClientTools> of(const std::shared_ptr<const std::string>& text);
  // The same tools are compiled already.
  void keep(const std::string& text, std::shared_ptr<const ClientTools> compiled);
  std::size_t size() const { return sets_.size(); }

 private:
  static constexpr std::size_t kMost = 128;
  using Set = std::pair<std::string, std::shared_ptr<const ClientTools>>;  // text, tools

  std::list<Set> sets_;                                                     // the last used first
  std::unordered_map<std::string_view, std::list<Set>::iterator> by_text_;  // views into sets_
};

}  // namespace host::session
