#include "plugin/pending_call.h"

namespace host::plugin {

tp_status PendingCall::push(std::uint32_t kind, std::string_view mime, std::string_view bytes) {
  std::string partial;
  const tp_status status = builder_.push(kind, mime, bytes, partial);
  if (status != TP_OK || partial.empty() || !invocation_->on_progress) return status;
  // A partial result is shown as progress. Where the plugin counts nothing itself, the parts are
  // counted.
  if (!told_progress_) ++done_;
  invocation_->on_progress(done_, total_, std::move(partial));
  return status;
}

void PendingCall::progress(double done, double total, std::string_view message) {
  told_progress_ = true;
  done_ = done;
  total_ = total;
  if (invocation_->on_progress) invocation_->on_progress(done, total, std::string(message));
}

bool PendingCall::log(int level, std::string_view logger, std::string_view message,
                      std::string_view json_fields) {
  if (!invocation_->on_log) return false;
  invocation_->on_log(level, std::string(logger), std::string(message), std::string(json_fields));
  return true;
}

void PendingCall::finish(tp_status status) {
  invocation_->finish(builder_.finish(status, invocation_->function, invocation_->tool->name()));
}

Entry entry_of(tool::Function function) {
  switch (function) {
    case tool::Function::Call:
      return Entry::Call;
    case tool::Function::CheckPermissions:
      return Entry::CheckPermissions;
    case tool::Function::MatchRule:
      return Entry::MatchRule;
    case tool::Function::GenerateSuggestions:
      return Entry::GenerateSuggestions;
    case tool::Function::CheckReadOnly:
      return Entry::CheckReadOnly;
    case tool::Function::ReadResource:
      return Entry::ReadResource;
    case tool::Function::GetPrompt:
      return Entry::GetPrompt;
    case tool::Function::Complete:
      return Entry::Complete;
  }
  return Entry::Call;
}

std::int64_t deadline_ns(const tool::Invocation& invocation) {
  // steady_clock is CLOCK_MONOTONIC here.
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             invocation.deadline.time_since_epoch())
      .count();
}

}  // namespace host::plugin
