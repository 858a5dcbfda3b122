/* tp.http/1: HTTP requests that the host makes for a plugin, which so needs no sockets. Offered by
 * the host.
 *
 * Only to origins in the plugin's `net` of the host's configuration, by default none. https only;
 * the addresses of a name are checked, and none that is private, local or otherwise not for the
 * outside is reached, by a redirect neither. Origins of the host's own machine can be let through
 * by `outbound.loopback`. Bounded by `outbound` in time, bytes, redirects and number. */
#ifndef TOOLPOST_EXT_HTTP_H
#define TOOLPOST_EXT_HTTP_H

#include "toolpost/ext/reply.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_HTTP "tp.http/1"

typedef struct tp_http_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* call may be NULL.
   * shape   request_json is {"url": text, "method"?: "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS",
   *         "headers"?: [[name, value], ...], "timeout_ms"?: number, "max_bytes"?: number of the
   *         response's body, "redirects"?: number to follow}; what is not given, and what is more
   * than the host allows, is the host's bound. Headers of the connection and Host are the host's.
   * returns see reply.h. Answer: number is the HTTP status, whatever it is, bytes the body,
   *         decompressed; json is {"url": where it came from, "headers": [[name, value], ...]}.
   *         TP_E_DENIED: an origin or address that may not be reached; TP_E_INVALID: a malformed
   *         request; TP_E_NOMEM: the response is too large; TP_E_DEADLINE; TP_E_BUSY: too many
   * requests at once; TP_E_INTERNAL: no connection, a bad certificate, broken HTTP. thread
   * [any-thread] */
  tp_status (*request)(tp_host* host, const tp_call* call, tp_str request_json, tp_str body,
                       const tp_reply* reply);
} tp_http_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_HTTP_H */
