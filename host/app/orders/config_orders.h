// Orders of the command line about the configuration. They are stored in the same table as orders
// about plugins.
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
