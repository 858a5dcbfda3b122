#include "app/serve/serve.h"

#include "cli/command/load_config.h"
#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"

namespace host::cli {

static_assert(app::kUnfitConfiguration == kExitConfig);

int serve(const CommandLine& line, config::Config config) {
  const app::ReadAgain read = [line] { return load_config(line); };
  return line.stdio ? app::serve_stdio(std::move(config), line.agent, read)
                    : app::serve_http(std::move(config), read);
}

}  // namespace host::cli
