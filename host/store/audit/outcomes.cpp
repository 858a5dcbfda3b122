#include "store/audit/outcomes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text/nearest.h"

namespace host::store {
namespace {

constexpr std::string_view kOfCalls[] = {"ok",
                                         "replayed",
                                         "tool_error",
                                         "failed",
                                         "bad_arguments",
                                         "invalid_argument",
                                         "not_found",
                                         "unknown_tool",
                                         "denied",
                                         "pending",
                                         "unanswered",
                                         "needs_approval",
                                         "nobody_to_ask",
                                         "intercepted",
                                         "interceptor_failed",
                                         "result_withheld",
                                         "result_too_large",
                                         "abandoned",
                                         "not_picked_up",
                                         "session_ended",
                                         "interrupted",
                                         "tool_removed",
                                         "inactive_group",
                                         "no_session",
                                         "needs_task",
                                         "asked",
                                         "busy",
                                         "not_recorded",
                                         "deadline_exceeded",
                                         "cancelled",
                                         "ended_by_operator",
                                         "ended_by_credential",
                                         "ended_by_stop",
                                         "refused_by_stop",
                                         "crashed",
                                         "lost",
                                         "upstream_failed",
                                         "plugin_fault",
                                         "internal",
                                         "io",
                                         "unavailable",
                                         "would_deadlock",
                                         "backoff",
                                         "quarantined",
                                         "refused_input"};

constexpr std::string_view kOfEvents[] = {
    "added",        "answered", "approved",  "changed",  "complete", "confirmed", "created",
    "disabled",     "done",     "ended",     "enrolled", "expired",  "locked",    "made",
    "not_enrolled", "rejected", "removed",   "renewed",  "revoked",  "rotated",   "secret changed",
    "unlocked",     "used",     "withdrawn", "wrong"};

constexpr std::size_t kShown = 80;

template <std::size_t Count>
bool has(const std::string_view (&words)[Count], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

std::vector<std::string_view> call_outcomes() {
  return {std::begin(kOfCalls), std::end(kOfCalls)};
}

Result<void> check_audit_outcome(std::string_view word) {
  if (word.empty() || has(kOfCalls, word) || has(kOfEvents, word)) return {};
  return Error{ErrorKind::InvalidArgument, "outcome: unknown outcome \"" +
                                               std::string(word.substr(0, kShown)) +
                                               "\": " + suggest(word, call_outcomes())};
}

}  // namespace host::store
