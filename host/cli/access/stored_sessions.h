// The stored sessions: of MCP clients, which began with their initialize, and of REST.
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
  std::string address;   // of the host that its client speaks to; empty: of REST
  std::string protocol;  // the client's version of MCP; empty: of REST

  bool of_client() const { return !address.empty(); }
  std::vector<std::string> tool_names() const;  // of its client's own tools
};

// The oldest first, those of MCP clients before the others.
Result<std::vector<ListedSession>> stored_sessions(store::Store& store);
// NotFound: there is none with this id.
Result<ListedSession> stored_session(store::Store& store, std::string_view id);
// Ends it: its host notices within a second or two. NotFound as above.
Result<ListedSession> end_stored_session(store::Store& store, std::string_view id);

}  // namespace host::cli
