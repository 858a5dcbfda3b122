// `toolpost key`: who may call, approve and change this host. It speaks to the store, not to the
// host: whoever may write that file may let others in. A host that runs sees it within a second.
#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/door/page_link.h"
#include "cli/access/open_store.h"
#include "cli/command/length_of_time.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/noted.h"
#include "cli/output/standard_streams.h"
#include "cli/output/table.h"
#include "identity/identities.h"
#include "identity/scopes.h"
#include "identity/secret.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

using identity::Scopes;
using store::KeyRecord;
using store::KeyStore;
using store::LoginRecord;

// What was named, or the right to call alone.
Scopes scopes_of(const CommandLine& line) {
  Scopes scopes;
  for (const std::string& word : line.scopes) scopes = scopes.with(*identity::scope_from(word));
  return line.scopes.empty() ? Scopes(identity::Scope::Call) : scopes;
}

// When what is made now expires; nullopt: never.
Result<std::optional<WallTime>> expiry_of(const CommandLine& line, WallTime now) {
  if (!line.expires) return std::optional<WallTime>();
  HOST_TRY_ASSIGN(const auto length, length_of_time(*line.expires));
  return std::optional<WallTime>(now + length);
}

// `text` is the key, which is printed this once. `until`: when the key that it replaces expires.
void print_key(const CommandLine& line, const KeyRecord& key, const std::string& text,
               std::optional<WallTime> until = std::nullopt) {
  set_lost_output("the key " + key.id +
                  " exists, and nobody has its text: run `toolpost key revoke " + key.id + "`");
  const std::string scopes = to_text(Scopes(key.scopes));
  if (!line.json) {
    std::cerr << "Key " << key.id << " of " << key.principal << " (" << scopes
              << (key.agent.empty() ? "" : ", as " + key.agent) << "), "
              << (key.expires ? "valid until " + to_rfc3339(*key.expires)
                              : std::string("valid until it is revoked"))
              << ".";
    if (until) std::cerr << " The old key is valid until " << to_rfc3339(*until) << ".";
    std::cerr << " It is shown this once:\n";
    std::cout << text << '\n';
    return;
  }
  std::string out = "{";
  json::add_text(out, "id", key.id);
  json::add_text(out, "principal", key.principal);
  json::add_text(out, "scopes", scopes);
  if (!key.agent.empty()) json::add_text(out, "agent", key.agent);
  if (key.expires) json::add_text(out, "expires", to_rfc3339(*key.expires));
  if (until) json::add_text(out, "old_expires", to_rfc3339(*until));
  json::add_text(out, "key", text);
  std::cout << out << "}\n";
}

// Without the key itself: a terminal's text is copied into tickets.
Error key_for_id(std::string_view key) {
  const auto id = identity::id_of(key);
  return {ErrorKind::InvalidArgument,
          "this is a key, not its id: " +
              (id ? "its id is " + std::string(*id) + "; " : std::string()) +
              "`toolpost key list` names the ids. The shell's history may have the key now: revoke "
              "it by its id"};
}

int make_key(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  const WallTime now = system_clock().wall();
  const auto expires = expiry_of(line, now);
  if (!expires) return complain(expires.error());
  const Scopes scopes = scopes_of(line);
  const auto made = identity::create_key(keys, line.name, scopes, line.agent, now, *expires);
  if (!made) return complain(made.error());
  note(config, store::AuditEvent::Key,
       {{"id", made->id},
        {"principal", line.name},
        {"scopes", to_text(scopes)},
        {"agent", line.agent},
        {"expires", *expires ? to_rfc3339(**expires) : std::string()},
        {"by", who_answers()},
        {"outcome", "made"}});
  KeyRecord record;
  record.id = made->id;
  record.principal = line.name;
  record.scopes = scopes.bits();
  record.agent = line.agent;
  record.expires = *expires;
  print_key(line, record, made->text);
  return kExitOk;
}

int rotate(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  const WallTime now = system_clock().wall();
  const auto expires = expiry_of(line, now);
  if (!expires) return complain(expires.error());
  const auto overlap = length_of_time(line.overlap);
  if (!overlap) return complain(overlap.error());
  const auto made = identity::rotate_key(keys, line.name, now, now + *overlap, *expires);
  if (!made) return complain(made.error());
  note(config, store::AuditEvent::Key,
       {{"id", line.name},
        {"principal", made->record.principal},
        {"successor", made->record.id},
        {"by", who_answers()},
        {"outcome", "rotated"}});
  print_key(line, made->record, made->key.text, made->old_expires);
  return kExitOk;
}

std::string_view state_of(const KeyRecord& key) {
  if (key.revoked) return "revoked";
  if (!key.is_valid_at(system_clock().wall())) return "expired";
  return key.successor.empty() ? "valid" : "rotated";
}

std::string time_or_dash(const std::optional<WallTime>& time) {
  return time ? to_rfc3339(*time) : "-";
}

std::string key_json(const KeyRecord& key) {
  std::string out = "{";
  json::add_text(out, "id", key.id);
  json::add_text(out, "principal", key.principal);
  json::add_text(out, "scopes", to_text(Scopes(key.scopes)));
  if (!key.agent.empty()) json::add_text(out, "agent", key.agent);
  json::add_text(out, "created", to_rfc3339(key.created));
  if (key.used) json::add_text(out, "last_used", to_rfc3339(*key.used));
  if (key.expires) json::add_text(out, "expires", to_rfc3339(*key.expires));
  if (!key.successor.empty()) json::add_text(out, "successor", key.successor);
  json::add_bool(out, "revoked", key.revoked);
  json::add_text(out, "state", state_of(key));
  return out + "}";
}

template <class Record>
void print_list(const std::vector<Record>& records, std::string (*as_json)(const Record&)) {
  std::cout << '[';
  for (std::size_t i = 0; i < records.size(); ++i)
    std::cout << (i ? ",\n" : "\n") << as_json(records[i]);
  std::cout << "\n]\n";
}

int list_keys(KeyStore& keys, const CommandLine& line) {
  const auto records = keys.keys();
  if (!records) return complain(records.error());
  if (line.json) {
    print_list(*records, key_json);
    return kExitOk;
  }
  Table table({"KEY", "PRINCIPAL", "SCOPES", "AGENT", "MADE", "LAST USED", "EXPIRES", "STATE"});
  for (const KeyRecord& key : *records) {
    table.add({key.id, key.principal, to_text(Scopes(key.scopes)),
               key.agent.empty() ? "-" : key.agent, to_rfc3339(key.created), time_or_dash(key.used),
               time_or_dash(key.expires), std::string(state_of(key))});
  }
  std::cout << (records->empty() ? "There are no keys.\n" : table.text());
  return kExitOk;
}

std::string login_json(const LoginRecord& login) {
  std::string out = "{";
  json::add_text(out, "id", login.id);
  json::add_text(out, "principal", login.principal);
  json::add_text(out, "scopes", to_text(Scopes(login.scopes)));
  if (!login.key.empty()) json::add_text(out, "key", login.key);
  json::add_text(out, "created", to_rfc3339(login.created));
  json::add_text(out, "expires", to_rfc3339(login.expires));
  return out + "}";
}

int list_logins(KeyStore& keys, const CommandLine& line) {
  const auto logins = keys.logins();
  if (!logins) return complain(logins.error());
  if (line.json) {
    print_list(*logins, login_json);
    return kExitOk;
  }
  Table table({"LOGIN", "PRINCIPAL", "SCOPES", "BY", "SINCE", "EXPIRES"});
  for (const LoginRecord& login : *logins) {
    table.add({login.id, login.principal, to_text(Scopes(login.scopes)),
               login.key.empty() ? "link" : "key " + login.key, to_rfc3339(login.created),
               to_rfc3339(login.expires)});
  }
  std::cout << (logins->empty() ? "Nobody is logged in to the page.\n" : table.text());
  return kExitOk;
}

// By id; empty where there is none.
template <class Record>
Record record_of(const Result<std::vector<Record>>& all, const std::string& id) {
  if (!all) return {};
  const auto at =
      std::find_if(all->begin(), all->end(), [&](const Record& one) { return one.id == id; });
  return at == all->end() ? Record() : *at;
}

int end_one_login(KeyStore& keys, const std::string& id, const config::Config& config) {
  const LoginRecord login = record_of(keys.logins(), id);  // it is not listed after its end
  const auto ended = keys.end_login(id);
  if (!ended) return complain(ended.error());
  if (!*ended) {
    return complain({ErrorKind::NotFound, "there is no login \"" + id.substr(0, 80) +
                                              "\": `toolpost key logins` names them"});
  }
  note(config, store::AuditEvent::Logout,
       {{"principal", login.principal}, {"login", id}, {"by", who_answers()}});
  std::cout << id << " is logged out\n";
  return kExitOk;
}

int end_logins(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  if (!line.name.empty()) return end_one_login(keys, line.name, config);
  std::set<std::string> whose = {line.principal};
  if (line.all) {
    const auto logins = keys.logins();
    if (!logins) return complain(logins.error());
    whose.clear();
    for (const LoginRecord& login : *logins) whose.insert(login.principal);
  }
  std::size_t count = 0;
  for (const std::string& principal : whose) {
    const auto ended = keys.end_logins(principal, identity::kEveryScope.bits());
    if (!ended) return complain(ended.error());
    if (*ended != 0)
      note(config, store::AuditEvent::Logout,
           {{"principal", principal}, {"login", "all"}, {"by", who_answers()}});
    count += *ended;
  }
  std::cout << count << (count == 1 ? " login has ended\n" : " logins have ended\n");
  return kExitOk;
}

int revoke(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  const auto done = keys.revoke(line.name);
  if (!done) return complain(done.error());
  if (*done) {
    const KeyRecord key = record_of(keys.keys(), line.name);
    note(config, store::AuditEvent::Key,
         {{"id", line.name},
          {"principal", key.principal},
          {"agent", key.agent},
          {"by", who_answers()},
          {"outcome", "revoked"}});
  }
  std::cout << line.name << (*done ? " is revoked" : " was revoked already; nothing changed")
            << '\n';
  return kExitOk;
}

int make_link(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  const auto place =
      line.listen ? app::link_place(*line.listen) : app::link_place(config, config.server.listen);
  if (!place) return complain(place.error());
  const auto secret =
      identity::create_link(keys, identity::kOperator, system_clock().wall() + config.auth.link);
  if (!secret) return complain(secret.error());
  note(config, store::AuditEvent::Link, {{"by", who_answers()}, {"outcome", "made"}});
  if (!place->note.empty()) std::cerr << place->note << '\n';
  std::cout << identity::link_text(place->page, *secret) << '\n';
  return kExitOk;
}

}  // namespace

int key(const CommandLine& line, const config::Config& config) {
  if (identity::begins_as_key(line.name)) return complain(key_for_id(line.name), kExitUsage);
  const auto opened = open_store(config, "no keys are kept");
  if (!opened) return complain(opened.error());
  KeyStore& keys = (*opened)->keys();
  switch (line.verb) {
    case Verb::KeyNew:
      return make_key(keys, line, config);
    case Verb::KeyRevoke:
      return revoke(keys, line, config);
    case Verb::KeyLink:
      return make_link(keys, line, config);
    case Verb::KeyRotate:
      return rotate(keys, line, config);
    case Verb::KeyLogins:
      return list_logins(keys, line);
    case Verb::KeyLogout:
      return end_logins(keys, line, config);
    default:
      return list_keys(keys, line);
  }
}

}  // namespace host::cli
