/* With tp.selftest/1, a new build of a plugin tests itself. The plugin offers tp.selftest/1.
 *
 * The host runs the self-test on an activated instance before the build serves calls. If the
 * self-test fails, the host refuses the build, and the previous build continues to serve. */
#ifndef TOOLPOST_EXT_SELFTEST_H
#define TOOLPOST_EXT_SELFTEST_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_SELFTEST "tp.selftest/1"

typedef struct tp_selftest_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Tests the build.
   * returns TP_OK if this build can serve; otherwise a negative status: log() the reason.
   * thread  [control] */
  tp_status (*run)(tp_instance* self);
} tp_selftest_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_SELFTEST_H */
