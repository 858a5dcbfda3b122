#include "store/audit/events.h"

#include <algorithm>
#include <array>
#include <string>

namespace host::store {
namespace {

using namespace std::string_view_literals;

constexpr std::array kWords = {"answer"sv, "approval"sv, "audit"sv,  "begin"sv,    "cancel"sv,
                               "code"sv,   "config"sv,   "key"sv,    "link"sv,     "lockout"sv,
                               "login"sv,  "logout"sv,   "plugin"sv, "rule"sv,     "session"sv,
                               "start"sv,  "stop"sv,     "totp"sv,   "upstream"sv, "webhook"sv};
static_assert(kWords.size() == static_cast<std::size_t>(AuditEvent::Webhook) + 1);
constexpr std::string_view kCall = "call";
constexpr std::size_t kShown = 80;

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

}  // namespace host::store
