/* tp.interceptor/1 lets a plugin run code around the calls of other plugins' tools. The plugin
 * offers tp.interceptor/1 to the host.
 *
 * An interceptor runs only if the operator names its plugin in an [[interceptor]] of the
 * configuration. The [[interceptor]] sets the order of the interceptors, the tools whose calls are
 * intercepted, a time limit, and what happens if the interceptor fails.
 *
 * before() runs first, ahead of all checks of the arguments. If before() changes the arguments,
 * permission rules, reviewers and the audit see the changed arguments. enter() runs when the call
 * has passed all checks, directly before the tool runs. message() runs for each progress report,
 * partial result and log line of the running tool. leave() runs with the tool's result.
 *
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
 * function of an interceptor pushes nothing, the call continues unchanged. An interceptor fails if
 * its answer has an unknown member or a wrong shape, or arrives after the time limit. An
 * interceptor also fails if it calls error(), crashes, or ends with a status other than TP_OK. Each
 * function of an interceptor must be fast, because the call waits for it. A function of an
 * interceptor may return TP_PENDING. */
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
 * owner   A tp_intercepted is valid until the function of the interceptor returns. */
typedef struct tp_intercepted {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  tp_str tool;       /* the name of the tool */
  tp_str provider;   /* the plugin or upstream server that has the tool */
  tp_str state;      /* message() and leave() get the state from enter() here; otherwise empty */
} tp_intercepted;

/* Every function of tp_interceptor_api may be NULL, but at least one must not be NULL. */
typedef struct tp_interceptor_api {
  uint32_t struct_size;
  uint32_t flags; /* TP_INTERCEPTOR_... */

  /* before() runs before the host checks the arguments of the call.
   * shape   `args_json` has the arguments as the caller sent them: one JSON value, which the host
   *         has not checked yet. The answer is one JSON object with at most one of the members
   *         "arguments", "result" and "refuse". "arguments" is an object that replaces the
   *         arguments of the call. "result" is an object that becomes the call's result, and the
   *         tool does not run. "result" has the form of MCP's CallToolResult: {"content": [...],
   *         "structuredContent"?: any, "isError"?: bool, "_meta"?: object}. "refuse" is a text: the
   *         call is refused with this text, and the tool does not run. The answer can also have the
   *         member "context": {"values"?: {name: text}, "entries"?: {type: any}}. tp.context/1
   *         gives the values and entries in "context" to plugins in this call.
   * owner   borrowed until return.
   * thread  [call] */
  tp_status (*before)(tp_instance* self, tp_str args_json, const tp_intercepted* about,
                      tp_call* call);

  /* enter() runs directly before the tool.
   * shape   `args_json` has the checked arguments, one JSON object. The answer is one JSON object
   *         with at most one of the members "result" and "refuse", and optionally "context" (see
   *         before()). The answer can also have the member "state", a text of at most 16 KiB, which
   *         message() and leave() of this call get. After "result" or "refuse", neither the tool
   *         nor any later interceptor runs.
   * owner   borrowed until return.
   * thread  [call] */
  tp_status (*enter)(tp_instance* self, tp_str args_json, const tp_intercepted* about,
                     tp_call* call);

  /* Runs for each text that the running tool sends to its client.
   * shape   `message_json` is {"text": text, "fields"?: object}. Only log lines can have "fields".
   *         The answer of message() replaces the message, and has the same members as
   *         `message_json`. If the answer of message() is null, the host does not send the message.
   * owner   borrowed until return.
   * thread  [call] The host passes the messages of one call to message() one after the other. */
  tp_status (*message)(tp_instance* self, tp_str message_json, const tp_intercepted* about,
                       tp_call* call);

  /* Runs with the result of the call. leave() also runs if the result is an error of the tool.
   * shape   `result_json` is MCP's CallToolResult (see before()). The answer of leave() is
   *         {"result": object}, and this object replaces the call's result. The host checks the
   *         result from leave() like a result from the tool.
   * owner   borrowed until return.
   * thread  [call] */
  tp_status (*leave)(tp_instance* self, tp_str result_json, const tp_intercepted* about,
                     tp_call* call);
} tp_interceptor_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_INTERCEPTOR_H */
