#include "app/serve/serve.h"

#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"

namespace host::cli {

static_assert(app::kUnfitConfiguration == kExitConfig);

int serve(const CommandLine& line, config::Config config) {
  return line.stdio ? app::serve_stdio(std::move(config), line.agent)
                    : app::serve_http(std::move(config));
}

}  // namespace host::cli
