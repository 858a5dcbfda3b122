/* tp.config/1 lets a plugin read its settings by JSON pointer. The host offers tp.config/1 to
 * plugins.
 *
 * The settings are the same as those that create() received. The settings of a plugin do not change
 * while the instance exists. If the operator changes the settings in the host's configuration, the
 * new settings apply after a restart of the host. */
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

  /* Returns one value of the settings.
   * shape   `pointer` is a JSON pointer (RFC 6901) like "/server/port", or empty for all settings.
   * returns the value as JSON text; ptr is NULL if the settings have no such value.
   * owner   The returned text is valid until destroy() returns.
   * thread  [any-thread] */
  tp_str (*get)(tp_host* host, tp_str pointer);
} tp_config_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_CONFIG_H */
