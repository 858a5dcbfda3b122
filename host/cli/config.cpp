#include <iostream>

#include "cli/diagnostics_json.h"
#include "cli/exit_code.h"
#include "cli/load_config.h"
#include "cli/verbs.h"

namespace host::cli {
int config_check(const CommandLine& line) {
  const config::Loaded loaded = load_config(line);
  if (line.json) {
    std::cout << diagnostics_json(loaded.diagnostics) << '\n';
  } else {
    for (const config::Diagnostic& diagnostic : loaded.diagnostics)
      std::cout << diagnostic.describe() << '\n';
    if (loaded.config) std::cout << "ok\n";
  }
  return loaded.config ? kExitOk : kExitConfig;
}

int config_show(const config::Config& config) {
  std::cout << config::show(config);
  return kExitOk;
}

}  // namespace host::cli
