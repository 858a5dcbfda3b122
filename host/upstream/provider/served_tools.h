// Makes this host's tools of an upstream's definitions, by its settings.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/upstream.h"
#include "tool/offers.h"
#include "tool/tool.h"

namespace host::upstream {

struct ServedTools {
  std::vector<std::shared_ptr<const tool::Tool>> tools;
  std::vector<std::string> names;       // as the upstream names them, by Tool::index()
  std::vector<tool::Refusal> refusals;  // those that are not served, and why
};

// CPU time for making the tools of one upstream. Usual definitions need less than a millisecond
// each.
inline constexpr std::chrono::seconds kMostMakingTime{2};

// Makes them one by one, because compiling the schemas of one tool may take 0.1 s. The definitions
// are JSON texts. Each is untrusted and judged for itself. Any thread, one at a time.
class ToolMaker {
 public:
  // `clock`: the CPU time of the thread that calls step(). Unset: json/schema/time_budget.h.
  using CpuClock = std::function<std::chrono::nanoseconds()>;
  ToolMaker(config::Upstream upstream, std::vector<std::string> definitions, CpuClock clock = {});

  // Makes the next tool. False: none is left, or the time is over. The rest is refused then.
  bool step();
  std::chrono::nanoseconds spent() const { return spent_; }
  // After the last step.
  ServedTools take() { return std::move(made_); }

 private:
  void make_next();
  void refuse_rest();

  const config::Upstream upstream_;
  const std::vector<std::string> definitions_;
  const CpuClock clock_;
  std::size_t next_ = 0;
  std::chrono::nanoseconds spent_{0};
  std::map<std::string, std::string, std::less<>> taken_;  // served name -> the upstream's name
  ServedTools made_;
};

// All steps at once.
ServedTools served_tools(const config::Upstream& upstream,
                         const std::vector<std::string>& definitions);

}  // namespace host::upstream
