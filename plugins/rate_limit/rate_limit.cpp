// rate_limit: an interceptor that refuses a principal's calls of a tool beyond a rate.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>

#include <toolpost/toolpost.hpp>

#include "allowance.h"

namespace {

struct Settings {
  int calls = 60;
  int per_s = 60;
  bool per_tool = true;

  TOOLPOST_FIELDS(Settings,
                  TOOLPOST_FIELD(calls, "Calls of one principal", toolpost::minimum(1),
                                 toolpost::maximum(1'000'000), toolpost::defaulted),
                  TOOLPOST_FIELD(per_s, "Within so many seconds", toolpost::minimum(1),
                                 toolpost::maximum(86'400), toolpost::defaulted),
                  TOOLPOST_FIELD(per_tool, "Each tool has its own rate", toolpost::defaulted))
};

class RateLimit {
 public:
  using Settings = ::Settings;

  explicit RateLimit(const Settings& settings)
      : settings_(settings), allowances_(settings.calls, std::chrono::seconds(settings.per_s)) {}

  toolpost::Verdict before(const toolpost::Intercepted& call, const toolpost::Context& context) {
    const std::lock_guard lock(mutex_);
    who_ = context.principal();
    // A principal has no line break in its name.
    if (settings_.per_tool) who_.append("\n").append(call.tool);
    const auto wait = allowances_.take(who_, std::chrono::steady_clock::now());
    if (wait == std::chrono::milliseconds::zero()) return {};
    const auto seconds = (wait.count() + 999) / 1000;
    return toolpost::Verdict::refuse(
        (settings_.per_tool ? "Too many calls of \"" + std::string(call.tool) + "\""
                            : "Too many calls") +
        ": at most " + std::to_string(settings_.calls) + " in " + std::to_string(settings_.per_s) +
        " s. Try again in " + std::to_string(std::max<std::int64_t>(seconds, 1)) + " s.");
  }

 private:
  const Settings settings_;
  std::mutex mutex_;  // guards the rest
  Allowances allowances_;
  std::string who_;  // of the call that runs: its room serves the next one
};

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<RateLimit>({.id = "io.toolpost.rate_limit",
                                             .name = "Rate limit",
                                             .version = TOOLPOST_VERSION,
                                             .concurrent = true})
                    .before_calls(&RateLimit::before)
                    .intercepts_at_once())
