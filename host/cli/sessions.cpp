// `toolpost sessions`: whose clients have sessions that outlive their host, and an end to one of
// them. It speaks to the store: a host that runs sees it within a second or two.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "cli/complaint.h"
#include "cli/exit_code.h"
#include "cli/noted.h"
#include "cli/open_store.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

using store::ClientContextRecord;

void print_sessions(const std::vector<ClientContextRecord>& sessions) {
  Table table({"SESSION", "PRINCIPAL", "AGENT", "AT", "VERSION", "BEGAN", "USED"});
  for (const ClientContextRecord& one : sessions) {
    table.add({one.id, one_line(one.principal, 20), one.agent.empty() ? "-" : one.agent, one.owner,
               one.version, to_rfc3339(one.created), to_rfc3339(one.used)});
  }
  std::cout << (sessions.empty() ? "There are no sessions.\n" : table.text());
}

void print_sessions_json(const std::vector<ClientContextRecord>& sessions) {
  std::string out = "[";
  for (const ClientContextRecord& one : sessions) {
    out += out.size() > 1 ? ",\n{" : "{";
    json::add_text(out, "id", one.id);
    json::add_text(out, "principal", one.principal);
    if (!one.agent.empty()) json::add_text(out, "agent", one.agent);
    json::add_text(out, "address", one.owner);
    json::add_text(out, "version", one.version);
    json::add_text(out, "created", to_rfc3339(one.created));
    json::add_text(out, "used", to_rfc3339(one.used));
    out += '}';
  }
  std::cout << out << "]\n";
}

std::string principal_of(const std::vector<ClientContextRecord>& sessions, const std::string& id) {
  const auto at = std::find_if(sessions.begin(), sessions.end(),
                               [&](const ClientContextRecord& one) { return one.id == id; });
  return at == sessions.end() ? std::string() : at->principal;
}

int end_session(const CommandLine& line, const config::Config& config) {
  const auto opened = open_store(config, "no sessions are kept");
  if (!opened) return complain(opened.error());
  const auto all = (*opened)->client_contexts().list({});
  const auto removed = (*opened)->client_contexts().remove(line.name);
  if (!removed) return complain(removed.error());
  if (!*removed) {
    return complain({ErrorKind::NotFound, "there is no session \"" + line.name.substr(0, 80) +
                                              "\": `toolpost sessions` names them"});
  }
  note(config, store::AuditEvent::Session,
       {{"id", line.name},
        {"principal", all ? principal_of(*all, line.name) : std::string()},
        {"by", who_answers()},
        {"outcome", "ended"}});
  std::cout << line.name << " is ended\n";
  return kExitOk;
}

}  // namespace

int sessions(const CommandLine& line, const config::Config& config) {
  if (line.verb == Verb::SessionsEnd) return end_session(line, config);
  const auto opened = look_into_store(config);
  if (!opened) return complain(opened.error());
  std::vector<ClientContextRecord> all;
  if (*opened) {
    auto listed = (*opened)->client_contexts().list("");
    if (!listed) return complain(listed.error());
    all = *std::move(listed);
  }
  line.json ? print_sessions_json(all) : print_sessions(all);
  return kExitOk;
}

}  // namespace host::cli
