#include "cli/output/noted.h"

#include <pwd.h>
#include <unistd.h>

#include <functional>

#include "cli/output/complaint.h"
#include "identity/code_audit.h"

namespace host::cli {

std::string who_answers() {
  const passwd* const user = ::getpwuid(::getuid());
  return "cli:" + (user ? std::string(user->pw_name) : std::to_string(::getuid()));
}

namespace {

void with_audit(const config::Config& config, const std::function<void(store::Audit&)>& act) {
  auto audit = store::Audit::open(config.audit.file, system_clock(),
                                  {config.audit.rotate_bytes, config.audit.rotate});
  if (!audit) {
    complain(audit.error());
    return;
  }
  act(*audit);
  audit->flush();
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
