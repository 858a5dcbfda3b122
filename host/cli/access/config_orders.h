// Has running hosts read their configuration file again, or asks what of it is in effect.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace host::cli {

struct HostReport {
  std::string address;
  std::string file;                        // of this host; empty: it has none
  std::vector<std::string> applied;        // by this order
  std::vector<std::string> needs_restart;  // keys that differ from those in effect
  std::vector<std::string> faults;         // lines; not empty: nothing was applied
  std::string json;                        // config/change/reload_report.h
};

enum class ConfigOrder { Reload, Report };

// From each host that serves with the store of this configuration. Empty: none serves, or there is
// no store.
Result<std::vector<HostReport>> order_configuration(const config::Config& config,
                                                    ConfigOrder order);

// Prints them, one line for each fact. Returns the exit code.
int print_reports(const std::vector<HostReport>& reports);
// As a JSON array.
std::string reports_json(const std::vector<HostReport>& reports);

}  // namespace host::cli
