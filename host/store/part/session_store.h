// Stores sessions: the settings of clients, which outlive connections and the host. Every function
// blocks. Only one thread at a time may use the store. Once a function has returned, its changes
// survive the end of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct SessionRecord {
  std::string id;  // unguessable
  std::string principal;
  std::string agent;          // the session's agent profile; empty: none
  std::uint64_t version = 1;  // increases with each change of the session
  std::string mode;           // empty: the mode of the session's agent
  std::optional<std::vector<std::string>> working_dirs;
  std::optional<std::vector<std::string>> groups;
  std::optional<std::vector<std::string>> providers;
  std::string context;  // JSON object text; empty: none
  std::string tools;    // JSON object: definitions of the client's own tools; empty: none
  std::string todos;    // JSON array text; empty: none
  std::string presets;  // JSON object text; empty: none
  std::optional<std::vector<std::string>> webhooks;  // ids of webhooks
  // If true, the session belongs to the client context with the same id, and ends with that client
  // context.
  bool of_client = false;
  WallTime created{};
  WallTime used{};  // approximate time of the last use

  bool operator==(const SessionRecord&) const = default;
};

struct SessionUse {
  std::string id;
  WallTime used{};
};

struct SessionVersion {
  std::string id;
  std::uint64_t version = 0;
};

class SessionStore {
 public:
  virtual ~SessionStore() = default;

  // Adds a session. Returns false if a session with this id exists.
  virtual Result<bool> add(const SessionRecord& session) = 0;
  // Replaces the stored session if its version is `expected`. Returns false if the stored session
  // has a different version or does not exist.
  virtual Result<bool> change(const SessionRecord& session, std::uint64_t expected) = 0;
  // used() updates the times at which the sessions were last used. used() ignores sessions that do
  // not exist.
  virtual Result<void> used(const std::vector<SessionUse>& uses) = 0;
  // Returns false if no session has this id.
  virtual Result<bool> remove(std::string_view id) = 0;

  // Returns nullopt if there is no such session.
  virtual Result<std::optional<SessionRecord>> find(std::string_view id) = 0;
  // Lists the sessions by their last use, the oldest use first.
  virtual Result<std::vector<SessionRecord>> list() = 0;
  virtual Result<std::vector<SessionVersion>> versions() = 0;

  // Removes the session if no host has used the session after the time `since`. If a host has used
  // the session after `since`, remove_unused() does not remove the session, and returns the time of
  // its last use. Returns nullopt if the session was removed or did not exist.
  virtual Result<std::optional<WallTime>> remove_unused(std::string_view id, WallTime since) = 0;

  // Removes sessions whose client context does not exist any more.
  virtual Result<void> forget_left_behind() = 0;
  // Removes sessions that nobody has used since `then`, except sessions of client contexts.
  virtual Result<void> forget_unused_since(WallTime then) = 0;

  // Returns true if a different process has written to the database since the last call.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
