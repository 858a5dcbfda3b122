// Reads the tools that the client of a session defines and executes itself.
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
#include "tool/definition/tool.h"

namespace host::session {

struct ToolLimits {
  std::uint32_t tools = 256;              // maximum number of tools that one session can have
  std::uint32_t tool_bytes = 64u << 10u;  // maximum size of one tool's definition as JSON
  std::function<void(std::string_view limit)> on_refusal = {};
};

// ClientTools contains tools that the host has checked and compiled once. A ClientTools object is
// immutable.
struct ClientTools {
  std::vector<std::shared_ptr<const tool::Tool>> tools;  // ordered by name
  std::string build;                                     // the definitions' digest, "sha256:HEX"
};

struct ReadTools {
  std::string text;  // the text that a session stores
  std::shared_ptr<const ClientTools> compiled;
};

// Reads {name: definition} at the JSON Pointer `pointer` of a client's JSON. The Error describes
// the first fault. If one tool has a fault, the function returns no tools at all. If the tools need
// too much CPU time to compile, the function also returns an Error. Any thread can call the
// function.
Result<ReadTools> read_tools(const json::Value& tools, std::string_view pointer,
                             const ToolLimits& limits);

// Returns the names of the tools that are in `before` and not in `now`. `before` and `now` are
// texts in the form in which a session stores its tools. A null pointer means that there are no
// tools.
std::set<std::string, std::less<>> removed_tools(const std::shared_ptr<const std::string>& before,
                                                 const std::shared_ptr<const std::string>& now);

// ToolSets is a cache. The cache contains the compiled tools of the sessions that were used last.
// Sessions with equal definitions share the compiled tools. ToolSets is not thread-safe.
class ToolSets {
 public:
  // Returns null if `text` is null. If the tools in `text` are not valid, the function writes a log
  // line and returns a set without tools. Only a host of an older version can have stored tools
  // that are not valid.
  std::shared_ptr<const ClientTools> of(const std::shared_ptr<const std::string>& text);
  // Adds compiled tools of a session to the cache. The cache shares `text`, because copies would
  // leave holes in the heap between the texts of sessions. Holes in the heap slow down every
  // allocation.
  void keep(const std::shared_ptr<const std::string>& text,
            std::shared_ptr<const ClientTools> compiled);
  std::size_t size() const { return sets_.size(); }

 private:
  static constexpr std::size_t kMost = 128;
  using Set = std::pair<std::shared_ptr<const std::string>, std::shared_ptr<const ClientTools>>;

  std::list<Set> sets_;                                                     // the last used first
  std::unordered_map<std::string_view, std::list<Set>::iterator> by_text_;  // views of its texts
};

}  // namespace host::session
