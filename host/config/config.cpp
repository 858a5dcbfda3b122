#include "config/config.h"

namespace host::config {

const Plugin& plugin(const Config& config, const std::string& name) {
  static const Plugin kDefaults;
  const auto found = config.plugins.by_name.find(name);
  return found == config.plugins.by_name.end() ? kDefaults : found->second;
}

const Agent* agent(const Config& config, std::string_view name) {
  const auto found = config.agents.find(name);
  return found == config.agents.end() ? nullptr : &found->second;
}

Trust trust_of(const Plugin& plugin, const std::string& tool) {
  const auto own = plugin.tools.find(tool);
  if (own != plugin.tools.end() && own->second.trust) return *own->second.trust;
  if (plugin.trust) return *plugin.trust;
  return plugin.trust_read_only == false ? Trust::None : Trust::Full;
}

bool trust_contradicts(const Plugin& plugin) {
  if (!plugin.trust || !plugin.trust_read_only) return false;
  return *plugin.trust_read_only == (*plugin.trust == Trust::None);
}

const char* key_of_workers(const Plugin& plugin) {
  if (plugin.isolation != Isolation::Inline) return nullptr;
  if (plugin.workers > 1) return "workers";
  return plugin.split_read_only == true ? "split_read_only" : nullptr;
}

}  // namespace host::config
