/* tp.http/1 lets a plugin send HTTP requests through the host, so that the plugin needs no sockets.
 * The host offers tp.http/1 to plugins.
 *
 * HTTP requests go only to the origins in the plugin's `net` setting of the host's configuration.
 * By default, the `net` setting has no origins. The host sends requests over https only. The host
 * checks the IP addresses to which a host name resolves. The host refuses HTTP requests to private,
 * local and reserved addresses, also after a redirect. With `outbound.loopback`, the operator can
 * allow origins on the machine of the host. The settings in `outbound` limit time, bytes, redirects
 * and the number of HTTP requests. */
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

  /* Sends one HTTP request. call may be NULL.
   * shape   request_json is {"url": text, "method"?: "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS",
   *         "headers"?: [[name, value], ...], "timeout_ms"?: number, "max_bytes"?: number,
   *         "redirects"?: number}. max_bytes limits the response's body. If a member of
   *         request_json is absent or exceeds the host's limit, the host uses its own limit. The
   *         host itself sets the header Host and the headers that concern the connection.
   * returns a status, see reply.h.
   * answer  `number` is the HTTP status, also of an error response. `bytes` is the body of the
   *         response, decompressed. `json` is {"url": the final URL, "headers": [[name, value],
   *         ...]}. TP_E_DENIED: the origin or address is not allowed; TP_E_INVALID: a malformed
   *         request; TP_E_NOMEM: the response is too large; TP_E_DEADLINE; TP_E_BUSY: too many
   *         requests at the same time; TP_E_INTERNAL: no connection, a bad certificate or malformed
   *         HTTP.
   * thread  [any-thread] */
  tp_status (*request)(tp_host* host, const tp_call* call, tp_str request_json, tp_str body,
                       const tp_reply* reply);
} tp_http_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_HTTP_H */
