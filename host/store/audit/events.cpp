#include "store/audit/events.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "base/text/nearest.h"

namespace host::store {
namespace {

using namespace std::string_view_literals;

constexpr std::array kWords = {
    "answer"sv,  "approval"sv, "audit"sv,   "begin"sv, "cancel"sv, "code"sv,     "config"sv,
    "key"sv,     "link"sv,     "lockout"sv, "login"sv, "logout"sv, "plugin"sv,   "rule"sv,
    "session"sv, "skill"sv,    "start"sv,   "stop"sv,  "totp"sv,   "upstream"sv, "webhook"sv};
static_assert(kWords.size() == static_cast<std::size_t>(AuditEvent::Webhook) + 1);
constexpr std::string_view kCall = "call";
constexpr std::size_t kShown = 80;

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
                                         "limit_reached",
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
    "added",          "answered", "approved",       "changed",  "complete", "confirmed",
    "created",        "disabled", "done",           "ended",    "enrolled", "expired",
    "locked",         "made",     "not_enrolled",   "rejected", "removed",  "renewed",
    "revoked",        "rotated",  "secret changed", "unlocked", "used",     "withdrawn",
    "writable_again", "wrong"};

template <std::size_t Count>
bool has(const std::string_view (&words)[Count], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

std::string_view to_string(AuditEvent event) {
  return kWords[static_cast<std::size_t>(event)];
}

Result<void> check_audit_event(std::string_view word) {
  if (word.empty() || word == kCall || std::count(kWords.begin(), kWords.end(), word) > 0)
    return {};
  std::string known(kCall);
  for (const std::string_view each : kWords) known += ", " + std::string(each);
  return Error{ErrorKind::InvalidArgument, "event: unknown event \"" +
                                               std::string(word.substr(0, kShown)) +
                                               "\": expected one of " + known};
}

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
