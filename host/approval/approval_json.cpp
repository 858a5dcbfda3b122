#include "approval/approval_json.h"

#include "json/object_text.h"

namespace host::approval {
namespace {

void add_bytes(std::string& out, std::string_view key, const std::string& text) {
  json::add_member(out, key, std::to_string(text.size()));
}

// As JSON and as text, if there is one.
void add_twice(std::string& out, const std::string& key, const std::string& text,
               std::size_t longest) {
  if (text.size() > longest) return add_bytes(out, key + "_bytes", text);
  if (text.empty()) return;
  json::add_member(out, key, text);
  json::add_text(out, key + "_text", text);
}

}  // namespace

std::string digest_text(const store::ApprovalRecord& record) {
  return to_hex(sha256(record.arguments));
}

std::string digest_to_repeat(const store::ApprovalRecord& record) {
  if (record.context.empty()) return digest_text(record);
  return to_hex(sha256(record.arguments + "\n" + record.context));
}

// The arguments are included twice, if they are still kept: as JSON for programs, and as the text
// that will run, for display. JSON parsers may change large numbers.
std::string as_json(const store::ApprovalRecord& record, std::size_t longest) {
  using json::add_text;
  std::string out = "{";
  add_text(out, "id", record.id);
  add_text(out, "kind", record.is_question ? "question" : "approval");
  add_text(out, "state", store::state_of(record));
  add_text(out, "tool", record.key.tool);
  add_text(out, "provider", record.provider);
  add_text(out, "build", record.key.build);
  const bool is_kept = !record.arguments.empty();
  if (record.arguments.size() > longest) {
    out += R"(,"arguments":null,"arguments_text":"")";
    add_bytes(out, "arguments_bytes", record.arguments);
  } else {
    json::add_member(out, "arguments", is_kept ? record.arguments : "null");
    add_text(out, "arguments_text", record.arguments);
  }
  if (is_kept) add_text(out, "digest", digest_to_repeat(record));
  add_twice(out, "context", record.context, longest);
  add_text(out, "principal", record.key.principal);
  if (!record.key.agent.empty()) add_text(out, "agent", record.key.agent);
  add_text(out, "session", record.session);
  add_text(out, "reason", record.reason);
  json::add_member(out, "suggestions", json::list_of(record.suggestions));
  json::add_member(out, "covers", json::list_of(record.covered));
  json::add_bool(out, "needs_code", record.needs_code);
  add_text(out, "created", to_rfc3339(record.created));
  add_text(out, "expires", to_rfc3339(record.expires));
  if (record.decided != WallTime()) {
    add_text(out, "decided", to_rfc3339(record.decided));
    add_text(out, "decided_by", record.decided_by);
    add_text(out, "note", record.note);
  }
  if (!record.answer.empty()) add_text(out, "answer", record.answer);
  add_twice(out, "edited", record.edited, longest);
  return out + "}";
}

std::string build_warning(const store::ApprovalRecord& record, bool is_same) {
  if (is_same || record.is_question || record.state == store::ApprovalState::Rejected) return {};
  return "the plugin \"" + record.provider +
         "\" has changed since this was asked: the approval is for the build that asked. It "
         "applies "
         "to a call that still waits. A new call runs in the new build and asks again";
}

std::string as_json(const Decided& decided, std::string_view rules, const std::string& warning) {
  std::string out = as_json(decided.record);
  out.pop_back();
  json::add_member(out, "stored_rules", rules);
  if (!warning.empty()) json::add_text(out, "warning", warning);
  return out + "}";
}

}  // namespace host::approval
