/* tp.config/1: the plugin's settings, read again by place. Offered by the host.
 *
 * They are the text that create() was given, and do not change while the instance lives: the host
 * reads its configuration once, at its start. There is no notice of changes. */
#ifndef TOOLPOST_EXT_CONFIG_H
#define TOOLPOST_EXT_CONFIG_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_CONFIG "tp.config/1"

typedef struct tp_config_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* The value at a place of the settings.
   * shape   pointer is a JSON pointer (RFC 6901) like "/server/port"; empty: all settings.
   * returns the value's JSON text; ptr NULL where there is none.
   * owner   borrowed until destroy() returns.
   * thread  [any-thread] */
  tp_str (*get)(tp_host* host, tp_str pointer);
} tp_config_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CONFIG_H */
