/* tp.completion/1 suggests values while a user fills in an argument of a prompt or a variable of a
 * resource template. The plugin offers tp.completion/1 to the host.
 *
 * tp.completion/1 follows the section "completion" of MCP 2026-07-28. */
#ifndef TOOLPOST_EXT_COMPLETION_H
#define TOOLPOST_EXT_COMPLETION_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_COMPLETION "tp.completion/1"

typedef struct tp_completion_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Suggests values for one argument.
   * shape   `request_json` has the members "ref", "argument" ({"name", "value"}) and optionally
   *         "context" ({"arguments": {...}}). "ref" is one of this plugin's own prompts or
   *         templates: {"type": "ref/prompt", "name"} or {"type": "ref/resource", "uri"}.
   *         complete() pushes one TP_JSON: {"values": [at most 100 texts], "total"?: number,
   *         "hasMore"?: boolean}.
   * returns TP_OK, or TP_PENDING if the suggestions follow later (see call() in plugin.h).
   * owner   `request_json` is valid until complete() returns.
   * thread  [call] */
  tp_status (*complete)(tp_instance* self, tp_str request_json, tp_call* call);
} tp_completion_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_COMPLETION_H */
