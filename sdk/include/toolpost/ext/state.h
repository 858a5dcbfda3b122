/* tp.state/1: what a new build takes over from the one before. Offered by the plugin.
 *
 * When a new build is to serve, and the plugin's configuration wants it, the host lets no further
 * call begin, waits for those that run, takes the old instance's state by save() and gives it to
 * the new one by restore(). Calls that came meanwhile then run on the new instance; where the new
 * build is refused they run on the old one, which goes on as if nothing had been asked.
 *
 * The bytes are a format of the plugin's own with a version in schema_id, never an image of its
 * memory: the new build may have other types. A state is not handed to a worker that replaces a
 * crashed one: what led to the crash may be in it. */
#ifndef TOOLPOST_EXT_STATE_H
#define TOOLPOST_EXT_STATE_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_STATE "tp.state/1"

/* Where save() writes. Lent by the host until save() returns. */
typedef struct tp_state_sink {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Appends bytes.
   * returns TP_OK; TP_E_NOMEM beyond 16 MiB in all: then there is no state.
   * owner   copied before return. */
  tp_status (*write)(const struct tp_state_sink* sink, tp_str bytes);
} tp_state_sink;

typedef struct tp_state_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  tp_str schema_id;  /* of what save() writes, like "counter/2"; at most 256 bytes of UTF-8 */

  /* Writes the state; changes nothing, for the instance may have to go on.
   * returns TP_OK, or a negative status: then there is no state to hand over.
   * thread  [control] no call is inside. */
  tp_status (*save)(tp_instance* self, const tp_state_sink* sink);

  /* Takes over what another build of this plugin saved, perhaps under an older schema_id.
   * returns TP_OK; a negative status refuses it: then the instance is destroyed, and a fresh one
   *         made or the new build refused, as the configuration says.
   * owner   borrowed until return.
   * thread  [control] after create(), before activate(). */
  tp_status (*restore)(tp_instance* self, tp_str schema_id, tp_str bytes);
} tp_state_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_STATE_H */
