/* tp.timer/1: functions that are called after a time. Offered by the host.
 *
 * All of an instance's timers share one thread with its answers (reply.h): a function should be
 * quick, and may not wait for an answer. None is called once quiesce() is: those that are left are
 * dropped, and the host's log says how many. */
#ifndef TOOLPOST_EXT_TIMER_H
#define TOOLPOST_EXT_TIMER_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_TIMER "tp.timer/1"

typedef struct tp_timer_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* units   milliseconds, at most 10 years. period_ms 0: once; else again and again, each turn that
   *         long after the one before was due, and at once where it is late.
   * returns the timer's name, never 0; 0 where 256 of this instance's wait already, or it is
   * quiescing. owner   context is the plugin's, until the timer is over. thread  [any-thread] */
  uint64_t (*start)(tp_host* host, uint64_t delay_ms, uint64_t period_ms,
                    void (*act)(void* context), void* context);

  /* After this its function is not called any more, nor is it being called; save on the timers' own
   * thread, where it may be this very call.
   * returns TP_OK; TP_E_INVALID where it is over.
   * thread  [any-thread] */
  tp_status (*stop)(tp_host* host, uint64_t timer);
} tp_timer_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_TIMER_H */
