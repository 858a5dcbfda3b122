// Makes running hosts read their configuration file again, or report which keys of the file are in
// effect.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace host::cli {

struct HostReport {
  std::string address;
  std::string file;                        // the host's configuration file; empty: none
  std::vector<std::string> applied;        // keys that this order applied, see also add_edited()
  std::vector<std::string> needs_restart;  // keys whose values in the file are not in effect yet
  std::vector<std::string> faults;         // one line per fault; if any, nothing was applied
  std::string json;                        // the host's report, see config/change/reload_report.h
  // `failure` is set if the host did not answer or did not execute the order. If `failure` is set,
  // the only other member that is set is `address`.
  std::optional<Error> failure;
};

enum class ConfigOrder { Reload, Report };

// Gives the order to each running host that uses the store of `config`, and returns one report for
// each of these hosts. The returned list is empty if no host with this store runs, or if there is
// no store. The function returns an Error if the store cannot be read.
Result<std::vector<HostReport>> order_configuration(const config::Config& config,
                                                    ConfigOrder order);

// Corrects `reports` after the caller has edited `keys` in `file`. If a key of `keys` is in effect
// in a host, add_edited() adds the key to the host's applied keys. A host watches its configuration
// file, so it can have applied an edit before it got the request to reload.
void add_edited(std::vector<HostReport>& reports, const std::filesystem::path& file,
                const std::vector<std::string>& keys);

// Returns the exit code of a command that gave an order to the hosts of `reports`.
int exit_code_for(const std::vector<HostReport>& reports);
// Prints the hosts' reports as text, one line for each fact. Returns the exit code of the command.
int print_reports(const std::vector<HostReport>& reports);
// Returns the hosts' reports as a JSON array of {"host", "applied", "config"}. For a host that
// failed, the object is {"host", "error": {"kind", "message"}}.
std::string reports_json(const std::vector<HostReport>& reports);

}  // namespace host::cli
