// `toolpost totp`: who has one-time codes. It speaks to the store, not to the host.
#include "identity/totp.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "cli/access/open_store.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/noted.h"
#include "cli/output/standard_streams.h"
#include "cli/output/table.h"
#include "identity/oauth/subject.h"
#include "identity/qr.h"
#include "identity/totp_json.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

using store::TotpRecord;
using store::TotpStore;

Error nobody(const std::string& principal) {
  return {ErrorKind::NotFound, "\"" + principal + "\" has no one-time codes"};
}

int enroll(TotpStore& codes, const CommandLine& line, const config::Config&) {
  const auto made = identity::enroll(codes, line.name, system_clock().wall());
  if (!made) return complain(made.error());
  set_lost_output("the enrolment exists, and nobody has its secret: run the command again");
  if (line.json) {
    std::string out = "{";
    json::add_text(out, "principal", line.name);
    json::add_text(out, "secret", made->secret);
    json::add_text(out, "uri", made->uri);
    json::add_member(out, "recovery", json::list_of(made->recovery));
    std::cout << out << "}\n";
    return kExitOk;
  }
  if (::isatty(STDOUT_FILENO) != 0) std::cout << identity::qr_text(made->uri) << '\n';
  std::cout << made->uri << "\n\nRecovery codes, each good once in place of a code:\n";
  for (const std::string& code : made->recovery) std::cout << "  " << code << '\n';
  std::cout << "\nNothing of this is shown again. Scan it, then: toolpost totp confirm "
            << line.name << " CODE\n";
  return kExitOk;
}

int confirm(TotpStore& codes, const CommandLine& line, const config::Config& config) {
  identity::JudgedCode judged;
  const auto done = identity::confirm(codes, line.name, line.code, system_clock().wall(), &judged);
  note_refused_code(config, judged, line.name);
  if (!done) return complain(done.error());
  std::cout << "One-time codes of " << line.name << " are accepted from now on.\n";
  return kExitOk;
}

int list_enrolled(TotpStore& codes, const CommandLine& line) {
  const auto records = codes.list();
  if (!records) return complain(records.error());
  const WallTime now = system_clock().wall();
  if (line.json) {
    std::cout << '[';
    for (std::size_t i = 0; i < records->size(); ++i)
      std::cout << (i ? ",\n" : "\n") << identity::as_json((*records)[i], now);
    std::cout << "\n]\n";
    return kExitOk;
  }
  Table table({"PRINCIPAL", "STATE", "ENROLLED", "RECOVERY CODES"});
  for (const TotpRecord& one : *records) {
    table.add({one.principal, std::string(identity::state_of(one, now)), to_rfc3339(one.enrolled),
               std::to_string(one.recovery.size())});
  }
  std::cout << (records->empty() ? "Nobody has one-time codes.\n" : table.text());
  return kExitOk;
}

int unlock(TotpStore& codes, const CommandLine& line, const config::Config&) {
  const auto done = identity::unlock(codes, line.name);
  if (!done) return complain(done.error());
  if (!*done) return complain(nobody(line.name));
  std::cout << "Codes of " << line.name << " are taken again.\n";
  return kExitOk;
}

int forget(TotpStore& codes, const CommandLine& line, const config::Config&) {
  const auto done = codes.remove(line.name);
  if (!done) return complain(done.error());
  if (!*done) return complain(nobody(line.name));
  std::cout << line.name << " has no one-time codes any more.\n";
  return kExitOk;
}

// The principals of tokens have no key, and names of that form are not misspelt by hand.
void warn_without_key(store::Store& store, const std::string& principal) {
  const auto keys = store.keys().keys();
  if (!keys || identity::is_principal_of_subject(principal)) return;
  const bool known = std::any_of(keys->begin(), keys->end(), [&](const store::KeyRecord& key) {
    return key.principal == principal && !key.revoked;
  });
  if (known) return;
  std::cerr << "warning: no key belongs to \"" << principal
            << "\", so nobody can call tools under this name: check the spelling, or create a key "
               "with `toolpost key new "
            << principal << "`\n";
}

// What changes something, and how the audit tells it.
struct Change {
  Verb verb;
  int (*act)(TotpStore& codes, const CommandLine& line, const config::Config& config);
  std::string_view outcome;
};

constexpr Change kChanges[] = {{Verb::TotpEnroll, enroll, "enrolled"},
                               {Verb::TotpConfirm, confirm, "confirmed"},
                               {Verb::TotpUnlock, unlock, "unlocked"},
                               {Verb::TotpRemove, forget, "removed"}};

const Change& change_of(Verb verb) {
  return *std::find_if(std::begin(kChanges), std::end(kChanges),
                       [verb](const Change& one) { return one.verb == verb; });
}

}  // namespace

int totp(const CommandLine& line, const config::Config& config) {
  const auto opened = open_store(config, "no codes are kept");
  if (!opened) return complain(opened.error());
  if (line.verb == Verb::TotpList) return list_enrolled((*opened)->codes(), line);
  const Change& change = change_of(line.verb);
  const int code = change.act((*opened)->codes(), line, config);
  if (code == kExitOk && line.verb == Verb::TotpEnroll) warn_without_key(**opened, line.name);
  if (code == kExitOk) {
    note(config, store::AuditEvent::Totp,
         {{"principal", line.name}, {"by", who_answers()}, {"outcome", change.outcome}});
  }
  return code;
}

}  // namespace host::cli
