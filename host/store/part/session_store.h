// Sessions: the settings of clients, which outlive connections and the host. Every call blocks; one
// thread at a time. A change survives the process once its call has returned.
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
  std::string agent;          // its agent profile; empty: none
  std::uint64_t version = 1;  // grows with each change
  std::string mode;           // empty: its agent's
  std::optional<std::vector<std::string>> working_dirs;
  std::optional<std::vector<std::string>> groups;
  std::optional<std::vector<std::string>> providers;
  std::string context;  // JSON object text; empty: none
  std::string tools;    // definitions of its client's tools, JSON object text; empty: none
  std::string todos;    // JSON array text; empty: none
  std::optional<std::vector<std::string>> webhooks;  // ids
  bool of_client = false;  // it belongs to the client context with this id, and ends with it
  WallTime created{};
  WallTime used{};  // approximate

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

  // False: a session with this id exists.
  virtual Result<bool> add(const SessionRecord& session) = 0;
  // Replaces the session that has the version `expected`. False: it has a different version, or
  // does not exist.
  virtual Result<bool> change(const SessionRecord& session, std::uint64_t expected) = 0;
  // Updates the times of sessions that exist.
  virtual Result<void> used(const std::vector<SessionUse>& uses) = 0;
  // False: there is no such session.
  virtual Result<bool> remove(std::string_view id) = 0;

  // nullopt: there is no such session.
  virtual Result<std::optional<SessionRecord>> find(std::string_view id) = 0;
  // Sorted by last use, the oldest first.
  virtual Result<std::vector<SessionRecord>> list() = 0;
  virtual Result<std::vector<SessionVersion>> versions() = 0;

  // Removes the session if it was not used since `since`, on any host. Returns the time of its last
  // use if it stays; nullopt: there is no such session now.
  virtual Result<std::optional<WallTime>> remove_unused(std::string_view id, WallTime since) = 0;

  // Removes sessions whose client context does not exist any more.
  virtual Result<void> forget_left_behind() = 0;
  // Removes sessions that were not used since `then`, except sessions of client contexts.
  virtual Result<void> forget_unused_since(WallTime then) = 0;

  // True if a different process has written since the last call of this function.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
