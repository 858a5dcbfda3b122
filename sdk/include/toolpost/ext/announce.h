/* tp.announce/1: notifications of a serving plugin about its tools, resources and prompts. Offered
 * by the host.
 *
 * Every function records the change and returns at once. Soon after that, the host acts on the
 * change and notifies the clients that subscribed. */
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

  /* Announce that the list of resources and templates, or the list of prompts, has changed. The
   * host then calls list() again.
   * thread  [any-thread] */
  void (*resources_changed)(tp_host* host);
  void (*prompts_changed)(tp_host* host);

  /* Announces that the contents of the resource with this URI have changed.
   * owner   copied before return.
   * thread  [any-thread] */
  void (*resource_updated)(tp_host* host, tp_str uri);

  /* Removes one of the plugin's own tools from the host's list (on is 0), or puts it back (on is
   * not 0). At first all tools are in the list.
   * shape   tool is an index into tp_plugin.tools.
   * returns TP_OK; TP_E_INVALID if there is no such tool.
   * thread  [any-thread] */
  tp_status (*offer_tool)(tp_host* host, uint32_t tool, int32_t on);
} tp_announce_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ANNOUNCE_H */
