// Lists the stored sessions: sessions that MCP clients began with initialize, and sessions that
// clients made over REST.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace host::cli {

struct ListedSession {
  store::SessionRecord record;
  std::string address;   // address of the host that the client uses; empty: a session of REST
  std::string protocol;  // the client's protocol version; empty: a session of REST

  bool of_client() const { return !address.empty(); }
  // Returns the names of the tools that the session's client defines.
  std::vector<std::string> tool_names() const;
};

// Returns all sessions: first the sessions of MCP clients, from the oldest to the newest, and then
// those of REST in the same order.
Result<std::vector<ListedSession>> stored_sessions(store::Store& store);
// Returns one session. The Error NotFound means that there is no session with this id.
Result<ListedSession> stored_session(store::Store& store, std::string_view id);
// Ends the session. A running host notices within two seconds that the session has ended. The Error
// NotFound means that there is no session with this id.
Result<ListedSession> end_stored_session(store::Store& store, std::string_view id);

}  // namespace host::cli
