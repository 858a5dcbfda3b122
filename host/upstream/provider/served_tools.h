// Makes tools of this host from an upstream's definitions and its settings.
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
#include "tool/definition/tool.h"
#include "tool/provider/offers.h"

namespace host::upstream {

struct ServedTools {
  std::vector<std::shared_ptr<const tool::Tool>> tools;
  std::vector<std::string> names;       // as the upstream names them, by Tool::index()
  std::vector<tool::Refusal> refusals;  // tools that are not served, and why
};

// CPU time for making the tools of one upstream. Usual definitions need less than a millisecond
// each.
inline constexpr std::chrono::seconds kMostMakingTime{2};

// Makes the tools one by one, because the schemas of one tool may take 0.1 s to compile. The
// definitions are untrusted JSON texts, and each is checked independently. Any thread, one at a
// time.
class ToolMaker {
 public:
  // `clock`: the CPU time of the thread that calls step(). Unset: json/schema/time_budget.h.
  using CpuClock = std::function<std::chrono::nanoseconds()>;
  ToolMaker(config::Upstream upstream, std::vector<std::string> definitions, CpuClock clock = {});

  // Makes the next tool. False: no definition is left, or the time is over. Then the remaining
  // tools are refused.
  bool step();
  std::chrono::nanoseconds spent() const { return spent_; }
  // Call it after the last step.
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
