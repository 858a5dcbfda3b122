// Stores the client contexts of MCP clients over HTTP, for protocol versions with `initialize`
// (these versions call the contexts sessions). The client contexts are in the store so that they
// survive a restart of the host. Every function blocks. Only one thread at a time may use the
// store. When a function of the store has returned, its changes survive the end of the process.
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
  std::string agent;  // the client's agent profile; empty: none
  // The address of the host that serves the client context. No other host serves this client
  // context.
  std::string owner;
  std::string version;          // negotiated protocol version
  std::uint32_t abilities = 0;  // one bit for each ability; the caller numbers the bits
  int log_level = 0;
  std::vector<std::string> followed;  // URIs of the resources to which the client is subscribed
  WallTime created{};
  WallTime used{};  // approximate time of the last use
  // The id of the session in the endpoint's path. If `session` is empty, the context belongs to the
  // session whose id is the context's own id.
  std::string session = {};

  bool operator==(const ClientContextRecord&) const = default;
};

struct ClientContextUse {
  std::string id;
  WallTime used{};
};

class ClientContextStore {
 public:
  virtual ~ClientContextStore() = default;

  // Adds or updates a client context.
  virtual Result<void> put(const ClientContextRecord& context) = 0;
  // Updates the times at which client contexts were last used. used() ignores contexts that do not
  // exist.
  virtual Result<void> used(const std::vector<ClientContextUse>& uses) = 0;
  // Removes a context. Returns false if the store has no such client context.
  virtual Result<bool> remove(std::string_view id) = 0;
  // Returns the client contexts of one owner (a host's address), or of all owners if `owner` is
  // empty. The client contexts are sorted by last use, the oldest use first.
  virtual Result<std::vector<ClientContextRecord>> list(std::string_view owner) = 0;
  // Removes client contexts that were not used since `then`. The function removes client contexts
  // of all owners, because a host that no longer exists cannot remove its contexts.
  virtual Result<void> forget_unused_since(WallTime then) = 0;

  // Returns true if a different process has written to the database since the last call.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
