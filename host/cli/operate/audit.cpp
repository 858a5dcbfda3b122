// `toolpost audit`: what was called, by whom, how it was decided and how it ended. Searches the
// audit's table, and needs no running host: it fills the table from the audit file first.
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/table.h"
#include "cli/output/text_in.h"
#include "json/json.h"
#include "store/audit/events.h"
#include "store/audit/table.h"
#include "store/audit/verify.h"

namespace host::cli {
namespace {

constexpr std::size_t kShownReason = 100;
constexpr std::size_t kShownVersion = 19;  // "sha256:" and 12 digits

// What the line is about: a call's tool, or the object of another event. Empty: the line has none.
std::string object_of(const json::Value& line) {
  for (const char* const kind : {"tool", "resource", "prompt", "completion"}) {
    if (std::string name = text_in(line, kind); !name.empty()) return name;
  }
  for (const char* const kind : {"upstream", "repository", "plugin"}) {
    const std::string name = text_in(line, kind);
    if (!name.empty()) return name.substr(0, name.rfind(" sha256:"));  // of an older host
  }
  if (text_in(line, "event") != "webhook") return {};
  return text_in(line, "id") + " (" + text_in(line, "url") + ")";
}

// What was accepted or pulled, with so much of it that a person can compare it. Empty: nothing.
std::string version_in(const json::Value& line) {
  std::string text;
  for (const char* const kind : {"digest", "commit"}) {
    const std::string version = text_in(line, kind);
    if (!version.empty()) text += std::string(" ") + kind + " " + version.substr(0, kShownVersion);
  }
  return text;
}

// A call by its tool, anything else by what it was.
std::string what_of(const json::Value& line) {
  std::string what = text_in(line, "event");
  const std::string action = text_in(line, "action");  // "reload", or "upstream-accept"
  if (action.starts_with(what + "-")) {
    what = action;
  } else if (!action.empty()) {
    what += " " + action;
  }
  const std::string object = object_of(line);
  if (object.empty()) return what;
  return what.empty() ? object : what + " of " + object + version_in(line);
}

// With the reason of an order that failed.
std::string outcome_in(const json::Value& line) {
  const std::string outcome = text_in(line, "outcome");
  const std::string reason = text_in(line, "reason");
  const bool is_order = !text_in(line, "action").empty();
  return is_order && !reason.empty() ? outcome + ": " + one_line(reason, kShownReason) : outcome;
}

void print_lines(const std::vector<std::string>& lines) {
  Table table({"TIME", "PRINCIPAL", "WHAT", "DECISION", "BY", "OUTCOME"});
  for (const std::string& text : lines) {
    const auto tree = json::parse(text);
    if (!tree) continue;
    const json::Value& line = tree->root();
    const std::string by = text_in(line, "by");
    table.add({text_in(line, "time"), text_in(line, "principal"), what_of(line),
               text_in(line, "decision"), by.empty() ? text_in(line, "rule") : by,
               outcome_in(line)});
  }
  std::cout << (lines.empty() ? "Nothing of that is in the audit.\n" : table.text());
}

store::AuditQuery query_of(const CommandLine& line) {
  store::AuditQuery query;
  query.principal = line.principal;
  query.agent = line.called_as;
  query.tool = line.tool;
  query.outcome = line.outcome;
  query.event = line.event;
  query.since = line.since;
  query.until = line.until;
  query.limit = line.limit;
  return query;
}

std::string_view words_for(store::AuditState state) {
  return state == store::AuditState::NoDigests ? "unknown" : to_string(state);
}

int verify(const CommandLine& line, const config::Config& config) {
  const auto verdict = store::verify_audit(config.audit.file, config.store.file, line.audit_from);
  if (!verdict) return complain(verdict.error());
  if (line.json) {
    std::string out = "{\"ok\":" + std::string(verdict->fault.empty() ? "true" : "false") +
                      ",\"verdict\":\"" + std::string(to_string(verdict->state)) + '"' +
                      ",\"files\":" + std::to_string(verdict->files) +
                      ",\"first\":" + std::to_string(verdict->first) +
                      ",\"last\":" + std::to_string(verdict->last) +
                      ",\"without_digest\":" + std::to_string(verdict->loose) + ",\"digest\":";
    json::write_string(verdict->digest, out);
    out += ",\"fault\":";
    json::write_string(verdict->fault, out);
    std::cout << out << "}\n";
  } else if (verdict->fault.empty()) {
    std::cout << "ok: " << verdict->files << " files, lines " << verdict->first << " to "
              << verdict->last << ", digest " << verdict->digest << '\n';
  } else {
    std::cout << words_for(verdict->state) << ": " << verdict->fault << '\n';
  }
  if (!line.json && verdict->loose > 0 && verdict->state != store::AuditState::NoDigests) {
    std::cout << verdict->loose << " lines have no digest: a kill cut them off, or an older "
              << "toolpost wrote them before the first digest\n";
  }
  return verdict->fault.empty() ? kExitOk : kExitConfig;
}

}  // namespace

int audit(const CommandLine& line, const config::Config& config) {
  if (config.audit.file.empty())
    return complain({ErrorKind::Unavailable, "audit.file is empty: no audit is kept"});
  if (line.verb == Verb::AuditVerify) return verify(line, config);
  if (const auto known = store::check_audit_event(line.event); !known)
    return complain(known.error());
  const auto found =
      store::search_audit(config.audit.file, config.audit.table_rows, query_of(line));
  if (!found) return complain(found.error());
  if (found->lines.empty()) {
    if (const auto known = store::check_audit_outcome(line.outcome); !known)
      return complain(known.error());
  }
  if (line.json) {
    std::cout << '[';
    for (std::size_t i = 0; i < found->lines.size(); ++i)
      std::cout << (i ? ",\n" : "\n") << found->lines[i];
    std::cout << "\n]\n";
  } else {
    print_lines(found->lines);
  }
  return kExitOk;
}

}  // namespace host::cli
