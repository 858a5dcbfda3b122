// `toolpost audit`: what was called, by whom, how it was decided and how it ended. Searches the
// audit's table, and needs no running host: it fills the table from the audit file first.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/nearest.h"
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

// A call by its tool, anything else by what it was.
std::string what_of(const json::Value& line) {
  std::string what = text_in(line, "event");
  for (const char* const kind : {"tool", "resource", "prompt", "completion"}) {
    const std::string name = text_in(line, kind);
    if (!name.empty()) what += (what.empty() ? "" : " of ") + name;
  }
  return what;
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
               text_in(line, "outcome")});
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

// Plugins and steps have words of their own, so a word that is not here is no error.
constexpr std::string_view kOutcomes[] = {"ok",         "denied",           "tool_error",
                                          "asked",      "needs_approval",   "pending",
                                          "busy",       "crashed",          "lost",
                                          "no_session", "inactive_group",   "upstream_failed",
                                          "not_found",  "invalid_argument", "deadline_exceeded",
                                          "cancelled",  "unavailable",      "internal"};

// For an outcome that nothing has: perhaps it is misspelt.
void suggest_outcome(const std::string& outcome) {
  const std::vector<std::string_view> known(std::begin(kOutcomes), std::end(kOutcomes));
  if (outcome.empty() || std::find(known.begin(), known.end(), outcome) != known.end()) return;
  Line(std::cerr) << "toolpost: no line has the outcome \"" << outcome
                  << "\": " << suggest(outcome, known);
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
  if (found->lines.empty()) suggest_outcome(line.outcome);
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
