/* tp.history/1 lists earlier calls of the session to which a call belongs. The host offers
 * tp.history/1 to plugins.
 *
 * The host keeps the newest ended calls that the session's client made, for all tools. The host
 * does not keep calls that plugins made. Settings limit the number and size of the kept calls
 * (`limits.history_calls`, `limits.history_bytes_per_session`, `limits.history_bytes`). When a
 * limit is reached, the host removes the oldest calls. After a restart of the host, only calls with
 * a stored record are left, such as detached calls.
 *
 * The operator has to allow tp.history/1 for each plugin (`history = true` in `[plugin.NAME]`),
 * because arguments and results of other tools can be confidential. A plugin sees only calls by the
 * principal of the current call. */
#ifndef TOOLPOST_EXT_HISTORY_H
#define TOOLPOST_EXT_HISTORY_H

#include "toolpost/ext/reply.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_HISTORY "tp.history/1"

#define TP_HISTORY_PAGE 1000u /* the maximum number of calls in one answer of list() */

typedef struct tp_history_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Lists earlier calls of the call's session, the newest first.
   * shape   before is 0 for the newest calls; if before is the number of a call, the list has the
   *         calls before that call. `most` is the maximum length of the list, 1 to TP_HISTORY_PAGE
   *         calls.
   * returns a status, see reply.h.
   * answer  `json` is an array with one object for each call: [{"number": number, "call": text,
   *         "tool": text, "arguments": object, "outcome": text, "result": object, "left_out":
   *         boolean, "ended": text}, ...]. `outcome` is "ok", or the outcome in the audit log.
   *         `result` is an MCP CallToolResult, or null if the call ended without one. If a call is
   *         too large to keep, `left_out` is true, and `arguments` and `result` are null. `ended`
   *         is a time (RFC 3339). `number` is 1 if the host has older calls. TP_E_UNSUPPORTED: the
   *         call has no session, or the operator does not allow the extension for the plugin.
   * thread  [any-thread] */
  tp_status (*list)(tp_host* host, const tp_call* call, uint64_t before, uint32_t most,
                    const tp_reply* reply);
} tp_history_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_HISTORY_H */
