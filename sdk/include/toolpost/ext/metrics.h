/* tp.metrics/1 lets a plugin report metrics for Prometheus. The host offers tp.metrics/1 to
 * plugins.
 *
 * The host's page GET /metrics shows the metrics of plugins together with the host's metrics. The
 * metric NAME of the plugin p appears as plugin_NAME{plugin="p",...}. The instance collects the
 * values of its metrics, and sends them to the host about four times a second and when the instance
 * ends. If the instance crashes, values of metrics that it has not sent yet are lost. The host adds
 * up the values of all instances of a plugin. The sums of the values continue when the plugin is
 * reloaded, until the host ends. If a gauge must begin with a new value in each instance, call
 * set() before add(). If the host loads a build only to validate it, the host checks the metrics of
 * the build and then drops them.
 *
 * A plugin can have at most 64 metrics and 2,000 lines in GET /metrics. For each combination of
 * label values, a histogram needs one line for each bound and three more lines. Use labels that
 * have only few different values: a tool, a kind, an outcome. Never use a user, a path or an id as
 * a label value. */
#ifndef TOOLPOST_EXT_METRICS_H
#define TOOLPOST_EXT_METRICS_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_METRICS "tp.metrics/1"

#define TP_METRIC_COUNTER 1u   /* a counter only increases; its name ends in _total */
#define TP_METRIC_GAUGE 2u     /* a gauge can increase and decrease */
#define TP_METRIC_HISTOGRAM 3u /* a histogram counts values by size */

/* tp_metric is the declaration of a metric.
 * shape   `name` matches ^[a-z][a-z0-9_]{0,63}$. The name of a metric says what is counted, and the
 *         unit, like "loaves_sold_total" or "baking_seconds". The name of a gauge or histogram must
 *         not end in _total, _count, _sum or _bucket. `help` is one sentence of at most 256 bytes.
 *         `labels` has at most 4 different names. Each name of a label matches the pattern of
 *         metric names. The label names "plugin" and "le" are not allowed. `bounds` has the upper
 *         bounds of a histogram's buckets: at most 24, finite, in ascending order. If `bounds` is
 *         empty, the host uses bounds from 0.005 to 10, which suit times in seconds. For counters
 *         and gauges, `bounds` must be empty. */
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

  /* Declares a metric. GET /metrics shows a metric without labels immediately, with the value 0. If
   * the plugin declares the same metric again, declare() gives the same number.
   * returns TP_OK with *number set, 1 or more; TP_E_INVALID if the declaration does not have the
   *         shape above, or if this instance has declared the name differently before; TP_E_NOMEM
   *         if the plugin has 64 metrics already.
   * owner   copied before return.
   * thread  [any-thread] */
  tp_status (*declare)(tp_host* host, const tp_metric* metric, uint32_t* number);

  /* Adds a value to a counter or a gauge. What follows about the parameters and statuses of add()
   * is also true for set() and observe().
   * shape   `labels` has one value for each declared label, in the same order: UTF-8 of at most 128
   *         bytes without NUL. `value` is finite, and not negative for a counter.
   * returns TP_OK; TP_E_INVALID for an unknown number, a metric of another kind, or labels or a
   *         value of another shape; TP_E_NOMEM if these label values are new and the plugin already
   *         has 2,000 lines; TP_E_BUSY after quiesce() was called; TP_E_UNSUPPORTED if metrics are
   *         off in the host's configuration (`metrics.enabled`).
   * owner   copied before return.
   * thread  [any-thread] */
  tp_status (*add)(tp_host* host, uint32_t number, tp_strs labels, double value);

  /* Sets the value of a gauge.
   * thread  [any-thread] */
  tp_status (*set)(tp_host* host, uint32_t number, tp_strs labels, double value);

  /* Adds a value to a histogram.
   * thread  [any-thread] */
  tp_status (*observe)(tp_host* host, uint32_t number, tp_strs labels, double value);
} tp_metrics_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_METRICS_H */
