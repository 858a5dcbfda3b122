// What a client set up for its work: as which agent, in which mode and folders, with which context
// and tools of its own. A session outlives connections and the host, and knows no protocol. It is
// immutable: a change makes a new one with the next version.
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

// Sent along with each call of the session. A call's own values have priority.
struct Context {
  Texts values;   // plain texts by name
  Texts entries;  // JSON texts by the name of their type

  bool empty() const { return values.empty() && entries.empty(); }
  bool operator==(const Context&) const = default;
};

using Names = std::optional<std::vector<std::string>>;  // nullopt: not narrowed

// What can change. Modes, folders, groups and providers can only narrow what the agent has. The
// client's own tools are a JSON object text of definitions by name (tool/definition.h), already
// checked. The todos are the model's: REST shows them, and only todo_write sets them.
struct Settings {
  std::optional<config::PermissionMode> mode;
  Names working_dirs;  // absolute paths
  Names groups;        // active ones
  Names mcp_providers;
  std::shared_ptr<const Context> context;    // null: none
  std::shared_ptr<const std::string> tools;  // null: none. Equal texts are shared
  std::shared_ptr<const Todos> todos;        // null: none
  Names webhooks;                            // ids, which the events of its calls go to
};

// True if callers of a session with either settings see and may do the same.
bool act_alike(const Settings& one, const Settings& other);

struct Session {
  std::string id;  // unguessable
  std::string principal;
  std::string agent;  // its agent profile; empty: none
  std::uint64_t version = 1;
  Settings settings;
  // It was made by an MCP client's initialize, has the same id as the client's context, and ends
  // with it.
  bool of_client = false;
  WallTime created{};
};

using SessionPtr = std::shared_ptr<const Session>;

}  // namespace host::session
