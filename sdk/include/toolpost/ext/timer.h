/* tp.timer/1 calls a function of the plugin after a delay. The host offers tp.timer/1 to plugins.
 *
 * The functions of all timers of an instance, and the functions that get the answers of services
 * (reply.h), run on one thread. So the function of a timer should be fast, and must not wait for
 * the answer of a service. After quiesce() was called, no timer fires. After quiesce(), the host
 * drops the remaining timers and logs their number. */
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

  /* Starts a timer that calls act(context).
   * units   delay_ms and period_ms are milliseconds, at most 10 years. If period_ms is 0, the timer
   *         fires once. If period_ms is not 0, the timer fires again period_ms after the time at
   *         which it was last due. If the next time of the timer is already past, the timer fires
   *         immediately.
   * returns the timer's number; 0 if 256 timers of this instance are waiting, if a time is too
   *         long, or if quiesce() was called.
   * owner   context belongs to the plugin and must be valid until the timer has ended.
   * thread  [any-thread] */
  uint64_t (*start)(tp_host* host, uint64_t delay_ms, uint64_t period_ms,
                    void (*act)(void* context), void* context);

  /* Stops a timer and waits until the timer's function has returned. On the thread of the timers,
   * stop() does not wait, because the timer's function may be the caller.
   * returns TP_OK; TP_E_INVALID if the timer has already ended.
   * thread  [any-thread] */
  tp_status (*stop)(tp_host* host, uint64_t timer);
} tp_timer_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_TIMER_H */
