#include "router/live/call_metrics.h"

#include <chrono>
#include <string_view>

#include "tool/call/outcome.h"

namespace host::router {
namespace {

using metrics::Kind;

}  // namespace

CallMetrics::CallMetrics(metrics::Registry& registry)
    : calls_(registry.add({"toolpost_calls_total",
                           Kind::Counter,
                           "Calls that ended, by what they called and how they ended.",
                           {"kind", "tool", "outcome"},
                           {},
                           4000})),
      durations_(
          registry.add({"toolpost_call_duration_seconds",
                        Kind::Histogram,
                        "From a call's arrival to its end, waiting and asking included.",
                        {"kind", "tool"},
                        {0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300},
                        1000})) {}

void CallMetrics::ended(const tool::Call& call, const Result<tool::CallResult>& result,
                        SteadyTime now) {
  const std::string_view kind = tool::kind_of(call.function);
  // Only names in the catalog: a client can invent any number of names and URIs.
  const bool known = call.function == tool::Function::Call && !call.provider.empty();
  const std::string_view name = known ? std::string_view(call.name) : std::string_view();
  calls_.ensure({kind, name, tool::outcome_of(call, result)}).value += 1;
  durations_.observe(durations_.ensure({kind, name}),
                     std::chrono::duration<double>(now - call.started).count());
}

}  // namespace host::router
