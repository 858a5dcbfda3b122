// history.hpp reads earlier calls of the call's session (tp.history/1). For example, a tool
// gets the earlier calls with call.history().list().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/json.hpp"
#include "toolpost/detail/reply.hpp"
#include "toolpost/ext/history.h"

namespace toolpost {
inline namespace v1 {

struct PastCall {
  std::uint64_t number;  // to pass to History::list() as `before`
  std::string call;      // id of the call, as in the audit
  std::string tool;
  Json arguments;       // the arguments that the client sent
  std::string outcome;  // as in the audit: "ok" ...
  Json result;          // an MCP CallToolResult, or null
  bool left_out;        // true: the call was too large to keep, so arguments and result are null
  std::string ended;    // when the call ended, as an RFC 3339 time
  TOOLPOST_FIELDS(PastCall, TOOLPOST_FIELD(number), TOOLPOST_FIELD(call), TOOLPOST_FIELD(tool),
                  TOOLPOST_FIELD(arguments), TOOLPOST_FIELD(outcome), TOOLPOST_FIELD(result),
                  TOOLPOST_FIELD(left_out), TOOLPOST_FIELD(ended))
};

struct HistoryPage {
  std::vector<PastCall> calls = {};  // the newest first
  bool more = false;                 // true: the host has older calls
};

// A History can be copied cheaply. A History is valid as long as the Context that returned it.
// list() waits for the host. list() throws ServiceError, or Cancelled if the call has ended. Call
// list() on any thread that may wait.
class History {
 public:
  History(const tp_history_api* api, tp_host* host, const tp_call* call)
      : api_(api), host_(host), call_(call) {}

  // Lists calls, the newest first. `before` is the number of the oldest call of the previous page.
  // If `before` is 0, the list begins with the newest call.
  HistoryPage list(std::uint32_t most = 100, std::uint64_t before = 0) const;

 private:
  const tp_history_api* api_;
  tp_host* host_;
  const tp_call* call_;
};

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/history.ipp"
#endif
