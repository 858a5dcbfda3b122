#include "config/shipped_plugins.h"

namespace host::config {
namespace {

constexpr std::string_view kShippedPlugins[] = {"hello",  "invoices",  "clock",     "files",
                                                "shell",  "sqlite",    "warehouse", "fetch",
                                                "redact", "rate_limit"};

constexpr std::string_view kFolderOfInvoices = "@state/invoices";

// Without a home there is no such folder, and every call says so.
void add_grant(std::string_view folder, const PathBase& base, Plugin& plugin) {
  if (const auto path = resolve(folder, base)) plugin.fs.push_back({path->string(), true});
}

}  // namespace

std::span<const std::string_view> names_of_shipped_plugins() {
  return kShippedPlugins;
}

std::map<std::string, Plugin> defaults_of_shipped_plugins(const PathBase& base) {
  std::map<std::string, Plugin> all;
  all["invoices"].auto_approve = true;
  add_grant(kFolderOfInvoices, base, all["invoices"]);
  all["shell"].enabled = false;
  all["warehouse"].enabled = false;
  all["redact"].enabled = false;
  all["rate_limit"].enabled = false;
  return all;
}

}  // namespace host::config
