#include <iostream>

#include "cli/exit_code.h"
#include "cli/load_config.h"
#include "cli/verbs.h"
#include "json/json.h"

namespace host::cli {
namespace {

void print_json(const std::vector<config::Diagnostic>& diagnostics) {
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
  std::cout << out << "]\n";
}

}  // namespace

int config_check(const CommandLine& line) {
  const config::Loaded loaded = load_config(line);
  if (line.json) {
    print_json(loaded.diagnostics);
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
