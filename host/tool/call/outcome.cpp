#include "tool/call/outcome.h"

namespace host::tool {

std::string_view outcome_of(const Call& call, const Result<CallResult>& result) {
  // Ended by the host, or refused by a limit: then a step has its own word for it.
  const bool by_host = !result && (result.error().kind == ErrorKind::Cancelled ||
                                   result.error().kind == ErrorKind::Unavailable);
  if (!call.outcome.empty() && (result || by_host)) return call.outcome;
  if (!result) return to_string(result.error().kind);
  return result->is_error || !result->lacking.empty() ? "tool_error" : "ok";
}

std::string_view kind_of(Function function) {
  switch (function) {
    case Function::ReadResource:
      return "resource";
    case Function::GetPrompt:
      return "prompt";
    case Function::Complete:
      return "completion";
    default:
      return "tool";
  }
}

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::Checked:
      return "checked";
    case Phase::WaitsForApproval:
      return "waits_for_approval";
    case Phase::WaitsForCaller:
      return "waits_for_caller";
    case Phase::Queued:
      return "queued";
    case Phase::Running:
      return "running";
    case Phase::AsksClient:
      return "asks_client";
  }
  return "checked";
}

}  // namespace host::tool
