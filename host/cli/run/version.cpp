#include <iostream>

#include "app/version.h"
#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"

namespace host::cli {

int version(const CommandLine& line) {
  if (line.json) {
    std::cout << "{\"version\":\"" << app::kVersion << "\"}\n";
  } else {
    std::cout << "toolpost " << app::kVersion << '\n';
  }
  return kExitOk;
}

}  // namespace host::cli
