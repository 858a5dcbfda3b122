/* tp.context/1: who is calling, as the host knows it. Offered by the host. */
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

  /* One entry of the call's context.
   * shape   key is one of "principal", "session", "request", "traceparent"; NUL-terminated.
   * returns the text; ptr NULL where the call has no such entry.
   * owner   borrowed until the call completes.
   * thread  [call] */
  tp_str (*get)(const tp_call* call, const char* key);
} tp_context_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CONTEXT_H */
