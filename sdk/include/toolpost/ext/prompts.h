/* tp.prompts/1 offers prompts that a user can choose. The plugin offers tp.prompts/1 to the host.
 *
 * tp.prompts/1 follows the section "prompts" of MCP 2026-07-28. */
#ifndef TOOLPOST_EXT_PROMPTS_H
#define TOOLPOST_EXT_PROMPTS_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_PROMPTS "tp.prompts/1"

typedef struct tp_prompts_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Lists the current prompts. The host calls list() once after activate(), and again after the
   * plugin has announced a change with tp.announce/1. The function list() must be fast.
   * shape   list() pushes one TP_JSON: an array of MCP's Prompt objects.
   * thread  [call] */
  tp_status (*list)(tp_instance* self, tp_call* call);

  /* Makes one prompt. The host has checked that every required argument is present.
   * shape   `args_json` is one JSON object whose members are texts. get() pushes one TP_JSON:
   *         {"description"?: text, "messages": [{"role": "user|assistant", "content": {...}}]}.
   * returns TP_OK, or TP_PENDING if the prompt follows later (see call() in plugin.h);
   *         TP_E_UNSUPPORTED if there is no such prompt. If a failure should be read by the caller,
   *         push it with host->error.
   * owner   `name` and `args_json` are valid until get() returns.
   * thread  [call] */
  tp_status (*get)(tp_instance* self, tp_str name, tp_str args_json, tp_call* call);
} tp_prompts_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_PROMPTS_H */
