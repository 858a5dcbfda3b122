/* tp.kv/1: a plugin's own storage, kept over restarts of the host. Offered by the host.
 *
 * Keys are 1 to 512 bytes of UTF-8, values at most 1 MiB of any bytes. Plugins do not see each
 * other's keys. Each value has a version, which grows with every write to its plugin's storage and
 * is never used twice there: a write may insist on the version that it read. What was answered with
 * TP_OK survives a kill of the host.
 *
 * Answers that every function may give: TP_E_UNSUPPORTED where the host keeps no storage, or the
 * call has no session; TP_E_INTERNAL where the storage fails. */
#ifndef TOOLPOST_EXT_KV_H
#define TOOLPOST_EXT_KV_H

#include "toolpost/ext/reply.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_KV "tp.kv/1"

/* Whose keys: the plugin's, the same in all calls, or those that it keeps for the call's session.
 * Those of a session that nobody has written to for long go (`store.kv_session_ttl_s`). */
#define TP_KV_PLUGIN 0u
#define TP_KV_SESSION 1u

/* Versions that a write may insist on, beside one that was read. */
#define TP_KV_ANY UINT64_MAX /* whatever is there */
#define TP_KV_ABSENT 0u      /* nothing is there */

typedef struct tp_kv_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* call may be NULL where scope is TP_KV_PLUGIN, in all four.
   * returns see reply.h. Answer: number is the version, bytes the value; number 0: there is none.
   * thread  [any-thread] */
  tp_status (*get)(tp_host* host, const tp_call* call, uint32_t scope, tp_str key,
                   const tp_reply* reply);

  /* Answer: number is the new version. TP_E_CONFLICT: the version is not `expected`, number is the
   * one that is there, 0 for none. TP_E_NOMEM: over the plugin's quota (`store.kv_bytes`,
   * `store.kv_keys`), nothing was written.
   * thread  [any-thread] */
  tp_status (*set)(tp_host* host, const tp_call* call, uint32_t scope, tp_str key, tp_str value,
                   uint64_t expected, const tp_reply* reply);

  /* Answer: number is the version that was removed; 0: there was none. TP_E_CONFLICT as set().
   * thread  [any-thread] */
  tp_status (*remove)(tp_host* host, const tp_call* call, uint32_t scope, tp_str key,
                      uint64_t expected, const tp_reply* reply);

  /* The keys that begin with `prefix` and come after `after`, in the order of their bytes; both may
   * be empty. limit: 1 to 1,000. returns see reply.h. Answer: json is [{"key": text, "version":
   * number, "bytes": number}, ...]; number is 1 where more follow. thread  [any-thread] */
  tp_status (*list)(tp_host* host, const tp_call* call, uint32_t scope, tp_str prefix, tp_str after,
                    uint32_t limit, const tp_reply* reply);
} tp_kv_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_KV_H */
