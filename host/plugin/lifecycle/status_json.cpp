#include "plugin/lifecycle/status_json.h"

#include <algorithm>
#include <iterator>

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

std::string text_in(const json::Value& object, std::string_view key) {
  return std::string(json::find_text(object, key));
}

std::uint32_t number_in(const json::Value& object, std::string_view key) {
  const json::Value* const member = json::find(object, key);
  return member && member->IsUint() ? member->GetUint() : 0;
}

bool flag_in(const json::Value& object, std::string_view key) {
  const json::Value* const member = json::find(object, key);
  return member && member->IsTrue();
}

template <class Act>
void each_in(const json::Value& object, std::string_view key, Act act) {
  const json::Value* const list = json::find(object, key);
  if (!list || !list->IsArray()) return;
  for (const json::Value& item : list->GetArray()) act(item);
}

std::vector<std::string> texts_in(const json::Value& object, std::string_view key) {
  std::vector<std::string> out;
  each_in(object, key, [&](const json::Value& item) { out.emplace_back(json::text(item)); });
  return out;
}

State state_named(std::string_view name) {
  constexpr State kStates[] = {State::Absent, State::Staging,  State::Probing,  State::Starting,
                               State::Active, State::Rejected, State::Disabled, State::Quarantined};
  const auto* const at = std::find_if(std::begin(kStates), std::end(kStates),
                                      [&](State state) { return to_string(state) == name; });
  return at == std::end(kStates) ? State::Absent : *at;
}

void read_sandbox(const json::Value& sandbox, PluginStatus& status) {
  status.reads_only = flag_in(sandbox, "reads_only");
  status.split_read_only = flag_in(sandbox, "split_read_only");
  status.grants = texts_in(sandbox, "grants");
  status.absent_grants = texts_in(sandbox, "absent");
  each_in(sandbox, "layers", [&](const json::Value& item) {
    const auto name = sandbox::layer_named(json::find_text(item, "layer"));
    if (name) status.layers.push_back({*name, flag_in(item, "active"), text_in(item, "detail")});
  });
}

}  // namespace

PluginStatus status_of(const json::Value& object) {
  PluginStatus status;
  if (!object.IsObject()) return status;
  status.name = text_in(object, "name");
  status.path = text_in(object, "path");
  status.state = state_named(text_in(object, "state"));
  status.id = text_in(object, "id");
  status.version = text_in(object, "version");
  status.hash = text_in(object, "hash");
  const bool is_inline = text_in(object, "isolation") == to_string(config::Isolation::Inline);
  status.isolation = is_inline ? config::Isolation::Inline : config::Isolation::Worker;
  status.last_error = text_in(object, "error");
  status.serving = flag_in(object, "serving");
  status.last_crash = text_in(object, "last_crash");
  status.crashes = number_in(object, "crashes");
  status.restarts = number_in(object, "restarts");
  status.workers = number_in(object, "workers");
  status.refused_inputs = number_in(object, "refused_inputs");
  status.generation = number_in(object, "generation");
  status.tools = texts_in(object, "tools");
  status.notes = texts_in(object, "notes");
  if (const json::Value* const side = json::find(object, "side_file"); side && side->IsObject()) {
    status.side_file = text_in(*side, "path");
    status.side_keys = texts_in(*side, "keys");
  }
  if (const json::Value* const sandbox = json::find(object, "sandbox");
      sandbox && sandbox->IsObject())
    read_sandbox(*sandbox, status);
  each_in(object, "refusals", [&](const json::Value& item) {
    status.refusals.push_back({text_in(item, "tool"), text_in(item, "reason")});
  });
  return status;
}

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
  if (!status.side_file.empty()) {
    out += ",\"side_file\":{";
    add_text(out, "path", status.side_file.string());
    out += ",\"keys\":" + list_of(status.side_keys) + "}";
  }
  return out + ",\"refusals\":" + refusals_of(status) + ",\"history\":" + history_of(status) + "}";
}

}  // namespace host::plugin
