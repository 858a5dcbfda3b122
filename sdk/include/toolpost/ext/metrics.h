/* tp.metrics/1: numbers about what a plugin does, for the operator's Prometheus. Offered by the
 * host.
 *
 * The host shows them at GET /metrics beside its own: NAME of plugin p as
 * plugin_NAME{plugin="p",...}. What is counted is gathered in the instance and told to the host
 * some four times a second and at the instance's end, so counting is cheap; a crash loses what was
 * not told yet. Numbers of all instances of a plugin come together, and go on over reloads, until
 * the host ends: a gauge that begins anew with each instance is set() by it first. What a trial of
 * a build counts is checked and dropped.
 *
 * Of one plugin the page has at most 64 metrics and 2,000 lines (a histogram has one a bound, and
 * three more, for each set of label values). Label values should be few: a tool, a kind, an
 * outcome; never a user, a path or an id. */
#ifndef TOOLPOST_EXT_METRICS_H
#define TOOLPOST_EXT_METRICS_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_METRICS "tp.metrics/1"

#define TP_METRIC_COUNTER 1u   /* only grows; its name ends in _total */
#define TP_METRIC_GAUGE 2u     /* goes up and down */
#define TP_METRIC_HISTOGRAM 3u /* how often values of which size came */

/* What a metric is.
 * shape   name: ^[a-z][a-z0-9_]{0,63}$, of what is counted and its unit, like "loaves_sold_total"
 * or "baking_seconds"; no gauge or histogram ends in _total, _count, _sum or _bucket. help: one
 *         sentence, at most 256 bytes. labels: names of at most 4 labels, formed like the metric's,
 *         each once, none "plugin" or "le". bounds: of a histogram alone, the upper bounds of its
 *         buckets, rising and finite, at most 24; none: 0.005 to 10, for seconds. */
typedef struct tp_metric {
  uint32_t struct_size;
  uint32_t kind; /* TP_METRIC_... */
  tp_str name;
  tp_str help;
  tp_strs labels;
  const double* bounds;
  uint64_t bound_count;
} tp_metric;

typedef struct tp_metrics_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Makes a metric known; one without labels is shown from then on, as 0. What was declared before
   * in the same way has the same number.
   * returns TP_OK with *number set, 1 or more; TP_E_INVALID for what has not the shape above, and
   * for a name that this instance has declared otherwise; TP_E_NOMEM beyond 64. owner   copied
   * before return. thread  [any-thread] */
  tp_status (*declare)(tp_host* host, const tp_metric* metric, uint32_t* number);

  /* Adds to a counter, value at least 0, or to a gauge.
   * shape   labels has the values, as many and in the order as they were declared: UTF-8 of at most
   *         128 bytes without zero bytes. value is finite. The same in all three.
   * returns TP_OK; TP_E_INVALID for a number or a shape that is none of these, or a metric of
   * another kind; TP_E_NOMEM where these label values are new and the plugin has its 2,000 lines;
   *         TP_E_BUSY from quiesce() on; TP_E_UNSUPPORTED where the host shows no metrics.
   * owner   copied before return.
   * thread  [any-thread] */
  tp_status (*add)(tp_host* host, uint32_t number, tp_strs labels, double value);

  /* Sets a gauge.
   * thread  [any-thread] */
  tp_status (*set)(tp_host* host, uint32_t number, tp_strs labels, double value);

  /* Counts a value in a histogram.
   * thread  [any-thread] */
  tp_status (*observe)(tp_host* host, uint32_t number, tp_strs labels, double value);
} tp_metrics_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_METRICS_H */
