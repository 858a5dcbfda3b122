#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "app/core/name_check.h"
#include "app/core/settings_check.h"
#include "app/core/start_check.h"
#include "app/core/state_check.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/access/config_orders.h"
#include "cli/access/one_shot.h"
#include "cli/access/open_store.h"
#include "cli/command/load_config.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/diagnostics_json.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "config/key/show.h"
#include "identity/scopes.h"
#include "store/store.h"

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
    // First the plugins that are refused: other names are unknown only because of that.
    for (config::Diagnostic& one : app::refused_settings(core, file))
      diagnostics.push_back(std::move(one));
    for (config::Diagnostic& one : app::check_names(core)) diagnostics.push_back(std::move(one));
    co_return print(line, diagnostics);
  });
}

// True also if the store cannot be read, or only after a migration: `doctor` says why.
bool may_have_key(const config::Config& config) {
  if (!app::check_state(config).store || awaits_migration(config.store.file)) return true;
  const auto store = look_into_store(config);
  if (!store) return true;
  if (!*store) return false;
  const auto keys = (*store)->keys().keys();
  return !keys || std::any_of(keys->begin(), keys->end(), [](const store::KeyRecord& key) {
    return key.is_valid_at(system_clock().wall()) &&
           identity::Scopes(key.scopes).has(identity::Scope::Call);
  });
}

// What is outside of the file can change until the start, or be another user's, as the host's.
void add_refused(const config::Config& config, Diagnostics& diagnostics) {
  Diagnostics refused = app::refused_at_start(config, [&config] { return may_have_key(config); });
  for (config::Diagnostic& one : refused) {
    if (one.code == "C024") one.severity = config::Severity::Warning;
  }
  app::leave_out_reported(diagnostics, refused);
  for (config::Diagnostic& one : refused) diagnostics.push_back(std::move(one));
}

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code error;
  return std::filesystem::equivalent(one, other, error);
}

// What of this file hosts that use it have not in effect. A host that cannot be asked does not make
// the file a bad one.
void print_pending(const config::Config& config) {
  const auto reports = order_configuration(config, ConfigOrder::Report);
  if (!reports) {
    Line(std::cerr) << "toolpost: " << reports.error().message;
    return;
  }
  std::vector<HostReport> own = *reports;
  std::erase_if(own, [&](const HostReport& one) {
    return !one.failure && (!is_same_file(one.file, config.file) || one.needs_restart.empty());
  });
  print_reports(own);
}

}  // namespace

int config_check(const CommandLine& line) {
  config::Loaded loaded = load_config(line);
  const std::optional<config::Config> whole = loaded.config;
  auto config = loaded.config ? std::move(loaded.config) : load_readable_part(line);
  if (config) add_refused(*config, loaded.diagnostics);
  const int exit_code = !config || config->names.all.empty()
                            ? print(line, loaded.diagnostics)
                            : check_names(line, *std::move(config), std::move(loaded.diagnostics));
  if (whole && exit_code == kExitOk && !line.json) print_pending(*whole);
  return exit_code;
}

int config_reload(const CommandLine& line, const config::Config& config) {
  const auto reports = order_configuration(config, ConfigOrder::Reload);
  if (!reports) return complain(reports.error());
  if (reports->empty()) {
    return complain({ErrorKind::Unavailable,
                     config.store.file.empty()
                         ? "store.file is empty, so no running host can be given an order: send it "
                           "SIGHUP"
                         : "no host serves with " + config.store.file.string() +
                               ": start one with `toolpost serve`"});
  }
  if (!line.json) return print_reports(*reports);
  if (reports->size() == 1 && reports->front().failure) return complain(*reports->front().failure);
  std::cout << reports_json(*reports) << '\n';
  return exit_code_for(*reports);
}

int config_show(const config::Config& config) {
  std::cout << config::show(config);
  return kExitOk;
}

}  // namespace host::cli
