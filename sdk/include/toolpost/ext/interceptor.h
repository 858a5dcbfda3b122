/* tp.interceptor/1 lets a plugin run code around the calls of other plugins' tools. The plugin
 * offers this extension.
 *
 * An interceptor runs only if the operator names its plugin in an [[interceptor]] of the
 * configuration. The [[interceptor]] sets the order of the interceptors, the tools whose calls are
 * intercepted, a time limit, and what happens if the interceptor fails. The functions run in this
 * order:
 *   before   runs ahead of all checks of the arguments. If before() changes the arguments,
 *            permission rules, reviewers and the audit see the changed arguments.
 *   enter    runs when the call has passed all checks, directly before the tool runs.
 *   message  runs for each progress report, partial result and log line of the running tool.
 *   leave    runs with the tool's result.
 * The first interceptor in the configuration is the outermost: its before() and enter() run first,
 * and its leave() runs last.
 *
 * If the tool asks the client's user a question, the tool runs again with the answer, and enter()
 * runs again too. The host does not call leave() if the call was cancelled, timed out, or asked a
 * question.
 *
 * tp_intercepted describes the call. tp.context/1 has the data about the caller.
 *
 * Each function of an interceptor pushes its answer as one TP_JSON, or pushes nothing. If a
 * function of an interceptor pushes nothing, the call continues unchanged. If a function of an
 * interceptor answers with an unknown member or a wrong shape, the interceptor has failed. The
 * interceptor has also failed after error(), after any status except TP_OK, after a crash, or if
 * its answer arrives after the time limit. Each function of an interceptor must be fast, because
 * the call waits for it. A function of an interceptor may return TP_PENDING. */
#ifndef TOOLPOST_EXT_INTERCEPTOR_H
#define TOOLPOST_EXT_INTERCEPTOR_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_INTERCEPTOR "tp.interceptor/1"

/* The flags of an interceptor. */
#define TP_INTERCEPTOR_NONBLOCKING 1u  /* the functions return within microseconds and never wait */
#define TP_INTERCEPTOR_NO_ARGUMENTS 2u /* before() and enter() do not read args_json: it is empty */

/* tp_intercepted describes the call around which an interceptor runs.
 * owner   borrowed until the function of the interceptor returns. */
typedef struct tp_intercepted {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  tp_str tool;       /* the name of the tool */
  tp_str provider;   /* the plugin or upstream server that has the tool */
  tp_str state;      /* the state that enter() returned, for message() and leave(); else empty */
} tp_intercepted;

/* Every function of tp_interceptor_api may be NULL, but at least one must not be NULL. */
typedef struct tp_interceptor_api {
  uint32_t struct_size;
  uint32_t flags; /* TP_INTERCEPTOR_... */

  /* Runs before the arguments are checked.
   * shape   args_json is the arguments as the caller sent them: one JSON value, which the host has
   *         not checked yet. The answer is one JSON object with at most one of the first three
   *         members:
   *           "arguments": object   replaces the arguments from here on
   *           "result": object      becomes the call's result, and the tool does not run. The
   *                                 object is MCP's CallToolResult: {"content": [...],
   *                                 "structuredContent"?: any, "isError"?: bool,
   *                                 "_meta"?: object}
   *           "refuse": text        refuses the call with this text, and the tool does not run
   *           "context": object     {"values"?: {name: text}, "entries"?: {type: any}} is added to
   *                                 the data that tp.context/1 gives to plugins in this call
   * owner   borrowed until return.
   * thread  [call] */
  tp_status (*before)(tp_instance* self, tp_str args_json, const tp_intercepted* about,
                      tp_call* call);

  /* enter() runs directly before the tool.
   * shape   args_json is the checked arguments, one JSON object. The answer is one JSON object with
   *         at most one of "result" and "refuse", and optionally "context", as for before(); and
   *           "state": text         is passed to message() and leave() of this call, at most 16 KiB
   *         After "result" or "refuse" neither the tool nor any later interceptor runs.
   * owner   borrowed until return.
   * thread  [call] */
  tp_status (*enter)(tp_instance* self, tp_str args_json, const tp_intercepted* about,
                     tp_call* call);

  /* Runs for each text that the running tool sends to its client.
   * shape   message_json is {"text": text, "fields"?: object}; log lines may have fields. The
   *         answer of message() has the same shape as message_json, and replaces both members. If
   *         the answer of message() is null, the host does not send the message.
   * owner   borrowed until return.
   * thread  [call] the host passes the messages of one call one after the other. */
  tp_status (*message)(tp_instance* self, tp_str message_json, const tp_intercepted* about,
                       tp_call* call);

  /* Runs with the result of the call. leave() also runs if the result is an error of the tool.
   * shape   result_json is a CallToolResult, as for before(). The answer of leave() is {"result":
   *         object}, and this object replaces the call's result. The host checks the new result
   *         like a result that comes from the tool.
   * owner   borrowed until return.
   * thread  [call] */
  tp_status (*leave)(tp_instance* self, tp_str result_json, const tp_intercepted* about,
                     tp_call* call);
} tp_interceptor_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_INTERCEPTOR_H */
