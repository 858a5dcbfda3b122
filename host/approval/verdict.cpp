#include "approval/verdict.h"

#include "approval/question.h"
#include "json/fault.h"
#include "json/json.h"
#include "json/own_text.h"
#include "json/schema/schema.h"
#include "tool/definition/input_rules.h"

namespace host::approval {
namespace {

// The rules were suggested for the caller's arguments and would allow those, not the changed ones.
Result<void> check_combination(const store::ApprovalDecision& decision) {
  if (!decision.always || decision.edited.empty()) return {};
  return json::fault_at(
      "/always",
      "an approval that changes the arguments cannot also store rules, because the rules are those "
      "of the caller's arguments: approve once with other arguments, or approve for always without "
      "them");
}

// A tool of the session's client gets `sessionId` from the host, also after a reviewer's edit.
void fill_session_id(const store::ApprovalRecord& record, json::Document& arguments) {
  constexpr std::string_view kSessionId = "sessionId";
  if (record.provider != "session") return;  // as providers of client-supplied tools are named
  if (!arguments.root().IsObject() || json::find(arguments.root(), kSessionId)) return;
  const auto asked = json::parse_own(record.arguments);
  const json::Value* const sent = asked ? json::find(asked->root(), kSessionId) : nullptr;
  if (!sent || !sent->IsString() || json::text(*sent) != record.session) return;
  json::set(arguments.root(), kSessionId, json::string(record.session, arguments.allocator()),
            arguments.allocator());
}

// Checks a reviewer's arguments before the code is used up. The call is checked again when it runs.
Result<void> check_edited(const store::ApprovalRecord& record, const std::string& edited) {
  if (edited.empty() || record.input_schema.empty()) return {};
  HOST_TRY_ASSIGN(const json::Document tree, json::parse(record.input_schema));
  HOST_TRY_ASSIGN(const json::schema::Schema schema, json::schema::Schema::compile(tree.root()));
  HOST_TRY_ASSIGN(const json::Document presets,
                  json::parse(record.presets.empty() ? "{}" : record.presets));
  HOST_TRY_ASSIGN(json::Document arguments, json::parse_own(edited));
  fill_session_id(record, arguments);
  auto why = tool::reserved_member(arguments.root(), json::find(tree.root(), "properties"));
  if (!why) why = tool::fit(arguments, {tree.root(), schema, &presets.root()});
  if (!why) return {};
  for (std::size_t at = 0; (at = why->find('\n', at)) != std::string::npos;)
    why->replace(at, 1, "; ");
  return json::fault_at("/arguments",
                        "these arguments are not valid for \"" + record.key.tool + "\": " + *why);
}

// A question is answered or declined, and everything else is approved or rejected.
Result<void> check_kind(const store::ApprovalRecord& record,
                        const store::ApprovalDecision& decision) {
  if (!record.is_question) {
    if (decision.answer.empty()) return {};
    return Error{ErrorKind::InvalidArgument,
                 "\"" + std::string(record.id) +
                     "\" is an approval request: it is approved or rejected, not answered"};
  }
  if (!decision.approved) return {};
  if (decision.always || !decision.edited.empty() || decision.answer.empty()) {
    return Error{ErrorKind::InvalidArgument,
                 "\"" + std::string(record.id) +
                     "\" is a question: it is answered with a text, not approved, and the text "
                     "cannot be empty"};
  }
  return check_answer(record, decision.answer);
}

}  // namespace

Result<Decided> decide(store::ApprovalStore& approvals, store::TotpStore& codes,
                       std::string_view id, const store::ApprovalDecision& decision,
                       std::string_view code, WallTime now, identity::JudgedCode* judged) {
  HOST_TRY(check_combination(decision));
  HOST_TRY_ASSIGN(const store::ApprovalRecord asked, approvals.find(id));
  HOST_TRY(check_kind(asked, decision));
  HOST_TRY(check_edited(asked, decision.edited));
  store::ApprovalDecision whole = decision;
  if (decision.approved && asked.needs_code) {
    whole.spend = [&]() -> Result<void> {
      const std::string& principal = asked.key.principal;
      if (!code.empty()) return identity::use_code(codes, principal, code, now, judged);
      return Error{ErrorKind::Denied, "this call needs a one-time code of \"" + principal + "\""};
    };
  }
  HOST_TRY_ASSIGN(store::ApprovalAnswer answer, approvals.decide(id, whole));
  HOST_TRY_ASSIGN(store::ApprovalRecord record, approvals.find(id));
  return Decided{std::move(record), answer.by_this, std::move(answer.rules)};
}

}  // namespace host::approval
