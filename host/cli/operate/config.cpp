#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "app/core/name_check.h"
#include "app/core/settings_check.h"
#include "base/log.h"
#include "cli/access/one_shot.h"
#include "cli/command/load_config.h"
#include "cli/command/verbs.h"
#include "cli/output/diagnostics_json.h"
#include "cli/output/exit_code.h"

namespace host::cli {
namespace {

using Diagnostics = std::vector<config::Diagnostic>;

int print(const CommandLine& line, const Diagnostics& diagnostics) {
  const bool good = !config::has_error(diagnostics);
  if (line.json) {
    std::cout << diagnostics_json(diagnostics) << '\n';
  } else {
    for (const config::Diagnostic& one : diagnostics) std::cout << one.describe() << '\n';
    if (good) std::cout << "ok\n";
  }
  return good ? kExitOk : kExitConfig;
}

// Only plugins can say which tools they have and which settings they take, so they are loaded as
// `serve` would. Nothing is kept of that: no store, no audit, no cache.
int check_names(const CommandLine& line, config::Config config, Diagnostics diagnostics) {
  log::setup(log::Level::Off, config.log.format);
  config.store.file.clear();
  config.audit.file.clear();
  config.plugins.manifest_cache.clear();
  const std::filesystem::path file = std::exchange(config.file, {});  // it has been read
  return one_shot(std::move(config), [&](app::Core& core) -> boost::asio::awaitable<int> {
    for (config::Diagnostic& one : app::check_names(core)) diagnostics.push_back(std::move(one));
    for (config::Diagnostic& one : app::refused_settings(core, file))
      diagnostics.push_back(std::move(one));
    co_return print(line, diagnostics);
  });
}

}  // namespace

int config_check(const CommandLine& line) {
  config::Loaded loaded = load_config(line);
  auto config = loaded.config ? std::move(loaded.config) : load_readable_part(line);
  if (!config || config->names.all.empty()) return print(line, loaded.diagnostics);
  return check_names(line, *std::move(config), std::move(loaded.diagnostics));
}

int config_show(const config::Config& config) {
  std::cout << config::show(config);
  return kExitOk;
}

}  // namespace host::cli
