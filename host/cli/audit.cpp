// `toolpost audit`: what was called, by whom, how it was decided and how it ended. Reads the file
// of lines that hosts append to.
#include <iostream>

#include "cli/complaint.h"
#include "cli/exit_code.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "json/json.h"
#include "store/audit_search.h"

namespace host::cli {
namespace {

std::string text_in(const json::Value& line, std::string_view name) {
  const json::Value* const found = json::find(line, name);
  return found && found->IsString() ? std::string(json::text(*found)) : std::string();
}

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

}  // namespace

int audit(const CommandLine& line, const config::Config& config) {
  if (config.audit.file.empty())
    return complain({ErrorKind::Unavailable, "audit.file is empty: no audit is kept"});
  store::AuditQuery query{line.principal, line.tool,  line.outcome,
                          line.event,     line.since, line.limit};
  const auto found = store::search_audit(config.audit.file, query);
  if (!found) return complain(found.error());
  if (line.json) {
    std::cout << '[';
    for (std::size_t i = 0; i < found->lines.size(); ++i)
      std::cout << (i ? ",\n" : "\n") << found->lines[i];
    std::cout << "\n]\n";
  } else {
    print_lines(found->lines);
  }
  if (!found->whole) std::cerr << "toolpost: the audit is larger than what was looked through\n";
  return kExitOk;
}

}  // namespace host::cli
