#include <iostream>

#include "app/version.h"
#include "cli/exit_code.h"
#include "cli/verbs.h"

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
