/* tp.announce/1: what a plugin tells of itself while it serves. Offered by the host.
 *
 * Every function only notes what changed and returns at once; the host acts on it soon, and tells
 * the clients that want to know. */
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

  /* The list of resources or templates, or of prompts, is another: the host asks for it again.
   * thread  [any-thread] */
  void (*resources_changed)(tp_host* host);
  void (*prompts_changed)(tp_host* host);

  /* What reading this URI gives is another.
   * owner   copied before return.
   * thread  [any-thread] */
  void (*resource_updated)(tp_host* host, tp_str uri);

  /* Takes one of the plugin's own tools out of the host's list (on: 0), or puts it back. All are in
   * the list at first.
   * shape   tool is an index into tp_plugin.tools.
   * returns TP_OK; TP_E_INVALID where there is no such tool.
   * thread  [any-thread] */
  tp_status (*offer_tool)(tp_host* host, uint32_t tool, int32_t on);
} tp_announce_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ANNOUNCE_H */
