/* tp.resources/1: data that a client can read by its URI. Offered by the plugin.
 *
 * Source: MCP 2026-07-28, resources. */
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

  /* What there is, now. The host asks once after activate(), and again after tp.announce/1 told of
   * a change; it must be quick.
   * shape   pushes one TP_JSON: {"resources": [...], "resourceTemplates": [...]} of MCP's Resource
   *         and ResourceTemplate objects; either may be absent.
   * thread  [call] */
  tp_status (*list)(tp_instance* self, tp_call* call);

  /* Reads one.
   * shape   each TP_TEXT (mime: its media type; empty: text/plain) or TP_BLOB push is one item of
   *         its contents; TP_CONTENT is a whole ResourceContents object, for items that have a URI
   *         or _meta of their own.
   * returns TP_OK, TP_PENDING as call() does; TP_E_UNSUPPORTED where there is no such resource.
   * owner   uri is borrowed until return.
   * thread  [call] */
  tp_status (*read)(tp_instance* self, tp_str uri, tp_call* call);
} tp_resources_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_RESOURCES_H */
