#include "plugin/answer/pending_call.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace host::plugin {
namespace {

// Far below the steps of tools, but no smaller than what every client reads as an increase.
constexpr double kTiny = 1e-10;

double just_above(double figure) {
  return std::max(figure + kTiny, std::nextafter(figure, std::numeric_limits<double>::infinity()));
}

}  // namespace

tp_status PendingCall::push(std::uint32_t kind, std::string_view mime, std::string_view bytes) {
  std::string partial;
  const tp_status status = builder_.push(kind, mime, bytes, partial);
  if (status != TP_OK || partial.empty() || !invocation_->on_progress) return status;
  // MCP 2025-11-25, progress: the value must increase with each notification.
  shown_ = just_above(shown_.value_or(0));
  invocation_->on_progress(*shown_, total_, std::move(partial));
  return status;
}

void PendingCall::progress(double done, double total, std::string_view message) {
  if (std::isfinite(done) && (!told_ || done > *told_)) {
    told_ = done;
    if (shown_ && done <= *shown_) done = just_above(*shown_);
    shown_ = done;
  }
  total_ = std::isfinite(total) ? total : 0;
  if (invocation_->on_progress) invocation_->on_progress(done, total, std::string(message));
}

bool PendingCall::log(int level, std::string_view logger, std::string_view message,
                      std::string_view json_fields) {
  if (!invocation_->on_log) return false;
  invocation_->on_log(level, std::string(logger), std::string(message), std::string(json_fields));
  return true;
}

void PendingCall::finish(tp_status status) {
  const std::string_view name = invocation_->tool ? invocation_->tool->name() : invocation_->name;
  invocation_->finish(builder_.finish(status, invocation_->function, name));
}

std::int64_t deadline_ns(SteadyTime deadline) {
  // steady_clock is CLOCK_MONOTONIC here.
  return std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count();
}

std::uint32_t abilities_of(const tool::Invocation& invocation) {
  switch (invocation.function) {
    case tool::Function::Call:
    case tool::Function::ReadResource:
    case tool::Function::GetPrompt:
      return ability_bits(invocation.abilities);
    default:
      return 0;  // MCP has no round for these
  }
}

std::uint32_t tool_number(const tool::Invocation& invocation) {
  return invocation.tool ? invocation.tool->index() : 0;
}

std::string_view input_of(const tool::Invocation& invocation) {
  return invocation.function == tool::Function::ReadResource ? invocation.name
                                                             : invocation.arguments;
}

bool is_nonblocking(const tool::Invocation& invocation) {
  return invocation.nonblocking || (invocation.tool && invocation.tool->declared().nonblocking);
}

std::shared_ptr<const tool::Continuation> continuation_of(
    const std::shared_ptr<tool::Invocation>& invocation) {
  const tool::Continuation& what = invocation->continuation;
  if (what.state.empty() && what.answers.empty()) return nullptr;
  return {invocation, &what};
}

}  // namespace host::plugin
