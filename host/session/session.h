// A session consists of the settings that a client has made for its work. The settings of a session
// are its agent, mode, folders and context, and the tools that the client executes. A session
// outlives connections and the host, and is independent of protocols. A Session object is
// immutable. A change of the session makes a new object with the next version.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "config/config.h"
#include "session/todos.h"

namespace host::session {

using Texts = std::map<std::string, std::string, std::less<>>;

// A Context contains values and entries that the host adds to each call of the session. If the
// session and the call both have a value with the same name, the call's own value has priority.
struct Context {
  Texts values;   // plain texts by name
  Texts entries;  // JSON texts by the type of the entry

  bool empty() const { return values.empty() && entries.empty(); }
  bool operator==(const Context&) const = default;
};

using Names = std::optional<std::vector<std::string>>;  // nullopt: no restriction

// The struct Settings contains the members of a session that can change. `mode`, `working_dirs`,
// groups, providers and presets can only restrict what the agent can do. `tools` contains the tools
// that the client executes, as JSON object text of checked definitions by name
// (tool/definition/definition.h). `todos` is the model's todo list. REST shows the todo list. Only
// the tool todo_write changes the todo list.
struct Settings {
  std::optional<config::PermissionMode> mode;
  Names working_dirs;  // absolute paths
  Names groups;        // the active groups
  Names mcp_providers;
  std::shared_ptr<const Context> context;    // null: no context
  std::shared_ptr<const std::string> tools;  // null: no tools; sessions share equal texts
  std::shared_ptr<const Todos> todos;        // null: no todo list
  // `presets` contains the arguments that the session fixes, as JSON: {"tool": {"argument":
  // value}}. A null pointer means that the session fixes no arguments.
  std::shared_ptr<const std::string> presets;
  Names webhooks;  // ids of webhooks that get the events of the session's calls
};

// Returns true if `one` and `other` do not differ in what clients can see and do.
bool act_alike(const Settings& one, const Settings& other);

struct Session {
  std::string id;  // a random id, which nobody can guess
  std::string principal;
  std::string agent;  // the session's agent profile; empty: no agent
  std::uint64_t version = 1;
  Settings settings;
  // `of_client` is true if an MCP client's initialize made the session. The session has the id of
  // the client context, and ends with the client context.
  bool of_client = false;
  WallTime created{};
};

using SessionPtr = std::shared_ptr<const Session>;

}  // namespace host::session
