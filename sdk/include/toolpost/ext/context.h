/* tp.context/1 gives a plugin data about the call and its caller. The host offers tp.context/1 to
 * plugins.
 *
 * The data in tp.context/1 are values (plain texts) and entries (JSON). The caller sends values and
 * entries with the call, a client sets them for the call's session, or an interceptor adds them.
 * Plugins get the values and entries of a call, but the model never gets them. A value or entry is
 * absent if nobody has sent or set it. For tools with path_args the host adds one value itself:
 * "toolpost.dangerous_paths" lists the paths that the operator added to the dangerous paths, one
 * per line. For tools with TP_TOOL_STATE_INJECTED, the host adds the entry "toolpost.session". The
 * entry has the state that the call's session had when the tool began to run:
 *   {"version": number, "mode": text, "groups": [text], "working_dirs": [text],
 *    "todos": [{"id": text, "content": text, "status": text, "priority": text}],
 *    "kv": [{"key": text, "value": text, "version": number}], "kv_more": boolean}
 * "status" is pending, in_progress or completed. "priority" is high, medium or low, or it is
 * absent. "version" in "toolpost.session" grows with each change of the session. If a call of a
 * tool with TP_TOOL_STATE_INJECTED has no session, the host refuses the call. "kv" contains the
 * entries that the plugin has stored for the session with tp.kv/1, in the order of the keys. "kv"
 * contains only values that are text, and at most 100 entries with 64 KiB together. "kv_more" is
 * true if tp.kv/1 has more entries than "kv". To write a value in "kv" back, pass the value's
 * version to set() of tp.kv/1. set() with the version in "kv" fails if another call has written the
 * value since the tool began to run. */
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
   * shape   `key` is "principal", "session", "request" (the call's id in the host's audit log),
   *         "traceparent" or "tracestate" (W3C Trace Context), "baggage" (W3C Baggage), or "agent"
   *         (the agent that makes the call). Newer versions of the host may know more keys.
   * returns the text; ptr is NULL if the host does not know this fact about the call, or does not
   *         know the key.
   * owner   The texts that text(), value() and entry() return are valid until the call completes.
   * thread  [call] */
  tp_str (*text)(const tp_call* call, tp_str key);

  /* Returns a plain text that the caller sent with the call, that a client set for the call's
   * session, or that an interceptor added.
   * returns the text; ptr is NULL if there is no text with this key.
   * thread  [call] */
  tp_str (*value)(const tp_call* call, tp_str key);

  /* Returns the entry that has the given type. The sender of an entry and the plugin must agree on
   * the entry's format.
   * shape   `type` is the name of the entry's type, like "org.example.cart/1".
   * returns the entry as JSON text; "null" if there is none; ptr is NULL if the call has ended.
   * thread  [call] */
  tp_str (*entry)(const tp_call* call, tp_str type);
} tp_context_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CONTEXT_H */
