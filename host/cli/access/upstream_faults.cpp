#include "cli/access/upstream_faults.h"

#include <chrono>
#include <memory>

#include "app/orders/upstream_orders.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/output/text_in.h"
#include "json/json.h"

namespace host::cli {
namespace {

constexpr std::chrono::seconds kFaultsWithin{30};

void add_faults(const std::string& host, const std::string& report,
                std::vector<UpstreamFault>& into) {
  const auto all = json::parse(report);
  if (!all || !all->root().IsArray()) return;
  for (const json::Value& one : all->root().GetArray()) {
    std::string why = text_in(one, "last_error");
    if (why.empty()) continue;
    into.push_back({host, text_in(one, "name"), std::move(why)});
  }
}

}  // namespace

std::vector<UpstreamFault> faults_of_upstreams(const config::Config& config) {
  std::vector<UpstreamFault> out;
  if (config.store.file.empty()) return out;
  const auto store = look_into_store(config);
  if (!store || !*store) return out;
  const auto hosts = running_hosts(**store);
  if (!hosts) return out;
  for (const auto& [host, report, was_ignored] :
       give_orders(**store, *hosts, app::kUpstreamReport, {}, kFaultsWithin)) {
    if (report) add_faults(host.address, *report, out);
  }
  return out;
}

}  // namespace host::cli
