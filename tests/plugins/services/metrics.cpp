// tp.metrics/1, by its table and by its C++ face. Built twice, as calls.cpp is.
#include <string>
#include <utility>
#include <vector>

#include "services.h"

namespace {

using toolpost::Context;

#if defined(SERVICES_SERIAL)
#define NAME(name) "serial_" name
#else
#define NAME(name) name
#endif

struct Measure {
  std::string act;  // "add", "set", "observe", or only "declare"
  std::uint32_t kind;
  std::string name;
  double value = 0;
  std::vector<std::string> labels = {};
  std::vector<std::string> values = {};
  std::vector<double> bounds = {};
  int times = 1;
  TOOLPOST_FIELDS(Measure, TOOLPOST_FIELD(act), TOOLPOST_FIELD(kind), TOOLPOST_FIELD(name),
                  TOOLPOST_FIELD(value), TOOLPOST_FIELD(labels, "", toolpost::defaulted),
                  TOOLPOST_FIELD(values, "", toolpost::defaulted),
                  TOOLPOST_FIELD(bounds, "", toolpost::defaulted), TOOLPOST_FIELD(times))
};

std::vector<tp_str> lend(const std::vector<std::string>& texts) {
  std::vector<tp_str> lent;
  for (const std::string& text : texts) lent.push_back({text.data(), text.size()});
  return lent;
}

// The table's answer, as it is.
std::string measure(const Measure& args, Context& call) {
  const auto* api = call.host().extension<tp_metrics_api>(TP_EXT_METRICS);
  if (api == nullptr) return "none";
  tp_host* const host = call.host().id();
  const std::vector<tp_str> labels = lend(args.labels);
  const std::vector<tp_str> values = lend(args.values);
  const tp_strs given = {values.data(), values.size()};
  const std::string help = "Of a test.";
  tp_metric metric{};
  metric.struct_size = sizeof metric;
  metric.kind = args.kind;
  metric.name = {args.name.data(), args.name.size()};
  metric.help = {help.data(), help.size()};
  metric.labels = {labels.data(), labels.size()};
  metric.bounds = args.bounds.data();
  metric.bound_count = args.bounds.size();
  std::uint32_t number = 0;
  tp_status status = api->declare(host, &metric, &number);
  for (int i = 0; i < args.times && status == TP_OK; ++i) {
    if (args.act == "add") status = api->add(host, number, given, args.value);
    if (args.act == "set") status = api->set(host, number, given, args.value);
    if (args.act == "observe") status = api->observe(host, number, given, args.value);
  }
  return std::to_string(status);
}

struct Bread {
  std::string bread;
  double loaves;
  TOOLPOST_FIELDS(Bread, TOOLPOST_FIELD(bread), TOOLPOST_FIELD(loaves))
};

std::string bake(Instance& instance, const Bread& args) {
  instance.sold.add(args.loaves, args.bread);
  instance.oven.set(args.loaves);
  instance.oven.add(-1);
  instance.baking.observe(std::chrono::milliseconds(30));
  return "baked";
}

}  // namespace

Services with_metrics(Services plugin) {
  return std::move(plugin)
      .tool(NAME("measure"), "Declares and measures", measure, {.read_only = true})
      .tool(NAME("bake"), "Counts loaves", bake, {.read_only = true});
}
