/* How the host's services answer: tp.kv/1, tp.call_tool/1, tp.http/1, tp.attachments/1. Shared by
 * their headers.
 *
 * A function that takes a tp_reply returns at once: TP_OK where the request was taken, and then
 * reply->done is called exactly once; anything else where it was not, and then done is never
 * called. Requests are taken from the return of activate() until quiesce() is called.
 *
 * A request that names a call belongs to it: where the call ends or is cancelled first, the answer
 * is TP_E_CANCELLED. So are the answers to whatever is open when quiesce() is called. What was
 * asked may have happened all the same.
 *
 * returns TP_OK; TP_E_INVALID for a malformed request; TP_E_NOMEM for one over 4 MiB; TP_E_BUSY
 * where 1,024 requests of this instance are open, or it does not serve yet or any more;
 *         TP_E_CANCELLED where the call has ended or was cancelled; TP_E_UNSUPPORTED where the host
 *         does not offer the service, and in the trial of a build; TP_E_WOULD_WAIT as below.
 * owner   what is given is copied before return; the tp_reply itself too. */
#ifndef TOOLPOST_EXT_REPLY_H
#define TOOLPOST_EXT_REPLY_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Statuses beside those of plugin.h. */
#define TP_E_WOULD_WAIT (-9) /* nothing may wait on this thread: the answer would never come */
#define TP_E_CONFLICT (-10)  /* somebody else was first: look again */

typedef struct tp_answer {
  uint32_t struct_size;
  tp_status status; /* TP_OK, or why not */
  uint64_t number;  /* what each function says: a version, an HTTP status */
  tp_str json;      /* one JSON value, or empty */
  tp_str bytes;     /* raw; where status is no TP_OK: why, in words */
} tp_answer;

/* The thread that asks waits for the answer: then done may be called on any thread, and must only
 * wake the one that waits. Refused with TP_E_WOULD_WAIT on threads that may not wait: in the call
 * of a tool that says NONBLOCKING, and in done() and timers. */
#define TP_REPLY_WAITS 1u

typedef struct tp_reply {
  uint32_t struct_size;
  uint32_t flags; /* TP_REPLY_... */
  void* context;  /* the plugin's own */

  /* owner   answer and its texts are borrowed until return.
   * thread  without TP_REPLY_WAITS on one thread of the instance's own, which its timers share,
   * never before the asking function returned there, and never after destroy(). It should be quick:
   *         the next answer waits for it. */
  void (*done)(void* context, const tp_answer* answer);
} tp_reply;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_REPLY_H */
