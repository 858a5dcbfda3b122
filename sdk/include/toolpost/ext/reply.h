/* reply.h says how a plugin gets the answers of five services of the host: tp.kv/1, tp.call_tool/1,
 * tp.http/1, tp.attachments/1 and tp.history/1.
 *
 * A function that takes a tp_reply does not wait for the answer. If a function that takes a
 * tp_reply returns TP_OK, the host has accepted the request and calls reply->done exactly once. If
 * a function that takes a tp_reply returns any other status, the host never calls done. The host
 * accepts requests to its services from the end of activate() until quiesce().
 *
 * A request belongs to the call that is passed with it. If a call ends or is cancelled before its
 * request has ended, the request gets TP_E_CANCELLED. Requests that are still open when the host
 * calls quiesce() also get TP_E_CANCELLED. The host may nevertheless have executed a request that
 * gets TP_E_CANCELLED.
 *
 * returns TP_OK; TP_E_INVALID for a malformed request; TP_E_NOMEM for a request of more than 4 MiB;
 *         TP_E_CANCELLED if the call has ended or was cancelled; TP_E_WOULD_WAIT: see
 *         TP_REPLY_WAITS. A function returns TP_E_BUSY if 1,024 requests of this instance are open,
 *         before activate() has returned, and after quiesce() was called. A function returns
 *         TP_E_UNSUPPORTED if the host does not offer the service, or if the host loaded this build
 *         only to validate it.
 * answer  done() gets TP_E_BUSY if the open requests of this instance have more than 16 MiB
 *         together.
 * owner   The host copies everything that is passed, including the tp_reply itself, before
 *         return. */
#ifndef TOOLPOST_EXT_REPLY_H
#define TOOLPOST_EXT_REPLY_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The statuses below are used in addition to those of plugin.h. */
#define TP_E_WOULD_WAIT (-9) /* the calling thread must not wait for an answer */
#define TP_E_CONFLICT (-10)  /* another call has changed the value: read it again */

typedef struct tp_answer {
  uint32_t struct_size;
  tp_status status; /* TP_OK, or the reason why the request failed */
  uint64_t number;  /* each function defines what number means, for example a version */
  tp_str json;      /* the answer as one JSON value; or empty */
  tp_str bytes;     /* the answer as raw bytes; if status is not TP_OK, the reason as text */
} tp_answer;

/* TP_REPLY_WAITS is a flag: the thread that made the request waits for the answer. With the flag
 * TP_REPLY_WAITS, the host can call done on any thread, and done must only wake the waiting thread.
 * A thread that must not wait gets TP_E_WOULD_WAIT as the status. A thread must not wait in a call
 * of a tool with TP_TOOL_NONBLOCKING, in cancel(), in done() and in the functions of timers. */
#define TP_REPLY_WAITS 1u

typedef struct tp_reply {
  uint32_t struct_size;
  uint32_t flags; /* TP_REPLY_... */
  void* context;  /* the host passes context to done, and does not read it */

  /* Receives the answer. done() should be fast, because the next answer waits for it.
   * owner   `answer` and its texts are valid until done() returns.
   * thread  Without TP_REPLY_WAITS, the host calls done on one thread of this instance, on which
   *         the timers of the instance also run. The host never calls done after destroy(). If the
   *         thread of done() made the request, the host calls done only after the request has
   *         returned. */
  void (*done)(void* context, const tp_answer* answer);
} tp_reply;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_REPLY_H */
