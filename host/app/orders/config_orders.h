// The orders that the command line gives about the configuration. The store has them in the same
// table as orders about plugins.
#pragma once

#include <string_view>

namespace host::app {

inline constexpr const char* kConfigReload =
    "config-reload";  // answer: config/change/reload_report.h
inline constexpr const char* kConfigReport = "config-report";  // the same; nothing is applied

inline bool is_config_order(std::string_view action) {
  return action == kConfigReload || action == kConfigReport;
}

}  // namespace host::app
