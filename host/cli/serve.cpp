#include "app/serve.h"

#include "cli/exit_code.h"
#include "cli/verbs.h"

namespace host::cli {

static_assert(app::kUnfitConfiguration == kExitConfig);

int serve(const CommandLine& line, config::Config config) {
  return line.stdio ? app::serve_stdio(std::move(config), line.agent)
                    : app::serve_http(std::move(config));
}

}  // namespace host::cli
