#include "approval/approved_mark.h"

#include <string>

#include "approval/call_key.h"
#include "approval/gate.h"
#include "base/digest.h"
#include "tool/definition/question_key.h"

namespace host::approval {
namespace {

// The reason why the call may run: an approval, a one-time code, or both.
enum class PassedBy { Approval, Code, CodeAndApproval };

PassedBy passes_by(const Request& request) {
  if (!request.needs_code) return PassedBy::Approval;
  return request.code_is_yes ? PassedBy::Code : PassedBy::CodeAndApproval;
}

std::string mark_of(const store::ApprovalKey& key, PassedBy by) {
  std::string bound = std::to_string(static_cast<int>(by)) + ' ' + to_hex(key.arguments);
  for (const std::string* part :
       {&key.principal, &key.agent, &key.tool, &key.definition, &key.build})
    bound += " " + std::to_string(part->size()) + ":" + *part;
  return std::string(tool::kPassedKey) + to_hex(sha256(bound));
}

std::string mark_for(const tool::Call& call, const tool::Tool& tool, const Request& request) {
  return mark_of(key_for(call, tool, request.build, arguments_of(call)), passes_by(request));
}

}  // namespace

bool is_marked_approved(const tool::Call& call, const tool::Tool& tool, const Request& request) {
  return call.continuation.answers.contains(mark_for(call, tool, request));
}

void mark_approved(tool::Call& call, const tool::Tool& tool, const Request& request) {
  call.continuation.answers.insert_or_assign(mark_for(call, tool, request), "{}");
}

}  // namespace host::approval
