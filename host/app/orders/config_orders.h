// Defines the orders of `toolpost config` to a running host: reload the configuration file, or
// report on it. An order is a request that a command stores for the host. One table of the store
// lists all orders.
#pragma once

#include <string_view>

namespace host::app {

inline constexpr const char* kConfigReload =
    "config-reload";  // answer: config/change/reload_report.h
inline constexpr const char* kConfigReport = "config-report";  // the answer is the same
                                                               // (the host applies nothing)

inline bool is_config_order(std::string_view action) {
  return action == kConfigReload || action == kConfigReport;
}

}  // namespace host::app
