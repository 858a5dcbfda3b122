#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <iostream>

#include "app/core/skill_group_check.h"
#include "cli/access/one_shot.h"
#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/table.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

// The groups that name the skill, none of which is active.
std::vector<std::string> hiding_groups(const config::Config& config, const std::string& skill) {
  std::vector<std::string> names;
  for (const config::Group& group : config.groups) {
    if (std::find(group.skills.begin(), group.skills.end(), skill) != group.skills.end())
      names.push_back(group.name);
  }
  return names;
}

// The faults of the skills, and the groups that skills name and the configuration does not define.
std::vector<config::Diagnostic> faults_of(const skill::State& state, const config::Config& config) {
  std::vector<config::Diagnostic> faults = state.diagnostics;
  for (const auto& skill : state.skills) {
    for (config::Diagnostic& one : app::unknown_groups_of(*skill, config))
      faults.push_back(std::move(one));
  }
  return faults;
}

void print_json(const skill::State& state, const config::Config& config) {
  std::string out;
  for (const auto& skill : state.skills) {
    out += out.empty() ? "{\"skills\":[\n" : ",\n";
    out += "{\"name\":";
    json::write_string(skill->name, out);
    out += ",\"description\":";
    json::write_string(skill->description, out);
    out += ",\"source\":";
    json::write_string(skill->source, out);
    out += ",\"digest\":\"sha256:" + skill->digest + "\"}";
  }
  if (out.empty()) out = "{\"skills\":[";
  out += "],\"hidden\":[";
  for (const auto& skill : state.hidden) {
    if (out.back() != '[') out += ',';
    out += "{\"name\":";
    json::write_string(skill->name, out);
    out += ",\"source\":";
    json::write_string(skill->source, out);
    out += ",\"groups\":" + json::list_of(hiding_groups(config, skill->name)) + '}';
  }
  out += "],\"shadowed\":[";
  for (const skill::Shadowed& shadowed : state.shadowed) {
    if (out.back() != '[') out += ',';
    out += "{\"name\":";
    json::write_string(shadowed.skill->name, out);
    out += ",\"source\":";
    json::write_string(shadowed.skill->source, out);
    out += ",\"by\":";
    json::write_string(shadowed.by->source, out);
    out += '}';
  }
  out += "],\"repositories\":[";
  for (const skill::Source& source : state.sources) {
    if (out.back() != '[') out += ',';
    out += "{\"source\":";
    json::write_string(source.name, out);
    out += ",\"plugins\":" + json::list_of(source.plugins);
    out += ",\"skills\":" + std::to_string(source.skills) + '}';
  }
  out += "],\"diagnostics\":[";
  for (const config::Diagnostic& diagnostic : faults_of(state, config)) {
    if (out.back() != '[') out += ',';
    json::write_string(diagnostic.headline(), out);
  }
  std::cout << out << "]}\n";
}

std::string owner_of(const skill::Source& source) {
  std::string names;
  for (const std::string& plugin : source.plugins) names += (names.empty() ? "" : ", ") + plugin;
  return names.empty() ? "operator" : names;
}

void print_repositories(const skill::State& state) {
  Table table({"REPOSITORY, LOWEST PRIORITY FIRST", "OF", "SKILLS"});
  for (const skill::Source& source : state.sources)
    table.add({source.name, owner_of(source), std::to_string(source.skills)});
  std::cout << '\n' << table.text();
}

void print_hidden(const skill::State& state, const config::Config& config) {
  for (const auto& skill : state.hidden) {
    const std::vector<std::string> groups = hiding_groups(config, skill->name);
    std::string names;
    for (const std::string& group : groups) names += (names.empty() ? "" : ", ") + group;
    Line(std::cout) << skill->name << " of " << skill->source << " is hidden: the "
                    << (groups.size() == 1 ? "group " : "groups ") << names
                    << (groups.size() == 1 ? " is" : " are") << " not active";
  }
}

void print_table(const skill::State& state, const config::Config& config) {
  Table table({"SKILL", "FROM", "DESCRIPTION"});
  for (const auto& skill : state.skills)
    table.add({skill->name, skill->source, one_line(skill->description, 80)});
  std::cout << table.text();
  print_hidden(state, config);
  for (const skill::Shadowed& shadowed : state.shadowed) {
    Line(std::cout) << shadowed.skill->name << " of " << shadowed.skill->source
                    << " is shadowed by " << shadowed.by->source;
  }
  for (const config::Diagnostic& diagnostic : faults_of(state, config))
    std::cout << diagnostic.describe() << '\n';
  print_repositories(state);
}

int list_skills(app::Core& core, const CommandLine& line) {
  tool::Peer who;
  who.agent = line.agent;
  const auto skills = core.skills_of(who);
  const skill::State& state = skills->state();
  if (line.prompt) {
    std::cout << skills->text() << '\n';
  } else {
    line.json ? print_json(state, core.config()) : print_table(state, core.config());
  }
  const bool faulty = std::any_of(
      state.diagnostics.begin(), state.diagnostics.end(),
      [](const auto& diagnostic) { return diagnostic.severity == config::Severity::Error; });
  return faulty ? kExitConfig : kExitOk;
}

}  // namespace

int skills(const CommandLine& line, config::Config config) {
  return one_shot(std::move(config), [&](app::Core& core) -> boost::asio::awaitable<int> {
    co_return list_skills(core, line);
  });
}

}  // namespace host::cli
