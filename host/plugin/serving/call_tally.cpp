#include "plugin/serving/call_tally.h"

namespace host::plugin {
namespace {

constexpr std::uint32_t kRemembered = 1000;  // beyond it, what is old counts half
constexpr std::uint32_t kFewestBefore = 10;

}  // namespace

bool CallTally::is_fault(const tool::Invocation& call, const Result<tool::CallResult>& end,
                         SteadyTime now) {
  if (end) return false;
  const bool late = call.deadline != SteadyTime{} && now >= call.deadline;
  if (late) return true;
  if (call.cancel && call.cancel->requested()) return false;
  const ErrorKind kind = end.error().kind;
  return kind == ErrorKind::PluginFault || kind == ErrorKind::Internal ||
         kind == ErrorKind::DeadlineExceeded;
}

void CallTally::add(bool fault) {
  ++calls_;
  if (fault) ++faults_;
  if (calls_ < kRemembered) return;
  calls_ /= 2;
  faults_ /= 2;
}

bool CallTally::far_worse_than(const CallTally& before, std::uint32_t least) const {
  if (least == 0 || faults_ < least || before.calls_ < kFewestBefore) return false;
  const double share = static_cast<double>(faults_) / calls_;
  const double share_before = static_cast<double>(before.faults_) / before.calls_;
  return share >= 0.25 && share >= 4 * share_before;
}

}  // namespace host::plugin
