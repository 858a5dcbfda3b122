/* tp.call_tool/1: one tool calls another, of any plugin. Offered by the host.
 *
 * The other call goes the same road as one of a client: for the same principal and session, through
 * the same rules, with its own line in the audit, which names the call that made it. What needs a
 * person's yes does not run, for nobody is asked inside a call: it is an error that says so. Beside
 * what the caller's client could call, internal tools (_name) can be called. The other call ends no
 * later than this one, and is cancelled with it.
 *
 * Calls may stand eight deep within each other. One that would wait for a call that waits for it,
 * as of a serial plugin that is already in the row, is refused. */
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

  /* call: the call of a tool that asks; not NULL. args_json: one JSON object, or empty for none.
   * returns see reply.h; also TP_E_INVALID without a call. Answer: json is MCP's CallToolResult
   *         {"content": [...], "structuredContent"?: any, "isError": bool}; number is 1 where it is
   * an error that the tool, or the check of its arguments, tells. TP_E_UNSUPPORTED: no such tool,
   *         or this is no tool's call; TP_E_DENIED: a rule forbids it, or a person would have to be
   *         asked, or it stands too deep or in its own way; TP_E_BUSY: too many calls wait;
   *         TP_E_DEADLINE; TP_E_INTERNAL: the host's fault, or the other tool's. bytes tells more.
   * thread  [call] */
  tp_status (*call)(tp_host* host, const tp_call* call, tp_str tool, tp_str args_json,
                    const tp_reply* reply);
} tp_call_tool_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CALL_TOOL_H */
