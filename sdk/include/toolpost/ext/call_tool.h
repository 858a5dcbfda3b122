/* tp.call_tool/1 lets a tool call a tool of any plugin. The host offers tp.call_tool/1 to plugins.
 *
 * The nested call passes the same checks as a call that the client makes, for the same principal
 * and session. The nested call has a separate line in the audit log, which names the outer call. A
 * nested call that needs approval does not run. If a nested call needs approval, it fails, and the
 * error says that the call needs approval. In addition to the tools that the client can call, a
 * nested call can use internal tools (_name). A nested call ends no later than the outer call, and
 * is cancelled with the outer call.
 *
 * At most eight calls can be nested in each other. The host refuses a nested call that would wait
 * for one of its outer calls, because such a call could never run. For example, a tool of a serial
 * plugin with one worker cannot call a tool of the same plugin. */
#ifndef TOOLPOST_EXT_CALL_TOOL_H
#define TOOLPOST_EXT_CALL_TOOL_H

#include "toolpost/ext/reply.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_CALL_TOOL "tp.call_tool/1"

typedef struct tp_call_tool_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Calls a tool.
   * shape   `call` is the outer call, and must not be NULL. `args_json` is one JSON object, or
   *         empty.
   * returns a status, see reply.h; TP_E_INVALID also if `call` is NULL.
   * answer  `json` is MCP's CallToolResult {"content": [...], "structuredContent"?: any, "isError":
   *         bool}. `number` is 1 if the tool failed or its arguments were not valid.
   *         TP_E_UNSUPPORTED: there is no such tool, or the outer call is not a tool call;
   *         TP_E_DENIED: a rule forbids the nested call, it needs approval, more than eight calls
   *         would be nested, or the nested call would wait for an outer call; TP_E_BUSY: too many
   *         calls wait; TP_E_DEADLINE; TP_E_INTERNAL: a fault of the host or of the called tool.
   *         bytes has the reason.
   * thread  [call] */
  tp_status (*call)(tp_host* host, const tp_call* call, tp_str tool, tp_str args_json,
                    const tp_reply* reply);
} tp_call_tool_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CALL_TOOL_H */
