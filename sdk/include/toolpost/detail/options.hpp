// options.hpp defines the properties of a plugin and of each tool.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolpost/detail/json.hpp"

namespace toolpost {
inline namespace v1 {

using Strings = std::vector<std::string>;

// ToolOptions are the properties of a tool, with the same defaults as tp_tool in plugin.h.
struct ToolOptions {
  std::string title = {};
  bool read_only = false;      // true: the tool changes nothing, so calls need no approval
  bool serial = false;         // true: only one call of the tool runs at a time
  std::string exclusive = {};  // tools with the same text never run at the same time
  std::uint32_t max_inflight = 0;
  bool idempotent = false;
  bool not_destructive = false;
  bool closed_world = false;
  bool nonblocking = false;   // a call answers within microseconds and never waits
  bool long_running = false;  // a call may take long: clients that support tasks get a task
  bool needs_task = false;    // like long_running, but clients without tasks cannot call it
  bool asks_first = false;    // only with one of the two above: the task begins with the second run
  bool external = false;      // clients execute the tool
  bool state_injected = false;
  std::optional<bool> strict = {};
  std::chrono::milliseconds timeout = {};
  std::string group = {};
  Json presets = {""};  // a JSON object of fixed arguments, hidden from the model
  Strings dangerous_paths = {};
  Strings path_args = {};        // JSON pointers to arguments that are paths, like "/path"
  std::string command_arg = {};  // JSON pointer to the argument that is a shell command
  Strings after = {};            // only for post_ tools: more tools after which the tool runs
  Json icons = {""};
  // `input_schema` replaces the schema that the SDK makes from the struct of arguments. If
  // `input_schema` is set, arguments that are not members of the struct are skipped.
  Json input_schema = {""};
};

struct PluginOptions {
  std::string id = {};  // in reverse DNS form
  std::string name = {};
  std::string version = {};
  std::string vendor = {};
  std::string license = {};
  std::string build_info = {};
  bool concurrent = false;  // true: an instance may run several calls concurrently
  bool pin = false;         // true: if the library runs inline, it is never unloaded
  bool needs_inline = false;
  bool no_inline = false;
  Strings permissions = {};  // permissions that the plugin uses, like "fs:ro:PATH"
  Strings required_extensions = {};
  Strings optional_extensions = {};
};

}  // namespace v1
}  // namespace toolpost
