/* tp.attachments/1: files that were given along with a call, for the plugin and never for the
 * model. Offered by the host, which holds them: a plugin needs no grant for its reading.
 *
 * A file has an id, by which it is asked for; its name and content type are what the giver said of
 * it, and no more to be trusted than its bytes. */
#ifndef TOOLPOST_EXT_ATTACHMENTS_H
#define TOOLPOST_EXT_ATTACHMENTS_H

#include "toolpost/ext/reply.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_ATTACHMENTS "tp.attachments/1"

#define TP_ATTACHMENT_PIECE 1048576u /* most bytes of one read() */

typedef struct tp_attachments_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* What was given along with the call. returns see reply.h. Answer: json is [{"id": text, "name":
   * text, "content_type": text, "bytes": number}, ...], in the giver's order.
   * thread  [any-thread] */
  tp_status (*list)(tp_host* host, const tp_call* call, const tp_reply* reply);

  /* A piece of a file. most: 1 to TP_ATTACHMENT_PIECE. returns see reply.h. Answer: bytes is the
   * piece that begins at `offset`, shorter than `most` only where the file ends; number is the
   * length of the file now. TP_E_INVALID: the call has no file of that id.
   * thread  [any-thread] */
  tp_status (*read)(tp_host* host, const tp_call* call, tp_str id, uint64_t offset, uint32_t most,
                    const tp_reply* reply);
} tp_attachments_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ATTACHMENTS_H */
