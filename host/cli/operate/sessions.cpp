// `toolpost sessions`: the sessions that outlive their host, one of them, and its end. It speaks to
// the store: a host that runs sees it within a second or two.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "cli/access/open_store.h"
#include "cli/access/stored_sessions.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/noted.h"
#include "cli/output/table.h"
#include "json/object_text.h"
#include "session/todos.h"

namespace host::cli {
namespace {

using Names = std::optional<std::vector<std::string>>;

std::string made_by(const ListedSession& session) {
  return session.of_client() ? "MCP " + session.protocol + " at " + session.address : "REST";
}

std::string or_none(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "none" : out;
}

void print_sessions(const std::vector<ListedSession>& sessions) {
  Table table({"SESSION", "PRINCIPAL", "AGENT", "MADE BY", "TOOLS", "BEGAN", "USED"});
  for (const ListedSession& one : sessions) {
    const store::SessionRecord& record = one.record;
    table.add({record.id, one_line(record.principal, 20), record.agent.empty() ? "-" : record.agent,
               made_by(one), std::to_string(one.tool_names().size()), to_rfc3339(record.created),
               to_rfc3339(record.used)});
  }
  std::cout << (sessions.empty() ? "There are no sessions.\n" : table.text());
}

void add_names(std::string& out, std::string_view key, const Names& names) {
  if (names) json::add_member(out, key, json::list_of(*names));
}

std::string session_json(const ListedSession& one) {
  const store::SessionRecord& record = one.record;
  std::string out = "{";
  json::add_text(out, "id", record.id);
  json::add_text(out, "principal", record.principal);
  if (!record.agent.empty()) json::add_text(out, "agent", record.agent);
  json::add_text(out, "made_by", one.of_client() ? "mcp" : "rest");
  if (one.of_client()) {
    json::add_text(out, "address", one.address);
    json::add_text(out, "version", one.protocol);
  }
  if (!record.mode.empty()) json::add_text(out, "mode", record.mode);
  add_names(out, "working_dirs", record.working_dirs);
  add_names(out, "groups", record.groups);
  add_names(out, "mcp_providers", record.providers);
  json::add_member(out, "tools", json::list_of(one.tool_names()));
  if (!record.todos.empty()) json::add_member(out, "todos", record.todos);
  json::add_text(out, "created", to_rfc3339(record.created));
  json::add_text(out, "used", to_rfc3339(record.used));
  return out + "}";
}

void print_sessions_json(const std::vector<ListedSession>& sessions) {
  std::string out = "[";
  for (const ListedSession& one : sessions)
    out += (out.size() > 1 ? ",\n" : "") + session_json(one);
  std::cout << out << "]\n";
}

void print_session(const ListedSession& one) {
  const store::SessionRecord& record = one.record;
  const auto row = [](std::string_view what, const std::string& value) {
    Line(std::cout) << what << value;
  };
  const auto narrowed = [](const Names& names) {
    return names ? or_none(*names) : std::string("as its agent");
  };
  row("session      ", record.id);
  row("principal    ", record.principal);
  row("agent        ", record.agent.empty() ? "none" : record.agent);
  row("made by      ", made_by(one));
  row("mode         ", record.mode.empty() ? "as its agent" : record.mode);
  row("folders      ", narrowed(record.working_dirs));
  row("groups       ", narrowed(record.groups));
  row("providers    ", narrowed(record.providers));
  row("own tools    ", or_none(one.tool_names()));
  for (const session::Todo& todo : session::todos_in(record.todos)) {
    row("todo         ",
        std::string(session::to_string(todo.status)) + ": " + one_line(todo.content, 200));
  }
  row("began        ", to_rfc3339(record.created));
  row("used         ", to_rfc3339(record.used));
}

int show_session(const CommandLine& line, const config::Config& config) {
  const auto opened = open_store(config, "no sessions are kept");
  if (!opened) return complain(opened.error());
  const auto session = stored_session(**opened, line.name);
  if (!session) return complain(session.error());
  if (line.json) {
    std::cout << session_json(*session) << '\n';
  } else {
    print_session(*session);
  }
  return kExitOk;
}

int end_session(const CommandLine& line, const config::Config& config) {
  const auto opened = open_store(config, "no sessions are kept");
  if (!opened) return complain(opened.error());
  const auto ended = end_stored_session(**opened, line.name);
  if (!ended) return complain(ended.error());
  note(config, store::AuditEvent::Session,
       {{"id", line.name},
        {"principal", ended->record.principal},
        {"by", who_answers()},
        {"outcome", "ended"}});
  std::cout << line.name << " is ended\n";
  return kExitOk;
}

}  // namespace

int sessions(const CommandLine& line, const config::Config& config) {
  if (line.verb == Verb::SessionsEnd) return end_session(line, config);
  if (line.verb == Verb::SessionsShow) return show_session(line, config);
  const auto opened = look_into_store(config);
  if (!opened) return complain(opened.error());
  std::vector<ListedSession> all;
  if (*opened) {
    auto listed = stored_sessions(**opened);
    if (!listed) return complain(listed.error());
    all = *std::move(listed);
  }
  line.json ? print_sessions_json(all) : print_sessions(all);
  return kExitOk;
}

}  // namespace host::cli
