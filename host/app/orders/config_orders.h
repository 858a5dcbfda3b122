// Defines the orders about the configuration. An order is a request that a `toolpost` command
// stores for a running host. The store has one table for all orders.
#pragma once

#include <string_view>

namespace host::app {

inline constexpr const char* kConfigReload =
    "config-reload";  // answer: config/change/reload_report.h
inline constexpr const char* kConfigReport = "config-report";  // the same answer; the host applies
                                                               // nothing

inline bool is_config_order(std::string_view action) {
  return action == kConfigReload || action == kConfigReport;
}

}  // namespace host::app
