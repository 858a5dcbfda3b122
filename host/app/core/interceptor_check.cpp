#include "app/core/interceptor_check.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "app/core/core.h"
#include "tool/definition/call_tool.h"
#include "tool/definition/name_pattern.h"

namespace host::app {
namespace {

using Diagnostics = std::vector<config::Diagnostic>;
using ToolNames = std::vector<std::string_view>;

constexpr std::string_view kTools = "tools in [[interceptor]]";
constexpr const char* kWhatHappens =
    ". Calls that the entry covers are refused, or run without it with fail = \"open\"";

void warn_of(const config::NameUse& use, const char* code, const std::string& message,
             const std::string& help, Diagnostics& out) {
  config::Diagnostic one = use.place;
  one.severity = config::Severity::Warning;
  one.code = code;
  one.message = use.where + ": " + message;
  one.help = help;
  out.push_back(std::move(one));
}

// The names at one place, in the order of the file.
std::vector<const config::NameUse*> names_at(const config::Config& config, std::string_view where) {
  std::vector<const config::NameUse*> uses;
  for (const config::NameUse& use : config.names.all) {
    if (use.where == where) uses.push_back(&use);
  }
  return uses;
}

void add_disabled(Core& core, const config::Config& config, Diagnostics& out) {
  for (const plugin::PluginStatus& status : core.plugins().status()) {
    if (status.serving || status.state != plugin::State::Disabled) continue;
    for (const config::NameUse* const use : names_at(config, config::kPluginOfInterceptor)) {
      if (use->name != status.name) continue;
      warn_of(
          *use, "C021",
          "the plugin \"" + use->name + "\" is disabled, so it intercepts nothing" + kWhatHappens,
          "set enabled = true in [plugin." + use->name + "]", out);
    }
  }
}

// Each function of such an interceptor counts as failed.
void add_misnamed(Core& core, const config::Config& config, Diagnostics& out) {
  for (const config::NameUse* const use : names_at(config, config::kPluginOfInterceptor)) {
    const auto provider = core.catalog().plugin(use->name);
    if (!provider || provider->offer().intercepts.any()) continue;
    warn_of(*use, "C021", "the plugin \"" + use->name + "\" is no interceptor" + kWhatHappens,
            "name a plugin that offers tp.interceptor/1, or remove the entry", out);
  }
}

// A call of call_tool is a call of the tool that it names, before interceptors see it.
void add_call_tool(const config::Config& config, Diagnostics& out) {
  for (const config::NameUse* const use : names_at(config, kTools)) {
    if (use->name != tool::kCallTool) continue;
    warn_of(*use, "C021",
            "no interceptor sees call_tool. It sees the tool that call_tool calls, if `tools` has "
            "this tool",
            "name the tools that call_tool calls. \"*\" stands for all tools", out);
  }
}

ToolNames names_of_tools(const config::KnownNames& known) {
  ToolNames all;
  for (const auto& [plugin, tools] : known.tools) all.insert(all.end(), tools.begin(), tools.end());
  for (const auto& [upstream, tools] : known.upstreams)
    all.insert(all.end(), tools.served.begin(), tools.served.end());
  return all;
}

bool knows_all_upstreams(const config::Config& config, const config::KnownNames& known) {
  return std::all_of(config.upstream.begin(), config.upstream.end(),
                     [&](const auto& upstream) { return known.upstreams.contains(upstream.name); });
}

std::string joined(const ToolNames& names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

// An upstream whose tools are not known yet may have a tool that matches.
void add_unmatched(const config::Config& config, const config::KnownNames& known,
                   Diagnostics& out) {
  if (!knows_all_upstreams(config, known)) return;
  const ToolNames tools = names_of_tools(known);
  const ToolNames unread = known.unread_plugins();
  const std::vector<std::string>& expected = config.plugins.expected;
  for (const config::NameUse* const use : names_at(config, kTools)) {
    const std::string& pattern = use->name;
    if (pattern.find('*') == std::string::npos) continue;  // config::unknown_names()
    const auto fits = [&](const std::string_view tool) {
      return tool::fits_pattern(pattern, tool);
    };
    if (std::any_of(tools.begin(), tools.end(), fits) ||
        std::any_of(expected.begin(), expected.end(), fits))
      continue;
    warn_of(*use, "C019",
            "no tool matches \"" + pattern + "\"" +
                (unread.empty()
                     ? std::string()
                     : " (plugins that are not loaded may have one: " + joined(unread) + ")"),
            "`toolpost tools` lists the tools. Upper and lower case differ", out);
  }
}

bool covers(const config::Interceptor& entry, std::string_view tool) {
  return std::any_of(entry.tools.begin(), entry.tools.end(),
                     [&](const std::string& pattern) { return tool::fits_pattern(pattern, tool); });
}

bool share_an_agent(const config::Interceptor& a, const config::Interceptor& b) {
  if (!a.agents || !b.agents) return true;
  return std::any_of(a.agents->begin(), a.agents->end(), [&](const std::string& agent) {
    return std::find(b.agents->begin(), b.agents->end(), agent) != b.agents->end();
  });
}

// The first tool whose calls both entries intercept. Empty: none. Interceptors do not see call_tool
// and the tools of their own plugin.
std::string_view tool_of_both(const config::Interceptor& a, const config::Interceptor& b,
                              const config::KnownNames& known) {
  if (a.plugin != b.plugin || !share_an_agent(a, b)) return {};
  const auto own = known.tools.find(a.plugin);
  for (const std::string_view tool : names_of_tools(known)) {
    if (tool == tool::kCallTool || (own != known.tools.end() && own->second.contains(tool)))
      continue;
    if (covers(a, tool) && covers(b, tool)) return tool;
  }
  return {};
}

void add_doubled(const config::Config& config, const config::KnownNames& known, Diagnostics& out) {
  const auto uses = names_at(config, config::kPluginOfInterceptor);
  const auto& entries = config.interceptors;
  if (uses.size() != entries.size()) return;  // an entry without a plugin, which was reported
  for (std::size_t i = 1; i < entries.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      const std::string_view tool = tool_of_both(entries[before], entries[i], known);
      if (tool.empty()) continue;
      warn_of(*uses[i], "C021",
              "an earlier entry with \"" + entries[i].plugin +
                  "\" intercepts the same calls, for example those of \"" + std::string(tool) +
                  "\": the plugin runs twice for each of them",
              "remove one of the entries, or give them different tools or agents", out);
      break;
    }
  }
}

}  // namespace

Diagnostics useless_interceptors(Core& core, const config::Config& config,
                                 const config::KnownNames& known) {
  Diagnostics out;
  add_disabled(core, config, out);
  add_misnamed(core, config, out);
  add_call_tool(config, out);
  add_unmatched(config, known, out);
  add_doubled(config, known, out);
  return out;
}

}  // namespace host::app
