/* tp.kv/1 gives each plugin a private key-value storage, which survives restarts of the host. The
 * host offers tp.kv/1 to plugins.
 *
 * Keys are 1 to 512 bytes of UTF-8. Values are any bytes, at most 1 MiB. A plugin does not see the
 * keys of other plugins. Each value has a version. Each write to the plugin's storage uses a
 * version that is higher than all versions before, so the storage never uses a version twice. When
 * a plugin writes a value, it can pass the version that it has read. If the value has a newer
 * version, the write fails. A write whose answer is TP_OK survives a kill of the host.
 *
 * The answer of every function is TP_E_UNSUPPORTED if the host has no storage, or if scope is
 * TP_KV_SESSION and the call has no session. The answer of every function is TP_E_INTERNAL if the
 * storage fails. */
#ifndef TOOLPOST_EXT_KV_H
#define TOOLPOST_EXT_KV_H

#include "toolpost/ext/reply.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_KV "tp.kv/1"

/* The scopes of keys: TP_KV_PLUGIN: the plugin has one storage, which is the same in all calls.
 * TP_KV_SESSION: the plugin has one storage for each session, and the call determines the session.
 * The keys of a session expire `store.kv_session_ttl_s` seconds after the plugin last wrote a key
 * of the session. */
#define TP_KV_PLUGIN 0u
#define TP_KV_SESSION 1u

/* The parameter `expected` is TP_KV_ANY, TP_KV_ABSENT, or a version of the value that the plugin
 * has read. */
#define TP_KV_ANY UINT64_MAX /* the write ignores the version of the value */
#define TP_KV_ABSENT 0u      /* the write fails if the key already has a value */

typedef struct tp_kv_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Reads a value. In get(), set(), remove() and list(), call may be NULL if scope is TP_KV_PLUGIN.
   * returns a status, see reply.h.
   * answer  `number` is the version of the value, and `bytes` is the value. `number` is 0 if the
   *         key has no value.
   * thread  [any-thread] */
  tp_status (*get)(tp_host* host, const tp_call* call, uint32_t scope, tp_str key,
                   const tp_reply* reply);

  /* Writes a value if the current version of the key's value is `expected`.
   * returns a status, see reply.h.
   * answer  `number` is the new version of the value. TP_E_CONFLICT: the key's version is not
   *         `expected`, and `number` is the current version, or 0 if the key has no value.
   *         TP_E_NOMEM: the write would exceed the plugin's quota (`store.kv_bytes`,
   *         `store.kv_keys`).
   * thread  [any-thread] */
  tp_status (*set)(tp_host* host, const tp_call* call, uint32_t scope, tp_str key, tp_str value,
                   uint64_t expected, const tp_reply* reply);

  /* Removes a value if the current version of the key's value is `expected`.
   * returns a status, see reply.h.
   * answer  `number` is the version that was removed, or 0 if the key had no value. TP_E_CONFLICT
   *         has the same meaning as in set().
   * thread  [any-thread] */
  tp_status (*remove)(tp_host* host, const tp_call* call, uint32_t scope, tp_str key,
                      uint64_t expected, const tp_reply* reply);

  /* Lists the keys that begin with `prefix` and sort after `after`, in the order of their bytes.
   * shape   `prefix` and `after` may be empty. `limit` is 1 to 1,000 keys.
   * returns a status, see reply.h.
   * answer  `json` is an array of keys: [{"key": text, "version": number, "bytes": number}, ...].
   *         `number` is 1 if more keys follow.
   * thread  [any-thread] */
  tp_status (*list)(tp_host* host, const tp_call* call, uint32_t scope, tp_str prefix, tp_str after,
                    uint32_t limit, const tp_reply* reply);
} tp_kv_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_KV_H */
