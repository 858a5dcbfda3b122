#include "cli/noted.h"

#include <pwd.h>
#include <unistd.h>

#include "cli/complaint.h"

namespace host::cli {

std::string who_answers() {
  const passwd* const user = ::getpwuid(::getuid());
  return "cli:" + (user ? std::string(user->pw_name) : std::to_string(::getuid()));
}

void note(const config::Config& config, std::string_view event, store::Audit::Fields fields) {
  auto audit = store::Audit::open(config.audit.file, system_clock(),
                                  {config.audit.rotate_bytes, config.audit.rotate});
  if (!audit) {
    complain(audit.error());
    return;
  }
  audit->note(event, fields);
  audit->flush();
}

}  // namespace host::cli
