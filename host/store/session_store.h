// Sessions of clients, so that they go on when their host is started again. Every call blocks; one
// thread at a time. What was answered survives the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct SessionRecord {
  std::string id;  // unguessable: its client names it
  std::string principal;
  std::string agent;    // as which the client calls; empty: none
  std::string owner;    // address at which it is served: whoever serves that has these sessions
  std::string version;  // of the protocol, as both agreed
  std::uint32_t abilities = 0;  // bits, numbered by whoever stores them
  int log_level = 0;
  std::vector<std::string> followed;  // URIs of resources
  WallTime created{};
  WallTime used{};  // not exact: told now and then

  bool operator==(const SessionRecord&) const = default;
};

struct SessionUse {
  std::string id;
  WallTime used{};
};

class SessionStore {
 public:
  virtual ~SessionStore() = default;

  // A new one, or the newer state of one that is there.
  virtual Result<void> put(const SessionRecord& session) = 0;
  // Those that are there.
  virtual Result<void> used(const std::vector<SessionUse>& uses) = 0;
  // False: there is none of this id.
  virtual Result<bool> remove(std::string_view id) = 0;
  // The longest unused first; of one owner, or of all where `owner` is empty.
  virtual Result<std::vector<SessionRecord>> list(std::string_view owner) = 0;
  // Of any owner: a host that is gone does not do it.
  virtual Result<void> forget_unused_since(WallTime then) = 0;

  // Whether another process has written since the last time that this was asked.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
