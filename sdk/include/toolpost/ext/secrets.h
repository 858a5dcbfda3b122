/* tp.secrets/1 gives a plugin secrets by name, from the environment of the host. The host offers
 * tp.secrets/1 to plugins.
 *
 * A plugin gets only the secrets that its `secrets` setting in the host's configuration lists. The
 * host removes the values of a plugin's secrets from the plugin's log lines and from its standard
 * output and error. The host does not remove the values of secrets from results, and does not
 * recognise encoded values. */
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

  /* Returns the value of one secret.
   * shape   `name` is the name of an environment variable, like "API_TOKEN".
   * returns the value that the variable had when the host loaded the plugin; ptr is NULL if the
   *         variable is not set, or is not in the plugin's `secrets` setting.
   * owner   borrowed until destroy() returns.
   * thread  [any-thread] */
  tp_str (*get)(tp_host* host, tp_str name);
} tp_secrets_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_SECRETS_H */
