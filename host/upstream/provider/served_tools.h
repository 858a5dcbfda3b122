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
#include "protocol/foreign_tasks.h"
#include "tool/definition/tool.h"
#include "tool/provider/offers.h"

namespace host::upstream {

struct ServedTools {
  std::vector<std::shared_ptr<const tool::Tool>> tools;
  std::vector<std::string> names;            // the upstream's names of the tools, by Tool::index()
  std::vector<protocol::TaskSupport> tasks;  // by Tool::index()
  std::vector<tool::Refusal> refusals;       // tools that are not served, and why
};

// kMostMakingTime is the limit of CPU time for making all tools of one upstream. Usual definitions
// need less than a millisecond each.
inline constexpr std::chrono::seconds kMostMakingTime{10};

// A ToolMaker makes the tools one by one, because compiling the schemas of one tool can take 0.1 s.
// The definitions are untrusted JSON texts, and the ToolMaker checks each definition independently.
// Any thread can call the functions of ToolMaker, but only one thread at a time.
class ToolMaker {
 public:
  // `clock` returns the CPU time of the thread that calls step(). If `clock` is unset, the
  // ToolMaker uses thread_cpu_time() of json/schema/time_budget.h.
  using CpuClock = std::function<std::chrono::nanoseconds()>;
  ToolMaker(std::shared_ptr<const config::Upstream> upstream, std::vector<std::string> definitions,
            CpuClock clock = {});

  // Makes the next tool. Returns false if no definition is left, or if the time limit is reached.
  // If the time limit is reached, the ToolMaker refuses the remaining tools.
  bool step();
  std::chrono::nanoseconds spent() const { return spent_; }
  // Returns the result. Call take() after the last step() of the ToolMaker.
  ServedTools take() { return std::move(made_); }

 private:
  void make_next();
  void refuse_rest();

  const std::shared_ptr<const config::Upstream> shared_upstream_;
  const config::Upstream& upstream_ = *shared_upstream_;
  const std::vector<std::string> definitions_;
  const CpuClock clock_;
  std::size_t next_ = 0;
  std::chrono::nanoseconds spent_{0};
  std::map<std::string, std::string, std::less<>> taken_;  // served name -> the upstream's name
  ServedTools made_;
};

// Runs all steps of a ToolMaker in one call.
ServedTools served_tools(const config::Upstream& upstream,
                         const std::vector<std::string>& definitions);

}  // namespace host::upstream
