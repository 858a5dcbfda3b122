/* tp.state/1 passes state from the previous build of a plugin to a new build. The plugin offers
 * tp.state/1 to the host.
 *
 * The operator can switch the transfer of state off in the plugin's configuration (`state`). Before
 * a new build serves, the host
 *   1. starts no further call and waits for the running calls,
 *   2. gets the old instance's state from save() and passes it to the new instance's restore(),
 *   3. runs the calls that arrived meanwhile on the new instance.
 * If the host refuses the new build, the calls that waited run on the old instance, which continues
 * unchanged.
 *
 * The plugin defines the format of the saved bytes, and gives the format a version in schema_id.
 * Never save an image of the memory, because the new build can have different types. A worker that
 * replaces a crashed worker does not get the state, as the state could have caused the crash. */
#ifndef TOOLPOST_EXT_STATE_H
#define TOOLPOST_EXT_STATE_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_STATE "tp.state/1"

/* The host passes a tp_state_sink to save(), and save() writes the bytes of the state to it. The
 * tp_state_sink is valid until save() returns. */
typedef struct tp_state_sink {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Appends bytes to the state.
   * returns TP_OK; TP_E_NOMEM if the state would have more than 16 MiB. After TP_E_NOMEM, the host
   *         transfers no state.
   * owner   copied before return. */
  tp_status (*write)(const struct tp_state_sink* sink, tp_str bytes);
} tp_state_sink;

typedef struct tp_state_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  tp_str schema_id;  /* the format of save(), like "counter/2"; at most 256 bytes of UTF-8 */

  /* Writes the state. save() must not change the instance, because the instance can continue to
   * serve.
   * returns TP_OK; after a negative status, the host transfers no state.
   * thread  [control] The host calls save() while no call runs. */
  tp_status (*save)(tp_instance* self, const tp_state_sink* sink);

  /* Takes over the state that another build of this plugin saved, perhaps with an older schema_id.
   * returns TP_OK, or a negative status to refuse the state. If restore() refuses the state, the
   *         host destroys the instance. After a refusal, the host makes an instance without state
   *         or refuses the build, as the configuration says.
   * owner   borrowed until return.
   * thread  [control] The host calls restore() after create() and before activate(). */
  tp_status (*restore)(tp_instance* self, tp_str schema_id, tp_str bytes);
} tp_state_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_STATE_H */
