#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>
#include <string>

#include "cli/access/one_shot.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/access/served_tools.h"
#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/table.h"
#include "identity/scopes.h"
#include "json/json.h"
#include "plugin/lifecycle/status_json.h"

namespace host::cli {
namespace {

constexpr std::chrono::seconds kServedWithin{30};

// Without a class, what a peer sees; with one, every tool of it.
std::vector<const tool::Entry*> chosen(app::Core& core, const CommandLine& line) {
  if (!line.tool_class)
    return core.router().visible({std::string(identity::kLocal), line.agent}).tools;
  std::vector<const tool::Entry*> tools;
  for (const tool::Entry& entry : core.profiles().find(line.agent)->snapshot()->entries()) {
    if (tool::to_string(entry.tool->tool_class()) == *line.tool_class) tools.push_back(&entry);
  }
  return tools;
}

tool::Standing standing_of(const tool::Entry& entry) {
  return tool::standing_of(entry.tool->declared(), entry.provider->identity().kind);
}

// `by_check` as a person reads it.
std::string in_words(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void print_json(const std::vector<const tool::Entry*>& tools) {
  std::string out;
  for (const tool::Entry* entry : tools) {
    out += out.empty() ? "[\n" : ",\n";
    out += "{\"provider\":";
    json::write_string(entry->provider->name(), out);
    out += ",\"build\":";
    json::write_string(entry->provider->identity().build, out);
    out += ",\"file\":";
    json::write_string(entry->provider->identity().file, out);
    out += ",\"standing\":" + tool::as_json(standing_of(*entry));
    out += "," + entry->tool->listing() + "}";
  }
  std::cout << (out.empty() ? "[" : out + "\n") << "]\n";
}

void print_table(const std::vector<const tool::Entry*>& tools) {
  Table table({"TOOL", "CLASS", "FROM", "READS ONLY", "ALLOWS ITSELF", "DESCRIPTION"});
  for (const tool::Entry* entry : tools) {
    const tool::Standing standing = standing_of(*entry);
    table.add({entry->tool->name(), std::string(tool::to_string(entry->tool->tool_class())),
               entry->provider->name(), in_words(to_string(standing.reads)),
               in_words(to_string(standing.own_yes)),
               one_line(entry->tool->declared().description, 60)});
  }
  std::cout << table.text();
}

// Nothing is started for a list.
void note_unknown_upstreams(app::Core& core) {
  std::string names;
  for (const auto& [name, tools] : core.upstreams().known_tools()) {
    if (!tools) names += (names.empty() ? "" : ", ") + name;
  }
  if (names.empty()) return;
  Line(std::cerr)
      << "toolpost: upstreams that this host has never connected to, so their tools are "
         "not listed: "
      << names << ". `toolpost upstream test NAME` starts one and shows its tools";
}

// A host that ends now, or is older, has no answer: nullopt.
std::optional<std::set<std::string>> served_in(const Result<std::string>& report) {
  std::set<std::string> names;
  const auto tree = report ? json::parse(*report) : Result<json::Document>(report.error());
  if (!tree || !tree->root().IsArray()) return std::nullopt;
  for (const json::Value& one : tree->root().GetArray()) {
    const plugin::PluginStatus status = plugin::status_of(one);
    const auto served = served_tools(status);
    names.insert(served.begin(), served.end());
  }
  return names;
}

// A running host looks at its folders itself, so it can have other tools than those that this
// command has just loaded.
void note_unserved(const config::Config& config, const std::set<std::string>& loaded) {
  const auto store = look_into_store(config);
  if (loaded.empty() || !store || !*store) return;
  const auto hosts = running_hosts(**store);
  if (!hosts) return;
  for (const auto& [host, report, was_ignored] :
       give_orders(**store, *hosts, "report", {}, kServedWithin)) {
    const auto served = served_in(report);
    if (!served) continue;
    std::string names;
    for (const std::string& tool : loaded) {
      if (!served->contains(tool)) names += (names.empty() ? "" : ", ") + tool;
    }
    if (names.empty()) continue;
    Line(std::cerr) << "toolpost: this is how the files load now. The host at " << host.address
                    << " does not serve these tools of plugins: " << names
                    << ". `toolpost plugins` shows what it serves";
  }
}

boost::asio::awaitable<int> list_tools(app::Core& core, const CommandLine& line,
                                       std::set<std::string>& of_plugins) {
  const auto tools = chosen(core, line);
  for (const tool::Entry* entry : tools) {
    if (entry->provider->identity().kind == tool::ProviderIdentity::Kind::Plugin)
      of_plugins.insert(entry->tool->name());
  }
  line.json ? print_json(tools) : print_table(tools);
  note_unknown_upstreams(core);
  co_return kExitOk;
}

}  // namespace

int tools(const CommandLine& line, config::Config config) {
  const config::Config as_read = config;
  std::set<std::string> of_plugins;
  const int code = one_shot(std::move(config),
                            [&](app::Core& core) { return list_tools(core, line, of_plugins); });
  if (line.plugin_dirs.empty()) note_unserved(as_read, of_plugins);
  return code;
}

}  // namespace host::cli
