#include "plugin/lifecycle/status_json.h"

#include "json/object_text.h"

namespace host::plugin {
namespace {

using json::add_text;
using json::list_of;

std::string refusals_of(const PluginStatus& status) {
  std::string out = "[";
  for (const tool::Refusal& refusal : status.refusals) {
    if (out.size() > 1) out += ',';
    out += '{';
    add_text(out, "tool", refusal.tool);
    add_text(out, "reason", refusal.reason);
    out += '}';
  }
  return out + "]";
}

std::string history_of(const PluginStatus& status) {
  std::string out = "[";
  for (const Reload& reload : status.history) {
    if (out.size() > 1) out += ',';
    out += '{';
    add_text(out, "at", to_rfc3339(reload.at));
    add_text(out, "hash", reload.hash);
    add_text(out, "reason", reload.reason);
    out += ",\"generation\":" + std::to_string(reload.generation);
    out += std::string(",\"accepted\":") + (reload.accepted ? "true" : "false");
    out += ",\"took_ms\":" + std::to_string(reload.took.count()) + "}";
  }
  return out + "]";
}

std::string layers_of(const PluginStatus& status) {
  std::string out = "[";
  for (const sandbox::Layer& layer : status.layers) {
    if (out.size() > 1) out += ',';
    out += '{';
    add_text(out, "layer", sandbox::to_string(layer.name));
    add_text(out, "detail", layer.detail);
    out += std::string(",\"active\":") + (layer.active ? "true" : "false") + "}";
  }
  return out + "]";
}

// null: it is part of the host, and nothing holds it.
std::string sandbox_of(const PluginStatus& status) {
  if (status.layers.empty()) return "null";
  return std::string("{\"reads_only\":") + (status.reads_only ? "true" : "false") +
         ",\"split_read_only\":" + (status.split_read_only ? "true" : "false") +
         ",\"grants\":" + list_of(status.grants) + ",\"absent\":" + list_of(status.absent_grants) +
         ",\"layers\":" + layers_of(status) + "}";
}

}  // namespace

std::string_view to_string(config::Isolation isolation) {
  return isolation == config::Isolation::Worker ? "worker" : "inline";
}

std::string as_json(const PluginStatus& status) {
  std::string out = "{";
  add_text(out, "name", status.name);
  add_text(out, "path", status.path.string());
  add_text(out, "state", to_string(status.state));
  add_text(out, "id", status.id);
  add_text(out, "version", status.version);
  add_text(out, "hash", status.hash);
  add_text(out, "isolation", to_string(status.isolation));
  add_text(out, "error", status.last_error);
  out += std::string(",\"serving\":") + (status.answers() ? "true" : "false");
  add_text(out, "last_crash", status.last_crash);
  out += ",\"crashes\":" + std::to_string(status.crashes) +
         ",\"restarts\":" + std::to_string(status.restarts) +
         ",\"workers\":" + std::to_string(status.workers) +
         ",\"workers_up\":" + std::to_string(status.pids.size()) +
         ",\"refused_inputs\":" + std::to_string(status.refused_inputs);
  out += ",\"generation\":" + std::to_string(status.generation);
  out += ",\"tools\":" + list_of(status.tools) + ",\"sandbox\":" + sandbox_of(status);
  out += ",\"notes\":" + list_of(status.notes);
  return out + ",\"refusals\":" + refusals_of(status) + ",\"history\":" + history_of(status) + "}";
}

}  // namespace host::plugin
