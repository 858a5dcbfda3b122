#include "app/serve/readiness.h"

#include "app/core/core.h"

namespace host::app {
namespace {

using plugin::PluginStatus;

// Its error may name files, and /readyz is open to everybody: `toolpost plugins` has it.
std::string refusal_of(const PluginStatus& one) {
  const std::string whose = "plugin \"" + one.name + "\" ";
  if (one.state == plugin::State::Quarantined)
    return whose + "is quarantined: it crashed too often, and its calls fail";
  if (one.serving && !one.last_error.empty())
    return whose + "has a newer build that is rejected: the previous build serves";
  if (one.state == plugin::State::Rejected) return whose + "is rejected: it does not serve";
  return {};
}

class Report {
 public:
  enum class Grade { Told, NotReady };

  void add(Grade grade, const std::string& line) {
    if (line.empty()) return;
    lines_ += line + '\n';
    ready_ = ready_ && grade == Grade::Told;
  }
  Readiness take() const { return {ready_, (ready_ ? "ready\n" : "not ready\n") + lines_}; }

 private:
  std::string lines_;
  bool ready_ = true;
};

}  // namespace

Readiness readiness_of(Core& core, bool stopping) {
  if (stopping) return {false, "stopping\n"};
  using Grade = Report::Grade;
  Report report;
  if (core.desk()) {
    report.add(Grade::NotReady, core.desk()->loss());
    const std::string& fault = core.desk()->fault();  // most calls are served all the same
    if (!fault.empty()) report.add(Grade::Told, "the store cannot be written to: " + fault);
  }
  core.audit().look();
  report.add(core.audit().required() ? Grade::NotReady : Grade::Told, core.audit().fault());
  for (const PluginStatus& one : core.plugins().status()) report.add(Grade::Told, refusal_of(one));
  return report.take();
}

}  // namespace host::app
