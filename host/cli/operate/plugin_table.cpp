#include "cli/operate/plugin_table.h"

#include <iostream>
#include <string>
#include <string_view>

#include "cli/access/served_tools.h"
#include "cli/output/line.h"
#include "cli/output/table.h"
#include "plugin/lifecycle/status_json.h"

namespace host::cli {
namespace {

using plugin::PluginStatus;

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

std::string_view held_to(const PluginStatus& status) {
  if (status.reads_only) return "; its tools only read, so it cannot write";
  if (status.split_read_only)
    return "; calls that only read run in workers of their own, which cannot write";
  return "";
}

// `clock: limits (memory 1024 MiB, ...), ..., landlock (ABI 7), seccomp; may: ro:/srv; only reads`
void print_sandbox(const PluginStatus& status) {
  if (!status.serving) return;
  if (status.isolation == config::Isolation::Inline) {
    Line(std::cout) << status.name << ": no sandbox: it is part of the host";
    return;
  }
  std::vector<std::string> layers;
  for (const sandbox::Layer& layer : status.layers) {
    std::string text = (layer.active ? "" : "NO ") + std::string(sandbox::to_string(layer.name));
    if (!layer.detail.empty()) text += " (" + layer.detail + ")";
    layers.push_back(std::move(text));
  }
  Line(std::cout) << status.name << ": sandbox: " << joined(layers);
  Line(std::cout) << status.name
                  << ": grants: " << (status.grants.empty() ? "none" : joined(status.grants))
                  << held_to(status);
  for (const std::string& path : status.absent_grants)
    Line(std::cout) << status.name << ": cannot be granted: " << path;
}

// `worker`, `4 workers`, `inline`
std::string how_it_runs(const PluginStatus& status) {
  if (status.workers > 1) return std::to_string(status.workers) + " workers";
  return std::string(plugin::to_string(status.isolation));
}

}  // namespace

void print_plugins(const std::vector<PluginStatus>& plugins) {
  Table table({"PLUGIN", "STATE", "VERSION", "RUNS", "TOOLS", "FILE"});
  for (const PluginStatus& status : plugins) {
    std::string tools;
    for (const std::string& tool : served_tools(status)) tools += (tools.empty() ? "" : " ") + tool;
    table.add({status.name, std::string(plugin::to_string(status.state)), status.version,
               how_it_runs(status), tools, status.path.string()});
  }
  std::cout << table.text();
  for (const PluginStatus& status : plugins) {
    print_sandbox(status);
    if (!status.side_file.empty()) {
      Line(std::cout) << status.name << ": side file " << status.side_file.string() << ": "
                      << (status.side_keys.empty() ? "no keys" : joined(status.side_keys));
    }
    if (!status.last_error.empty()) Line(std::cout) << status.name << ": " << status.last_error;
    if (status.crashes > 0) {
      Line(std::cout) << status.name << ": crashed " << status.crashes
                      << " times, the last time it " << status.last_crash;
    }
    for (const tool::Refusal& refusal : status.refusals) {
      Line(std::cout) << status.name << ": " << refusal.tool
                      << " is not served: " << refusal.reason;
    }
    for (const std::string& note : status.notes)
      Line(std::cout) << status.name << ": note: it " << note;
  }
}

}  // namespace host::cli
