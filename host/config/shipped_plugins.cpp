#include "config/shipped_plugins.h"

namespace host::config {
namespace {

constexpr std::string_view kShippedPlugins[] = {"hello", "invoices", "clock",     "files",
                                                "shell", "sqlite",   "warehouse", "fetch"};

}  // namespace

std::span<const std::string_view> names_of_shipped_plugins() {
  return kShippedPlugins;
}

}  // namespace host::config
