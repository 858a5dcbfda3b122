/* tp.context/1 and tp.context/2: who is calling, as the host knows it. Offered by the host, which
 * serves both. */
#ifndef TOOLPOST_EXT_CONTEXT_H
#define TOOLPOST_EXT_CONTEXT_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_CONTEXT "tp.context/1"
#define TP_EXT_CONTEXT_2 "tp.context/2"

typedef struct tp_context_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* One entry of the call's context.
   * shape   key is one of "principal", "session", "request", "traceparent"; NUL-terminated.
   * returns the text; ptr NULL where the call has no such entry.
   * owner   borrowed until the call completes.
   * thread  [call] */
  tp_str (*get)(const tp_call* call, const char* key);
} tp_context_api;

/* Over what /1 tells: the rest of the trace, the agent, and what whoever stands behind the call
 * gave along with it, for plugins and never for the model. What the host does not know is absent.
 * Values and entries are given by `toolpost call` alone, but for one value of the host itself:
 * "toolpost.dangerous_paths", for tools with path_args, if the operator added any; one a line. */
typedef struct tp_context_2_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* What the host itself knows.
   * shape   key is "principal", "session", "request" (names the call in the host's audit),
   *         "traceparent" and "tracestate" (W3C Trace Context), "baggage" (W3C Baggage), "agent"
   * (the profile under which the principal calls). Further keys may come. returns the text; ptr
   * NULL where the call has none, or the host does not know the key. owner   borrowed until the
   * call completes. The same in all three. thread  [call] */
  tp_str (*text)(const tp_call* call, tp_str key);

  /* A plain text that was given with the call, or for its session or agent.
   * returns the text; ptr NULL where there is none.
   * thread  [call] */
  tp_str (*value)(const tp_call* call, tp_str key);

  /* The entry of a type, as who gave it and the plugin agreed upon.
   * shape   type is its name, like "org.example.cart/1".
   * returns its JSON text; "null" where there is none; ptr NULL once the call has ended.
   * thread  [call] */
  tp_str (*entry)(const tp_call* call, tp_str type);
} tp_context_2_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CONTEXT_H */
