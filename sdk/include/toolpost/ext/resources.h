/* tp.resources/1 offers data that a client can read by URI. The plugin offers tp.resources/1 to the
 * host.
 *
 * tp.resources/1 follows the section "resources" of MCP 2026-07-28. */
#ifndef TOOLPOST_EXT_RESOURCES_H
#define TOOLPOST_EXT_RESOURCES_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_RESOURCES "tp.resources/1"

typedef struct tp_resources_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Lists the current resources. The host calls list() once after activate(), and again after the
   * plugin has announced a change with tp.announce/1. The function list() must be fast.
   * shape   list() pushes one TP_JSON: {"resources": [...], "resourceTemplates": [...]}. The arrays
   *         contain MCP's Resource and ResourceTemplate objects; either array may be absent.
   * thread  [call] */
  tp_status (*list)(tp_instance* self, tp_call* call);

  /* Reads one resource.
   * shape   Each pushed TP_TEXT or TP_BLOB is one item of the resource's contents. `mime` is the
   *         media type of the item. For TP_TEXT, an empty `mime` means text/plain. To give an item
   *         a different URI or _meta, push a whole ResourceContents object as TP_CONTENT.
   * returns TP_OK, or TP_PENDING if the contents follow later (see call() in plugin.h);
   *         TP_E_UNSUPPORTED if there is no such resource.
   * owner   uri is borrowed until return.
   * thread  [call] */
  tp_status (*read)(tp_instance* self, tp_str uri, tp_call* call);
} tp_resources_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_RESOURCES_H */
