#include <iostream>
#include <string>

#include "app/version.h"
#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"
#include "json/object_text.h"

namespace host::cli {

int version(const CommandLine& line) {
  if (line.json) {
    std::string out = "{";
    json::add_text(out, "version", app::kVersion);
    if (!line.commit.empty()) json::add_text(out, "commit", line.commit);
    std::cout << out << "}\n";
  } else {
    std::cout << version_text(line.commit) << '\n';
  }
  return kExitOk;
}

}  // namespace host::cli
