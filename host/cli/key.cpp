// `toolpost key`: who may call, approve and change this host. It speaks to the store, not to the
// host: whoever may write that file may let others in. A host that runs sees it within a second.
#include <iostream>

#include "cli/complaint.h"
#include "cli/exit_code.h"
#include "cli/noted.h"
#include "cli/open_store.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "identity/identities.h"
#include "identity/scopes.h"
#include "identity/secret.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

using identity::Scopes;
using store::KeyRecord;
using store::KeyStore;

// What was named, or the right to call alone.
Scopes scopes_of(const CommandLine& line) {
  Scopes scopes;
  for (const std::string& word : line.scopes) scopes = scopes.with(*identity::scope_from(word));
  return line.scopes.empty() ? Scopes(identity::Scope::Call) : scopes;
}

int make_key(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  const Scopes scopes = scopes_of(line);
  const auto made =
      identity::create_key(keys, line.name, scopes, line.agent, system_clock().wall());
  if (!made) return complain(made.error());
  note(config, "key",
       {{"id", made->id},
        {"principal", line.name},
        {"scopes", to_text(scopes)},
        {"agent", line.agent},
        {"by", who_answers()},
        {"outcome", "made"}});
  if (!line.json) {
    std::cerr << "Key " << made->id << " of " << line.name << " (" << to_text(scopes)
              << (line.agent.empty() ? "" : ", as " + line.agent) << "). It is shown this once:\n";
    std::cout << made->text << '\n';
    return kExitOk;
  }
  std::string out = "{";
  json::add_text(out, "id", made->id);
  json::add_text(out, "principal", line.name);
  json::add_text(out, "scopes", to_text(scopes));
  if (!line.agent.empty()) json::add_text(out, "agent", line.agent);
  json::add_text(out, "key", made->text);
  std::cout << out << "}\n";
  return kExitOk;
}

std::string key_json(const KeyRecord& key) {
  std::string out = "{";
  json::add_text(out, "id", key.id);
  json::add_text(out, "principal", key.principal);
  json::add_text(out, "scopes", to_text(Scopes(key.scopes)));
  if (!key.agent.empty()) json::add_text(out, "agent", key.agent);
  json::add_text(out, "created", to_rfc3339(key.created));
  json::add_bool(out, "revoked", key.revoked);
  return out + "}";
}

int list_keys(KeyStore& keys, const CommandLine& line) {
  const auto records = keys.keys();
  if (!records) return complain(records.error());
  if (line.json) {
    std::cout << '[';
    for (std::size_t i = 0; i < records->size(); ++i)
      std::cout << (i ? ",\n" : "\n") << key_json((*records)[i]);
    std::cout << "\n]\n";
    return kExitOk;
  }
  Table table({"KEY", "PRINCIPAL", "SCOPES", "AGENT", "MADE", "STATE"});
  for (const KeyRecord& key : *records) {
    table.add({key.id, key.principal, to_text(Scopes(key.scopes)),
               key.agent.empty() ? "-" : key.agent, to_rfc3339(key.created),
               key.revoked ? "revoked" : "holds"});
  }
  std::cout << (records->empty() ? "There are no keys.\n" : table.text());
  return kExitOk;
}

int revoke(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  const auto done = keys.revoke(line.name);
  if (!done) return complain(done.error());
  if (*done)
    note(config, "key", {{"id", line.name}, {"by", who_answers()}, {"outcome", "revoked"}});
  std::cout << line.name << (*done ? " is revoked" : " was revoked already; nothing changed")
            << '\n';
  return kExitOk;
}

int make_link(KeyStore& keys, const CommandLine& line, const config::Config& config) {
  const auto secret =
      identity::create_link(keys, identity::kOperator, system_clock().wall() + config.auth.link);
  if (!secret) return complain(secret.error());
  note(config, "link", {{"by", who_answers()}, {"outcome", "made"}});
  std::cout << identity::link_text(line.listen.value_or(config.server.listen), *secret) << '\n';
  return kExitOk;
}

}  // namespace

int key(const CommandLine& line, const config::Config& config) {
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
    default:
      return list_keys(keys, line);
  }
}

}  // namespace host::cli
