#include "cli/output/diagnostics_json.h"

#include "json/json.h"

namespace host::cli {

std::string diagnostics_json(const std::vector<config::Diagnostic>& diagnostics) {
  std::string out = "[";
  for (const config::Diagnostic& diagnostic : diagnostics) {
    if (out.size() > 1) out += ',';
    out += "{\"file\":";
    json::write_string(diagnostic.file, out);
    out += ",\"line\":" + std::to_string(diagnostic.line) +
           ",\"column\":" + std::to_string(diagnostic.column);
    out += diagnostic.severity == config::Severity::Error ? ",\"severity\":\"error\""
                                                          : ",\"severity\":\"warning\"";
    out += ",\"code\":";
    json::write_string(diagnostic.code, out);
    out += ",\"message\":";
    json::write_string(diagnostic.message, out);
    out += ",\"help\":";
    json::write_string(diagnostic.help, out);
    out += '}';
  }
  return out + "]";
}

}  // namespace host::cli
