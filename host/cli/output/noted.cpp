#include "cli/output/noted.h"

#include <pwd.h>
#include <unistd.h>

#include <functional>
#include <iostream>

#include "cli/output/line.h"
#include "identity/code_audit.h"

namespace host::cli {

std::string who_answers() {
  const passwd* const user = ::getpwuid(::getuid());
  return "cli:" + (user ? std::string(user->pw_name) : std::to_string(::getuid()));
}

namespace {

// Only on standard error: the command has done its work, and standard output has the result.
void tell_unwritten(const std::string& why) {
  Line(std::cerr) << "toolpost: the command is done, but the audit has no line about it: " << why;
}

void with_audit(const config::Config& config, const std::function<void(store::Audit&)>& act) {
  auto audit = store::Audit::open(config.audit.file, system_clock(),
                                  {config.audit.rotate_bytes, config.audit.rotate});
  if (!audit) return tell_unwritten(audit.error().message);
  act(*audit);
  audit->flush();
  if (const std::string fault = audit->fault(); !fault.empty()) tell_unwritten(fault);
  audit->close();
}

}  // namespace

void note(const config::Config& config, store::AuditEvent event, store::Audit::Fields fields) {
  with_audit(config, [&](store::Audit& audit) { audit.note(event, fields); });
}

void note_refused_code(const config::Config& config, const identity::JudgedCode& judged,
                       std::string_view principal, std::string_view approval) {
  if (!identity::is_refused(judged)) return;
  const std::string by = who_answers();
  identity::CodeGiver giver;
  giver.principal = principal;
  giver.by = by;
  giver.approval = approval;
  with_audit(config,
             [&](store::Audit& audit) { identity::note_refused_code(audit, judged, giver); });
}

}  // namespace host::cli
