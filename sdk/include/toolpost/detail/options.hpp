// The properties of a plugin and of each tool.
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

// A tool's properties, with the defaults of the ABI; see tp_tool in plugin.h.
struct ToolOptions {
  std::string title = {};
  bool read_only = false;      // changes nothing: runs without approval
  bool serial = false;         // one call of the tool at a time
  std::string exclusive = {};  // one call at a time of all tools with the same text here
  std::uint32_t max_inflight = 0;
  bool idempotent = false;
  bool not_destructive = false;
  bool closed_world = false;
  bool nonblocking = false;   // microseconds, no waiting
  bool long_running = false;  // may take long: a task, for clients that support tasks
  bool needs_task = false;    // ... and other clients cannot call it
  bool asks_first = false;    // ... and its first run asks before the task is made
  bool external = false;      // a caller executes it
  bool state_injected = false;
  std::optional<bool> strict = {};
  std::chrono::milliseconds timeout = {};
  std::string group = {};
  Json presets = {""};  // a JSON object of fixed arguments, hidden from the model
  Strings dangerous_paths = {};
  Strings path_args = {};        // JSON pointers, like "/path"
  std::string command_arg = {};  // JSON pointer to a shell command
  Strings after = {};            // post_ tools: the tools that it follows
  Json icons = {""};
  // Replaces the schema of the struct of arguments. The struct then skips arguments that are not
  // its members.
  Json input_schema = {""};
};

struct PluginOptions {
  std::string id = {};  // reverse DNS
  std::string name = {};
  std::string version = {};
  std::string vendor = {};
  std::string license = {};
  std::string build_info = {};
  bool concurrent = false;  // calls may overlap; false: one call at a time in each instance
  bool pin = false;         // once loaded inline, never unloaded
  bool needs_inline = false;
  bool no_inline = false;
  Strings permissions = {};  // for the operator to read: "fs:ro:PATH", ...
  Strings required_extensions = {};
  Strings optional_extensions = {};
};

}  // namespace v1
}  // namespace toolpost
