#include "config/name/known_names.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/text/nearest.h"
#include "config/shipped_plugins.h"

namespace host::config {
namespace {

using Candidates = std::vector<std::string_view>;

template <class Names>
Candidates candidates_of(const Names& names) {
  return {names.begin(), names.end()};
}

Candidates all_tools(const KnownNames& known) {
  Candidates all;
  for (const auto& [plugin, tools] : known.tools) all.insert(all.end(), tools.begin(), tools.end());
  return all;
}

Candidates groups_of(const Config& config) {
  Candidates all{"basic"};
  for (const Group& group : config.groups) all.push_back(group.name);
  return all;
}

Candidates plugins_of(const KnownNames& known) {
  Candidates all = candidates_of(known.plugins);
  for (const std::string_view shipped : names_of_shipped_plugins()) all.push_back(shipped);
  return all;
}

bool is_of_interceptor(const NameUse& use) {
  return use.where == kPluginOfInterceptor;
}

// An interceptor fails each call that it covers if its library is not there.
Candidates installed_plugins(const KnownNames& known) {
  Candidates all;
  for (const std::string& plugin : known.plugins) {
    if (!known.removed_plugins.contains(plugin)) all.push_back(plugin);
  }
  return all;
}

Candidates tools_of(const KnownNames& known, const std::string& plugin) {
  const auto found = known.tools.find(plugin);
  return found == known.tools.end() ? Candidates() : candidates_of(found->second);
}

Candidates candidates_for(const NameUse& use, const Config& config, const KnownNames& known) {
  switch (use.what) {
    case Named::Plugin:
      return is_of_interceptor(use) ? installed_plugins(known) : plugins_of(known);
    case Named::Tool:
      return all_tools(known);
    case Named::ToolOfPlugin:
      return tools_of(known, use.plugin);
    case Named::ToolsOfUpstream: {
      const auto found = known.upstreams.find(use.upstream);
      return found == known.upstreams.end() ? Candidates() : candidates_of(found->second.own);
    }
    case Named::Skill:
      return candidates_of(known.skills);
    case Named::SkillRepository:
      return candidates_of(known.skill_repositories);
    case Named::Group:
      return groups_of(config);
  }
  return {};
}

std::string name_in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string what_is_missing(const NameUse& use) {
  switch (use.what) {
    case Named::Plugin:
      if (!is_of_interceptor(use)) return "no plugin is named " + name_in_quotes(use.name);
      return "no installed plugin is named " + name_in_quotes(use.name) +
             ". Calls that the entry covers are refused, or run without it with fail = \"open\"";
    case Named::Tool:
      return "no tool is named " + name_in_quotes(use.name);
    case Named::ToolOfPlugin:
      return "plugin " + name_in_quotes(use.plugin) + " has no tool " + name_in_quotes(use.name);
    case Named::ToolsOfUpstream:
      return "upstream " + name_in_quotes(use.upstream) + " has offered no tool " +
             name_in_quotes(use.name);
    case Named::Skill:
      return "no skill is named " + name_in_quotes(use.name);
    case Named::SkillRepository:
      return "no repository of skills is " + name_in_quotes(use.name);
    case Named::Group:
      return "no [[group]] is named " + name_in_quotes(use.name);
  }
  return {};
}

std::string listed_by(Named what) {
  switch (what) {
    case Named::Plugin:
      return "`toolpost plugins` lists the plugins.";
    case Named::Skill:
      return "`toolpost skills` lists the skills.";
    case Named::SkillRepository:
      return "`toolpost skills` lists the repositories: a folder of skills.dirs, or plugin:NAME.";
    case Named::Group:
      return "add a [[group]] of this name.";
    case Named::ToolsOfUpstream:
      return "`toolpost upstream list --json` lists the tools.";
    default:
      return "`toolpost tools` lists the tools.";
  }
}

std::string joined(const Candidates& names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

bool contains(const Candidates& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Diagnostic complaint(const NameUse& use, const std::string& near, const Candidates& may_have_it) {
  Diagnostic out = use.place;
  const bool forbids = use.forbids && may_have_it.empty();
  out.severity = forbids ? Severity::Error : Severity::Warning;
  out.code = "C019";
  out.message = use.where + ": " + what_is_missing(use);
  if (forbids) out.message += ", so it would forbid nothing";
  if (!may_have_it.empty()) {
    out.message += " (plugins that are not loaded may have it: " + joined(may_have_it) + ")";
  }
  out.help = near.empty() ? listed_by(use.what) : "did you mean " + name_in_quotes(near) + "?";
  if (use.what != Named::Group) {
    out.help +=
        " If it is installed later, add " + name_in_quotes(use.name) + " to plugins.expected";
  }
  return out;
}

constexpr std::string_view kOfUpstreams = "mcp__";

// A pattern of tools_denied may be there for tools that the upstream does not have yet.
bool is_pattern(const NameUse& use) {
  return use.name.find('*') != std::string::npos;
}

// The configured upstreams that a tool with this name may belong to.
Candidates upstreams_of(std::string_view tool, const Config& config) {
  Candidates found;
  for (const Upstream& one : config.upstream) {
    if (tool.starts_with(std::string(kOfUpstreams) + one.name + "__")) found.push_back(one.name);
  }
  return found;
}

// "mcp__files__read" for "mcp__fles__read"; empty: no upstream has nearly this name.
std::string nearest_of_upstreams(std::string_view tool, const Config& config) {
  const std::string_view rest = tool.substr(kOfUpstreams.size());
  const std::size_t end = std::min(rest.find("__"), rest.size());
  Candidates names;
  for (const Upstream& one : config.upstream) names.push_back(one.name);
  const std::string near = nearest(rest.substr(0, end), names);
  return near.empty() ? near : std::string(kOfUpstreams) + near + std::string(rest.substr(end));
}

// A rule for a tool of an upstream. nullopt: the tool is known, or nobody can know yet.
std::optional<Diagnostic> complaint_of_upstreams_tool(const NameUse& use, const Config& config,
                                                      const KnownNames& known) {
  const Candidates owners = upstreams_of(use.name, config);
  if (owners.empty()) {
    Diagnostic out = complaint(use, nearest_of_upstreams(use.name, config), {});
    out.message += ", and no [[upstream]] has tools with names that begin so";
    return out;
  }
  std::string near;
  for (const std::string_view owner : owners) {
    const auto found = known.upstreams.find(owner);
    if (found == known.upstreams.end() || found->second.served.contains(use.name))
      return std::nullopt;
    // Without what they all begin with, which would make any two of them alike.
    const std::size_t begin = kOfUpstreams.size() + owner.size() + 2;
    Candidates rests;
    for (const std::string_view tool : found->second.served) rests.push_back(tool.substr(begin));
    const std::string rest = nearest(std::string_view(use.name).substr(begin), rests);
    if (near.empty() && !rest.empty()) near = use.name.substr(0, begin) + rest;
  }
  NameUse as_seen = use;
  as_seen.forbids = use.forbids && !near.empty();
  return complaint(as_seen, near, {});
}

// A pattern of an upstream's own settings.
std::optional<Diagnostic> complaint_of_pattern(const NameUse& use, const KnownNames& known) {
  const auto found = known.upstreams.find(use.upstream);
  if (found == known.upstreams.end() || is_pattern(use) || found->second.own.contains(use.name))
    return std::nullopt;
  const std::string near = nearest(use.name, candidates_of(found->second.own));
  NameUse as_seen = use;
  as_seen.forbids = use.forbids && !near.empty();
  return complaint(as_seen, near, {});
}

}  // namespace

std::vector<std::string_view> KnownNames::unread_plugins() const {
  Candidates unread;
  for (const std::string& plugin : plugins) {
    if (!tools.contains(plugin)) unread.push_back(plugin);
  }
  return unread;
}

std::vector<Diagnostic> unknown_names(const Config& config, const KnownNames& known) {
  const std::vector<std::string>& expected = config.plugins.expected;
  std::vector<Diagnostic> out;
  for (const NameUse& use : config.names.all) {
    const Candidates candidates = candidates_for(use, config, known);
    const bool waited_for = use.what != Named::Group &&
                            std::find(expected.begin(), expected.end(), use.name) != expected.end();
    if (waited_for || contains(candidates, use.name)) continue;
    if (use.what == Named::Tool && is_pattern(use)) continue;
    if (use.what == Named::Skill && !known.has_all_skills) continue;
    if (use.what == Named::Group && use.where.starts_with("groups in [agent.")) continue;  // C017
    const bool of_upstreams = use.what == Named::Tool && use.name.starts_with(kOfUpstreams);
    if (of_upstreams || use.what == Named::ToolsOfUpstream) {
      auto of_upstream = of_upstreams ? complaint_of_upstreams_tool(use, config, known)
                                      : complaint_of_pattern(use, known);
      if (of_upstream) out.push_back(*std::move(of_upstream));
      continue;
    }
    const std::string near = nearest(use.name, candidates);
    Candidates may_have_it;
    if (use.what == Named::ToolOfPlugin && !known.tools.contains(use.plugin)) {
      // Its plugin is not read: the line of the plugin's own name says so, unless a tool is
      // forbidden that way and the plugin has nearly another name.
      if (!use.forbids || contains(plugins_of(known), use.plugin) ||
          std::find(expected.begin(), expected.end(), use.plugin) != expected.end()) {
        continue;
      }
    } else if (use.what == Named::Tool && (near.empty() || !use.forbids)) {
      may_have_it = known.unread_plugins();
    }
    out.push_back(complaint(use, near, may_have_it));
  }
  return out;
}

std::vector<Diagnostic> refused_without(const Config& config, std::string_view upstream) {
  Config rest = config;
  std::erase_if(rest.upstream, [&](const Upstream& one) { return one.name == upstream; });
  rest.names.all.clear();
  for (const NameUse& use : config.names.all) {
    const bool is_lost = use.what == Named::Tool && use.forbids &&
                         !upstreams_of(use.name, config).empty() &&
                         upstreams_of(use.name, rest).empty();
    if (is_lost) rest.names.all.push_back(use);
  }
  return unknown_names(rest, {});
}

}  // namespace host::config
