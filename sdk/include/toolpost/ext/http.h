/* tp.http/1: HTTP requests that the host makes for a plugin, so that the plugin needs no sockets.
 * Offered by the host.
 *
 * Requests go only to the origins in the plugin's `net` setting of the host's configuration. By
 * default, this setting has no origins. Requests use https only. The host checks the addresses
 * that a name resolves to and refuses private, local and reserved addresses, also after a
 * redirect. The operator can allow origins on the host's own machine with `outbound.loopback`.
 * The settings in `outbound` limit time, bytes, redirects and the number of requests. */
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

  /* Makes one request. call may be NULL.
   * shape   request_json is {"url": text, "method"?: "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS",
   *         "headers"?: [[name, value], ...], "timeout_ms"?: number, "max_bytes"?: number,
   *         "redirects"?: number}. max_bytes limits the response's body. The host's limits apply to
   *         members that are absent or exceed them. The host sets Host and the headers of the
   *         connection itself.
   * returns see reply.h.
   * answer  number is the HTTP status, also of an error response; bytes is the body, decompressed;
   *         json is {"url": the final URL, "headers": [[name, value], ...]}.
   *         TP_E_DENIED: the origin or address is not allowed; TP_E_INVALID: a malformed request;
   *         TP_E_NOMEM: the response is too large; TP_E_DEADLINE; TP_E_BUSY: too many requests at
   *         once; TP_E_INTERNAL: no connection, a bad certificate or malformed HTTP.
   * thread  [any-thread] */
  tp_status (*request)(tp_host* host, const tp_call* call, tp_str request_json, tp_str body,
                       const tp_reply* reply);
} tp_http_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_HTTP_H */
