/* tp.context/1: data about the call and its caller. Offered by the host.
 *
 * Values and entries are sent with the call or set for its session. Plugins get these data, the
 * model never does. A value or entry that was not sent is absent. The host itself adds one value,
 * for tools with path_args: "toolpost.dangerous_paths", the paths that the operator added to the
 * dangerous paths, one per line. For tools with TP_TOOL_STATE_INJECTED, the host adds the entry
 * "toolpost.session", the state of the call's session when the tool began to run:
 *   {"version": number, "mode": text, "groups": [text], "working_dirs": [text],
 *    "todos": [{"id": text, "content": text, "status": text, "priority": text}],
 *    "kv": [{"key": text, "value": text, "version": number}], "kv_more": boolean}
 * "status" is pending, in_progress or completed; "priority" is high, medium or low, or absent.
 * "version" grows with each change of the session. A call without a session is refused before it
 * reaches such a tool. "kv" has the entries that the plugin has stored for the session with
 * tp.kv/1, in the order of the keys: only values that are text, at most 100 entries with 64 KiB
 * together. "kv_more" is true if tp.kv/1 has more entries. To write a value back, pass its
 * version to set() of tp.kv/1: the write fails if another call has written since. */
#ifndef TOOLPOST_EXT_CONTEXT_H
#define TOOLPOST_EXT_CONTEXT_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_CONTEXT "tp.context/1"

typedef struct tp_context_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Returns a fact about the call that the host knows.
   * shape   key is one of:
   *         "principal", "session",
   *         "request"                    the call's id in the host's audit log
   *         "traceparent", "tracestate"  W3C Trace Context
   *         "baggage"                    W3C Baggage
   *         "agent"                      the agent profile of the principal
   *         Later hosts may know more keys.
   * returns the text; ptr is NULL if the call has no such entry or the host does not know the key.
   * owner   borrowed until the call completes, also from value() and entry().
   * thread  [call] */
  tp_str (*text)(const tp_call* call, tp_str key);

  /* Returns a plain text that was sent with the call, or set for the call's session or agent.
   * returns the text; ptr is NULL if there is none.
   * thread  [call] */
  tp_str (*value)(const tp_call* call, tp_str key);

  /* Returns the entry of a type. The sender and the plugin must agree on the contents of the type.
   * shape   type is the name of the type, like "org.example.cart/1".
   * returns the entry as JSON text; "null" if there is none; ptr is NULL once the call has ended.
   * thread  [call] */
  tp_str (*entry)(const tp_call* call, tp_str type);
} tp_context_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CONTEXT_H */
