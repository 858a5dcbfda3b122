#include "approval/refusal.h"

#include <string_view>

#include "approval/gate.h"
#include "base/clock.h"
#include "tool/call/edits.h"
#include "tool/call/end_words.h"

namespace host::approval {
namespace {

// Clients of protocol versions before 2026-07-28 have sent none.
constexpr const char* kWithState =
    ", and with the same requestState and inputResponses if you sent them with this call,";

// The end of a text about a call that was denied.
std::string and_did_not_run(const tool::Call& call) {
  return "It " + std::string(tool::did_not_run(call)) + "; do not retry it unchanged.";
}

}  // namespace

tool::CallResult denied_by_person(const tool::Call& call, const tool::Tool& tool,
                                  protocol::ElicitAnswer::Act act) {
  const std::string_view how =
      act == protocol::ElicitAnswer::Act::Decline ? "A person denied" : "A person dismissed";
  return tool::CallResult::error(std::string(how) + " the call of \"" + tool.name() + "\". " +
                                 and_did_not_run(call));
}

tool::CallResult rejected(const tool::Call& call, const tool::Tool& tool,
                          const store::ApprovalRecord& record) {
  const std::string about = " the call of \"" + tool.name() + "\"";
  std::string text = record.state == store::ApprovalState::Rejected ? "A person denied" + about
                     : record.state == store::ApprovalState::Expired
                         ? "Nobody answered in time whether to allow" + about
                         : "The question whether to allow" + about + " was withdrawn";
  if (!record.note.empty()) text += ": " + record.note;
  return tool::CallResult::error(text + "\n" + and_did_not_run(call));
}

std::string reason_for_client(const tool::Call& call, const std::string& reason) {
  return tool::has_edits(call.continuation) ? "a reviewer changed its arguments" : reason;
}

// The tool has the earlier arguments, and the answers belong to them.
tool::CallResult edited_too_late(const tool::Call& call, const tool::Tool& tool) {
  std::string text = "A reviewer changed the arguments of \"" + tool.name() +
                     "\", but the tool had begun the call with the arguments of before. It did "
                     "not continue.";
  if (tool::has_edits(call.continuation)) {  // so the approval is not for the client's arguments
    text += " A new call needs a new approval";
  } else {
    text += " The approval is for a new call, which runs with the reviewer's arguments";
  }
  if (!call.idempotency_key.empty()) text += ". The new call needs a new idempotency key";
  return tool::CallResult::error(text + ".");
}

std::string how_to_hear(const store::ApprovalRecord& record) {
  return std::string(". Call again with the same arguments") +
         (record.context.empty() ? "" : " and the same context");
}

tool::CallResult still_pending(const tool::Call& call, const tool::Tool& tool,
                               const store::ApprovalRecord& record) {
  const std::string what = record.needs_code ? "a person's one-time code" : "a person's approval";
  const bool needs_state = call.continues || tool::has_edits(call.continuation);
  return tool::CallResult::error(
      "\"" + tool.name() + "\" waits for " + what + " and " + std::string(tool::did_not_run(call)) +
      " yet: " + reason_for_client(call, record.reason) + "\nThe request is " + record.id +
      "; it expires at " + to_rfc3339(record.expires) + how_to_hear(record) +
      (needs_state ? kWithState : "") +
      " to get the decision. A reviewer decides in the console, or with `toolpost approvals`.");
}

bool is_denied_by_person(const tool::Call& call) {
  return !call.approved && call.outcome == "denied" && call.rule == kByPerson;
}

}  // namespace host::approval
