// What an author says of a plugin and of each tool.
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

// A tool's properties, all with the contract's defaults; see tp_tool in plugin.h.
struct ToolOptions {
  std::string title = {};
  bool read_only = false;      // changes nothing anywhere: runs unasked
  bool serial = false;         // never beside itself
  std::string exclusive = {};  // never beside a tool that has the same name here
  std::uint32_t max_inflight = 0;
  bool idempotent = false;
  bool not_destructive = false;
  bool closed_world = false;
  bool nonblocking = false;   // microseconds, no waiting
  bool long_running = false;  // may take long: a task, for clients that follow tasks
  bool needs_task = false;    // ... and no other client can call it
  bool asks_first = false;    // ... and its first run asks before there is a task
  bool external = false;      // somebody else executes it
  bool state_injected = false;
  std::optional<bool> strict = {};
  std::chrono::milliseconds timeout = {};
  std::string group = {};
  Json presets = {""};  // a JSON object of fixed arguments, hidden from the model
  Strings dangerous_paths = {};
  Strings path_args = {};        // JSON pointers, like "/path"
  std::string command_arg = {};  // JSON pointer to a shell command
  Strings after = {};            // post_ tools: the actions that it follows
  Json icons = {""};
  // In the place of the one made from the struct of arguments, which then skips what it has not.
  Json input_schema = {""};
};

struct PluginOptions {
  std::string id = {};  // reverse DNS
  std::string name = {};
  std::string version = {};
  std::string vendor = {};
  std::string license = {};
  std::string build_info = {};
  bool concurrent = false;  // calls may overlap; else one call at a time in each instance
  bool pin = false;         // once loaded inline, never unloaded
  bool needs_inline = false;
  bool no_inline = false;
  Strings permissions = {};  // what the operator should grant: "fs:ro:PATH", ...; for people
  Strings required_extensions = {};
  Strings optional_extensions = {};
};

}  // namespace v1
}  // namespace toolpost
