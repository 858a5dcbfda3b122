/* tp.attachments/1 gives a plugin the files that were sent with a call. The plugin gets the files
 * of a call, but the model never gets them. The host offers tp.attachments/1 and stores the files,
 * so a plugin needs no permission to read them.
 *
 * The host opens an uploaded file when the call's tool is about to run. Before the tool runs, for
 * example in a check function of the tool, list() lists the file, but read() and open() fail with
 * TP_E_INVALID.
 *
 * In the functions of tp.attachments/1, `id` is the id of a file that list() lists. Do not trust a
 * file's name and content type, because the sender of the call chooses them. */
#ifndef TOOLPOST_EXT_ATTACHMENTS_H
#define TOOLPOST_EXT_ATTACHMENTS_H

#include "toolpost/ext/reply.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_ATTACHMENTS "tp.attachments/1"

#define TP_ATTACHMENT_PIECE 1048576u /* one read() reads at most this number of bytes */
#define TP_ATTACHMENT_OPENS 64u      /* open() can succeed this number of times in one call */

typedef struct tp_attachments_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Lists the files that were sent with the call.
   * returns a status, see reply.h.
   * answer  `json` is an array with one object for each file: [{"id": text, "name": text,
   *         "content_type": text, "bytes": number, "sha256": text, "url": text}, ...], in the
   *         sender's order. `sha256` (in hex) and `url` are present for files that a client
   *         uploaded. `url` is signed: anyone who has the URL can download the file until the URL
   *         expires. `url` is absent if clients cannot reach this host over HTTP.
   * thread  [any-thread] */
  tp_status (*list)(tp_host* host, const tp_call* call, const tp_reply* reply);

  /* Reads a piece of a file.
   * units   `offset` and `most` are in bytes. `most` is the length of the piece, 1 to
   *         TP_ATTACHMENT_PIECE.
   * returns a status, see reply.h.
   * answer  `bytes` is the piece of the file at `offset`. The piece is shorter than `most` only at
   *         the end of the file. `number` is the file's current length. TP_E_INVALID: the call has
   *         no file with that id.
   * thread  [any-thread] */
  tp_status (*read)(tp_host* host, const tp_call* call, tp_str id, uint64_t offset, uint32_t most,
                    const tp_reply* reply);

  /* Opens a file for reading. The table tp_attachments_api of an older host ends before open(), so
   * check TP_HAS(tp_attachments_api, api, open) first. The plugin can read and map the opened
   * descriptor, also after the end of the call and after the host has removed the file. The opened
   * descriptor has its own offset and is closed on exec. The plugin gets no path of the file. In
   * the sandbox, the plugin cannot open the file by a name.
   * returns a status, see reply.h.
   * answer  `number` is the descriptor of the file. TP_E_INVALID: the call has no file with that
   *         id. TP_E_BUSY: the call has opened files TP_ATTACHMENT_OPENS times, or too many
   *         descriptors are on their way from the host to the worker. TP_E_NOMEM: this process or
   *         the host has too many open descriptors.
   * owner   if done() gets TP_OK, the plugin owns the descriptor and closes it.
   * thread  [any-thread] */
  tp_status (*open)(tp_host* host, const tp_call* call, tp_str id, const tp_reply* reply);
} tp_attachments_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ATTACHMENTS_H */
