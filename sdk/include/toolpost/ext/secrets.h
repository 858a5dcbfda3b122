/* tp.secrets/1: secrets by name, from the environment of the host. Offered by the host.
 *
 * Only those that the plugin's `secrets` in the host's configuration name. Their values are taken
 * out of the lines that the plugin logs and of what it writes to its standard output and error;
 * what it puts into results, or writes in another form, is its own affair. */
#ifndef TOOLPOST_EXT_SECRETS_H
#define TOOLPOST_EXT_SECRETS_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_SECRETS "tp.secrets/1"

typedef struct tp_secrets_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* shape   name is that of an environment variable, like "API_TOKEN".
   * returns its value as it was when this instance was made; ptr NULL where the plugin may not have
   * it, or it is not set. owner   borrowed until destroy() returns. thread  [any-thread] */
  tp_str (*get)(tp_host* host, tp_str name);
} tp_secrets_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_SECRETS_H */
