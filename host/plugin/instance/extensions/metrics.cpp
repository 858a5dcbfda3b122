#include <toolpost/ext/metrics.h>

#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

using Act = MetricsBoard::Act;

tp_status declare(tp_host* host, const tp_metric* metric, std::uint32_t* number) {
  if (!metric || !number) return TP_E_INVALID;
  return Instance::of(host).metrics().declare(*metric, *number);
}

tp_status add(tp_host* host, std::uint32_t number, tp_strs labels, double value) {
  return Instance::of(host).metrics().measure(Act::Add, number, labels, value);
}

tp_status set(tp_host* host, std::uint32_t number, tp_strs labels, double value) {
  return Instance::of(host).metrics().measure(Act::Set, number, labels, value);
}

tp_status observe(tp_host* host, std::uint32_t number, tp_strs labels, double value) {
  return Instance::of(host).metrics().measure(Act::Observe, number, labels, value);
}

}  // namespace

extern const tp_metrics_api kMetricsTable = {
    sizeof(tp_metrics_api), 0, &declare, &add, &set, &observe};

}  // namespace host::plugin
