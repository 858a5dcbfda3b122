/* tp.announce/1 lets a serving plugin report changes of its tools, resources and prompts. The host
 * offers tp.announce/1 to plugins.
 *
 * Every function of tp.announce/1 records the change and returns immediately. Soon after the
 * function has returned, the host applies the change to its lists and notifies the clients that
 * subscribed to such changes. */
#ifndef TOOLPOST_EXT_ANNOUNCE_H
#define TOOLPOST_EXT_ANNOUNCE_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_ANNOUNCE "tp.announce/1"

typedef struct tp_announce_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* resources_changed() announces that the plugin's list of resources and templates has changed.
   * The function prompts_changed() announces that the plugin's list of prompts has changed. After
   * resources_changed() or prompts_changed(), the host calls the list() function of tp.resources/1
   * or tp.prompts/1 again.
   * thread  [any-thread] */
  void (*resources_changed)(tp_host* host);
  void (*prompts_changed)(tp_host* host);

  /* Announces that the contents of the resource with this URI have changed.
   * owner   copied before return.
   * thread  [any-thread] */
  void (*resource_updated)(tp_host* host, tp_str uri);

  /* Removes one of the plugin's tools from the host's list if `on` is 0, or puts the tool back if
   * `on` is not 0. When the plugin starts, all its tools are in the list.
   * shape   `tool` is an index into tp_plugin.tools.
   * returns TP_OK; TP_E_INVALID if there is no such tool.
   * thread  [any-thread] */
  tp_status (*offer_tool)(tp_host* host, uint32_t tool, int32_t on);
} tp_announce_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ANNOUNCE_H */
