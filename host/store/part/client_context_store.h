// The protocol contexts of MCP clients over legacy HTTP ("sessions" in those protocol versions), so
// that they survive a restart of their host. Every call blocks; one thread at a time. A change
// survives the process once its call has returned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct ClientContextRecord {
  std::string id;  // unguessable, because clients identify the context by it
  std::string principal;
  std::string agent;    // the client's agent profile; empty: none
  std::string owner;    // address at which it is served; the host at this address has the context
  std::string version;  // negotiated protocol version
  std::uint32_t abilities = 0;  // bits, numbered by the caller
  int log_level = 0;
  std::vector<std::string> followed;  // URIs of resources
  WallTime created{};
  WallTime used{};           // approximate
  std::string session = {};  // the session of its endpoint; empty: the one with the context's id

  bool operator==(const ClientContextRecord&) const = default;
};

struct ClientContextUse {
  std::string id;
  WallTime used{};
};

class ClientContextStore {
 public:
  virtual ~ClientContextStore() = default;

  // Adds a context or updates it.
  virtual Result<void> put(const ClientContextRecord& context) = 0;
  // Updates the times of contexts that exist.
  virtual Result<void> used(const std::vector<ClientContextUse>& uses) = 0;
  // False: there is no such context.
  virtual Result<bool> remove(std::string_view id) = 0;
  // The contexts of one owner, or of all owners if `owner` is empty. Sorted by last use, oldest
  // first.
  virtual Result<std::vector<ClientContextRecord>> list(std::string_view owner) = 0;
  // Removes contexts of all owners, because a host that no longer exists cannot do it.
  virtual Result<void> forget_unused_since(WallTime then) = 0;

  // True if a different process has written since the last call of this function.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
