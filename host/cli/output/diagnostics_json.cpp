#include "cli/output/diagnostics_json.h"

#include "config/change/reload_report.h"

namespace host::cli {

std::string diagnostics_json(const std::vector<config::Diagnostic>& diagnostics) {
  return config::as_json(diagnostics);
}

}  // namespace host::cli
