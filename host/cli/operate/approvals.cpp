// `toolpost approvals`: what calls wait for a person, and the person's answer. It speaks to the
// store, not to the host: whoever may write that file may answer.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "approval/approval_json.h"
#include "approval/verdict.h"
#include "base/digest.h"
#include "base/text/file_text.h"
#include "cli/access/open_store.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/noted.h"
#include "cli/output/table.h"
#include "json/json.h"
#include "permission/decision/stored_rules.h"

namespace host::cli {
namespace {

using store::ApprovalRecord;
using store::ApprovalState;
using store::ApprovalStore;

constexpr std::uint32_t kPage = 1000;

void print(const std::vector<ApprovalRecord>& records) {
  const bool has_context = std::any_of(records.begin(), records.end(),
                                       [](const auto& one) { return !one.context.empty(); });
  std::vector<std::string> head = {"APPROVAL", "STATE", "UNTIL", "PRINCIPAL", "TOOL", "ARGUMENTS"};
  if (has_context) head.emplace_back("CONTEXT");
  Table table(std::move(head));
  for (const ApprovalRecord& one : records) {
    std::vector<std::string> row = {one.id,
                                    std::string(store::state_of(one)),
                                    to_rfc3339(one.expires),
                                    one_line(one.key.principal, 20),
                                    one.key.tool,
                                    one_line(one.arguments, 60)};
    if (has_context) row.push_back(one_line(one.context, 60));
    table.add(std::move(row));
  }
  std::cout << (records.empty() ? "Nothing waits for an answer.\n" : table.text());
}

// All of them, page by page.
Result<std::vector<ApprovalRecord>> all_of(ApprovalStore& approvals, bool pending_only) {
  std::vector<ApprovalRecord> all;
  for (std::string last;;) {
    HOST_TRY_ASSIGN(std::vector<ApprovalRecord> page, approvals.list(pending_only, kPage, last));
    if (page.empty()) return all;
    last = page.back().id;
    std::move(page.begin(), page.end(), std::back_inserter(all));
  }
}

int list(ApprovalStore& approvals, const CommandLine& line) {
  const auto records = all_of(approvals, !line.all);
  if (!records) return complain(records.error());
  if (!line.json) {
    print(*records);
    return kExitOk;
  }
  std::cout << '[';
  for (std::size_t i = 0; i < records->size(); ++i)
    std::cout << (i ? ",\n" : "\n") << approval::as_json((*records)[i]);
  std::cout << "\n]\n";
  return kExitOk;
}

void print_field(const char* name, const std::string& text) {
  constexpr std::size_t kWidest = 1u << 20u;
  if (!text.empty()) std::cout << name << one_line(text, kWidest) << '\n';
}

void print_whole(const ApprovalRecord& record) {
  print_field("approval:   ", record.id);
  print_field("state:      ", std::string(store::state_of(record)));
  print_field("tool:       ", record.key.tool + " of " + record.provider);
  print_field("build:      ", record.key.build);
  print_field("arguments:  ", record.arguments.empty()
                                  ? "not kept: they were large, and nobody answered"
                                  : record.arguments);
  print_field("context:    ", record.context);
  print_field("principal:  ", record.key.principal);
  if (!record.key.agent.empty()) print_field("agent:      ", record.key.agent);
  print_field("session:    ", record.session);
  print_field("reason:     ", record.reason);
  if (record.is_question) print_field("needs:      ", "an answer: toolpost approvals answer");
  if (record.needs_code) print_field("needs:      ", "a one-time code of " + record.key.principal);
  for (const std::string& after : record.covered) print_field("then runs:  ", after);
  const char* const reach = record.context.empty() ? "" : ", with any context";
  for (const std::string& rule : record.suggestions) print_field("always:     ", rule + reach);
  print_field("asked:      ", to_rfc3339(record.created));
  print_field("until:      ", to_rfc3339(record.expires));
  if (record.decided == WallTime()) return;
  print_field("decided:    ", to_rfc3339(record.decided));
  print_field("by:         ", record.decided_by);
  print_field("note:       ", record.note);
  print_field("instead:    ", record.edited);
  print_field("answer:     ", record.answer);
}

int show(ApprovalStore& approvals, const CommandLine& line) {
  const auto record = approvals.find(line.approval);
  if (!record) return complain(record.error());
  if (line.json) {
    std::cout << approval::as_json(*record) << '\n';
  } else {
    print_whole(*record);
  }
  return kExitOk;
}

// An object, on one line as the host writes it; or nothing.
Result<std::string> edited(const CommandLine& line) {
  if (!line.edited) return std::string();
  HOST_TRY_ASSIGN(const json::Document tree, json::parse(*line.edited));
  if (tree.root().IsObject()) return json::write(tree.root());
  return Error{ErrorKind::InvalidArgument, "--arguments: expected a JSON object"};
}

std::optional<store::Reach> reach_of(const CommandLine& line) {
  if (line.always_for) return store::reach_from(*line.always_for);
  return line.always ? std::optional(store::Reach::Principal) : std::nullopt;
}

Result<store::ApprovalDecision> decision_of(const CommandLine& line, const config::Config& config) {
  store::ApprovalDecision decision;
  decision.approved = line.verb != Verb::ApprovalsReject;
  decision.answer = line.answer;
  decision.by = who_answers();
  decision.note = line.note;
  decision.always = reach_of(line);
  HOST_TRY_ASSIGN(decision.edited, edited(line));
  decision.good_for = config.approval.expire;
  return decision;
}

// For the audit, where this decided it.
Result<approval::Decided> decide(store::Store& store, const std::string& id,
                                 const store::ApprovalDecision& decision, const std::string& code,
                                 const config::Config& config) {
  identity::JudgedCode judged;
  auto decided = approval::decide(store.approvals(), store.codes(), id, decision, code,
                                  system_clock().wall(), &judged);
  if (!decided) {
    const auto asked = store.approvals().find(id);
    note_refused_code(config, judged, asked ? asked->key.principal : std::string(), id);
    return decided.error();
  }
  approval::Decided& done = *decided;
  if (done.by_this) {
    note(config, store::AuditEvent::Approval,
         {{"id", done.record.id},
          {"by", done.record.decided_by},
          {"principal", done.record.key.principal},
          {"tool", done.record.key.tool},
          {"args_sha256", approval::digest_text(done.record)},
          {"outcome", store::state_of(done.record)}});
  }
  return done;
}

// The provider of tools that a session's client brings along.
constexpr std::string_view kOfClients = "session";

// Whether the library that asked is the one that is there now. What runs may differ: this process
// asks no host.
bool is_there(const ApprovalRecord& record, const config::Config& config) {
  constexpr std::string_view kLibrary = "sha256:";
  if (!record.key.build.starts_with(kLibrary)) return true;  // a part of the host
  // Only the host knows what the tool of an upstream is now.
  if (tool::classify(record.key.tool) == tool::Class::Upstream) return true;
  for (const std::filesystem::path& folder : config.plugins.dirs) {
    const auto library = file_text(folder / (record.provider + ".so"));
    if (!library) continue;
    const std::string build = std::string(kLibrary) + to_hex(sha256(*library));
    return record.key.build.starts_with(build);
  }
  return record.provider == kOfClients;
}

// As it holds: with the reach that the answer gave it, which the suggestion did not have.
std::string words_of(const store::RuleRecord& stored) {
  const auto read = permission::read_stored_rule(stored);
  if (!read) return stored.rule;
  std::string text;
  permission::write(read->rule, text);
  return text;
}

void print(const approval::Decided& done) {
  const ApprovalRecord& now = done.record;
  std::cout << now.id << ' ' << store::state_of(now) << ": " << now.key.tool << ' '
            << one_line(now.edited.empty() ? now.arguments : now.edited, 200) << '\n';
  if (!now.context.empty()) std::cout << "context: " << one_line(now.context, 200) << '\n';
  if (!now.answer.empty()) std::cout << "answer: " << one_line(now.answer, 200) << '\n';
  for (const store::RuleRecord& rule : done.rules) {
    const std::string whose = permission::whose({{}, rule.agent, rule.session, rule.principal});
    std::cout << "stored " << rule.id << " for " << whose << ": " << words_of(rule)
              << (now.context.empty() ? "" : ", with any context")
              << "\nTo remove it: toolpost rules remove " << rule.id << '\n';
  }
}

int answer(store::Store& store, const CommandLine& line, const config::Config& config) {
  const auto decision = decision_of(line, config);
  if (!decision) return complain(decision.error());
  const auto done = decide(store, line.approval, *decision, line.code, config);
  if (!done) return complain(done.error());
  if (done->by_this) {
    const std::string warning =
        approval::build_warning(done->record, is_there(done->record, config));
    if (line.json) {
      std::cout << approval::as_json(*done, permission::stored_rules_json(done->rules), warning)
                << '\n';
    } else {
      print(*done);
      if (!warning.empty()) std::cout << "warning: " << warning << '\n';
    }
    return kExitOk;
  }
  const ApprovalRecord& now = done->record;
  const std::string by = now.decided_by.empty() ? std::string() : " by " + now.decided_by;
  return complain({ErrorKind::InvalidArgument, now.id + " is " + std::string(store::state_of(now)) +
                                                   by + " already; nothing changed"},
                  kExitFailure);
}

// Ids of what waits; `principal` empty: of everybody.
Result<std::vector<std::string>> pending_of(ApprovalStore& approvals,
                                            const std::string& principal) {
  HOST_TRY_ASSIGN(const std::vector<ApprovalRecord> records, all_of(approvals, true));
  std::vector<std::string> ids;
  for (const ApprovalRecord& one : records) {
    if (principal.empty() || one.key.principal == principal) ids.push_back(one.id);
  }
  return ids;
}

int reject_all(store::Store& store, const CommandLine& line, const config::Config& config) {
  const auto decision = decision_of(line, config);
  if (!decision) return complain(decision.error());
  const auto ids = pending_of(store.approvals(), line.principal);
  if (!ids) return complain(ids.error());
  std::size_t rejected = 0;
  for (const std::string& id : *ids) {
    const auto done = decide(store, id, *decision, {}, config);
    if (!done) return complain(done.error());
    if (!done->by_this) continue;  // answered by somebody else meanwhile
    print(*done);
    ++rejected;
  }
  if (rejected == 0) std::cout << "Nothing waits for an answer.\n";
  return kExitOk;
}

int reject(store::Store& store, const CommandLine& line, const config::Config& config) {
  if (line.reject_all) return reject_all(store, line, config);
  if (!line.approval.empty()) return answer(store, line, config);
  return complain({ErrorKind::InvalidArgument, "which approval? Give its id, or --all"});
}

}  // namespace

int approvals(const CommandLine& line, const config::Config& config) {
  const auto opened = open_store(config, "no approvals are kept");
  if (!opened) return complain(opened.error());
  switch (line.verb) {
    case Verb::ApprovalsShow:
      return show((*opened)->approvals(), line);
    case Verb::ApprovalsApprove:
    case Verb::ApprovalsAnswer:
      return answer(**opened, line, config);
    case Verb::ApprovalsReject:
      return reject(**opened, line, config);
    default:
      return list((*opened)->approvals(), line);
  }
}

}  // namespace host::cli
