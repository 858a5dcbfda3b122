#include "config/reader/reader.h"

#include <algorithm>

#include "base/text/nearest.h"
#include "config/key/form.h"
#include "config/name/used_names.h"

namespace host::config {
namespace {

std::vector<std::string_view> names_of(const std::vector<Key>& keys, std::string_view also) {
  std::vector<std::string_view> names;
  for (const Key& key : keys) names.push_back(key.name);
  if (!also.empty()) names.push_back(also);
  return names;
}

// A flag of a tool, and the only value that it can be set to: the stricter one.
struct StrictFlag {
  const char* key;
  std::optional<bool> ToolOverride::*value;
  bool strict;
  const char* help;
};
constexpr StrictFlag kStrictFlags[] = {
    {"read_only", &ToolOverride::read_only, false,
     "remove the key: the plugin says itself what only reads"},
    {"concurrency_safe", &ToolOverride::concurrency_safe, false,
     "remove the key: the plugin says itself what may overlap"},
    {"idempotent", &ToolOverride::idempotent, false,
     "remove the key: the plugin says itself what may run twice"},
    {"destructive", &ToolOverride::destructive, true,
     "remove the key: the plugin says itself what destroys nothing"},
    {"open_world", &ToolOverride::open_world, true,
     "remove the key: the plugin says itself what stays on this machine"},
};

}  // namespace

bool Reader::expect(const Node& value, Node::Kind kind, const std::string& where,
                    std::string_view example) {
  if (value.kind == kind) return true;
  report_.error(value.at, "C011",
                where + ": expected " + std::string(describe(kind)) + ", found " +
                    std::string(describe(value.kind)),
                "write " + std::string(example));
  return false;
}

void Reader::read_section(const Node& table, const std::vector<Key>& keys, const std::string& where,
                          std::string_view also_known) {
  for (const Member& member : table.table) {
    if (member.key == also_known) continue;
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == member.key; });
    if (key != keys.end()) {
      read_key(member.value, *key, where);
    } else {
      report_.error(member.at, "C014", "unknown key " + in_quotes(member.key) + " in " + where,
                    suggest(member.key, names_of(keys, also_known)));
    }
  }
  for (const Key& key : keys) {
    if (!key.required || table.find(key.name) != nullptr) continue;
    report_.error(table.at, "C016", std::string(key.name) + " is missing in " + where,
                  "add " + std::string(key.name) + " = ..., " + expectation(key));
  }
}

void Reader::read(const Node& root, Config& into) {
  const std::vector<Section> known = sections(into);
  for (const Member& member : root.table) {
    const std::string where = "[" + member.key + "]";
    const auto section = std::find_if(known.begin(), known.end(),
                                      [&](const Section& s) { return s.name == member.key; });
    if (section != known.end()) {
      if (expect(member.value, Node::Kind::Table, member.key, where)) {
        read_section(member.value, section->keys, where);
      }
    } else if (member.key == "plugin") {
      if (expect(member.value, Node::Kind::Table, "plugin", "[plugin.NAME]"))
        read_plugins(member.value, into);
    } else if (member.key == "rule") {
      if (expect(member.value, Node::Kind::Array, "rule", "[[rule]]"))
        read_rules(member.value, "[[rule]]", into.permission.rules);
    } else if (member.key == "agent") {
      if (expect(member.value, Node::Kind::Table, "agent", "[agent.NAME]"))
        read_agents(member.value, into);
    } else if (member.key == "group") {
      if (expect(member.value, Node::Kind::Array, "group", "[[group]]"))
        read_groups(member.value, into);
    } else if (member.key == "interceptor") {
      if (expect(member.value, Node::Kind::Array, "interceptor", "[[interceptor]]"))
        read_interceptors(member.value, into);
    } else if (member.key == "upstream") {
      if (expect(member.value, Node::Kind::Array, "upstream", "[[upstream]]"))
        read_upstreams(member.value, into);
    } else if (member.key == "webhook") {
      if (expect(member.value, Node::Kind::Array, "webhook", "[[webhook]]"))
        read_webhooks(member.value, into);
    } else if (member.key == "skill_repository") {
      if (expect(member.value, Node::Kind::Array, "skill_repository", "[[skill_repository]]"))
        read_skill_repositories(member.value, into);
    } else {
      std::vector<std::string_view> names{"plugin",      "rule",     "group",   "agent",
                                          "interceptor", "upstream", "webhook", "skill_repository"};
      for (const Section& candidate : known) names.push_back(candidate.name);
      const bool table = member.value.kind == Node::Kind::Table;
      report_.error(member.at, "C014",
                    table ? "unknown section " + where : "unknown key " + in_quotes(member.key),
                    suggest(member.key, names));
    }
  }
  into.names.all = names_in(root, report_);
  const Node* const agents = root.find("agent");
  if (agents && agents->kind == Node::Kind::Table) check_agents(*agents, into);
  const Node* const groups = root.find("group");
  if (groups && groups->kind == Node::Kind::Array) check_group_upstreams(*groups, into);
  const Node* const interceptors = root.find("interceptor");
  if (interceptors && interceptors->kind == Node::Kind::Array)
    check_named_agents(*interceptors, "[[interceptor]]", "it would intercept no call", into);
  const Node* const upstreams = root.find("upstream");
  if (upstreams && upstreams->kind == Node::Kind::Array)
    check_named_agents(*upstreams, "[[upstream]]", "nobody could see the upstream", into);
  check_writable_folders(root, into);
}

void Reader::read_plugins(const Node& table, Config& into) {
  for (const Member& member : table.table) {
    const std::string where = "[plugin." + member.key + "]";
    if (const char* form = plugin_name_form(member.key)) {
      report_.error(member.at, "C017", where + ": expected " + form);
    }
    // Also where the name is bad: all faults are reported at once.
    if (expect(member.value, Node::Kind::Table, "plugin." + member.key, where)) {
      read_plugin(member, into.plugins.by_name[member.key]);
    }
  }
}

void Reader::read_plugin(const Member& member, Plugin& into) {
  read_plugin(member.value, "[plugin." + member.key + "]", "plugin." + member.key + ".", into);
}

void Reader::read_side_file(const Node& root, Plugin& into) {
  read_plugin(root, std::filesystem::path(report_.file()).filename().string(), "", into);
}

void Reader::read_plugin(const Node& table, const std::string& where, const std::string& prefix,
                         Plugin& into) {
  read_section(table, plugin_keys(into), where, "tool");
  const char* const key = key_of_workers(into);
  const Node* const of_workers = key ? table.find(key) : nullptr;
  if (of_workers) {
    report_.error(of_workers->at, "C018",
                  std::string(key) + " in " + where +
                      ": an inline plugin has no workers, it is part of the host",
                  "remove the key, or set isolation = \"worker\"");
  }
  const Node* const trust = table.find("trust");
  if (trust && trust_contradicts(into)) {
    report_.error(trust->at, "C018", "trust in " + where + ": " + kTrustContradiction,
                  "remove trust_read_only: it is the old name of trust");
  }
  const Node* tools = table.find("tool");
  if (tools != nullptr && expect(*tools, Node::Kind::Table, where, "[" + prefix + "tool.TOOL]")) {
    read_tools(*tools, prefix + "tool.", into);
  }
}

void Reader::read_tools(const Node& table, const std::string& where, Plugin& into) {
  for (const Member& member : table.table) {
    const std::string here = "[" + where + member.key + "]";
    if (const char* form = tool_name_form(member.key)) {
      report_.error(member.at, "C017", here + ": expected " + form);
    }
    if (expect(member.value, Node::Kind::Table, here, here)) {
      ToolOverride& tool = into.tools[member.key];
      read_section(member.value, tool_keys(tool), here);
      // Flags of the tool's maker may be made stricter, never looser.
      for (const StrictFlag& flag : kStrictFlags) {
        const std::optional<bool>& given = tool.*flag.value;
        if (!given || *given == flag.strict) continue;
        report_.error(member.value.find(flag.key)->at, "C013",
                      std::string(flag.key) + " in " + here + ": only " +
                          (flag.strict ? "true" : "false") +
                          ": a tool can be called stricter, not looser",
                      flag.help);
      }
    }
  }
}

void Reader::read_agents(const Node& table, Config& into) {
  for (const Member& member : table.table) {
    const std::string where = "[agent." + member.key + "]";
    if (const char* form = agent_name_form(member.key)) {
      report_.error(member.at, "C017", where + ": expected " + form);
    }
    if (!expect(member.value, Node::Kind::Table, "agent." + member.key, where)) continue;
    Agent& agent = into.agents[member.key];
    read_section(member.value, agent_keys(agent), where, "rule");
    const Node* const presets = member.value.find("presets");
    if (presets && presets->kind == Node::Kind::Table) check_presets(*presets, where);
    const std::string rules = "[[agent." + member.key + ".rule]]";
    const Node* const list = member.value.find("rule");
    if (list && expect(*list, Node::Kind::Array, rules, rules)) {
      read_rules(*list, rules, agent.rules);
    }
  }
}

// What an agent names has to be there: a group that nobody describes would hide nothing.
void Reader::check_agents(const Node& table, const Config& config) {
  std::vector<std::string_view> known;
  for (const Group& group : config.groups) known.push_back(group.name);
  for (const Member& member : table.table) {
    const Node* const groups =
        member.value.kind == Node::Kind::Table ? member.value.find("groups") : nullptr;
    if (!groups || groups->kind != Node::Kind::Array) continue;
    for (const Node& named : groups->array) {
      if (named.kind != Node::Kind::Text) continue;
      if (std::find(known.begin(), known.end(), named.text) != known.end()) continue;
      report_.error(
          named.at, "C017",
          "groups in [agent." + member.key + "]: no [[group]] is named " + in_quotes(named.text),
          suggest(named.text, known));
    }
  }
}

void Reader::read_rules(const Node& list, const std::string& where, std::vector<Rule>& into) {
  const std::string name = std::filesystem::path(report_.file()).filename().string();
  for (const Node& entry : list.array) {
    if (!expect(entry, Node::Kind::Table, "rule", where)) continue;
    Rule rule;
    read_section(entry, rule_keys(rule), where);
    rule.source = name + ":" + std::to_string(entry.at.line);
    into.push_back(std::move(rule));
  }
}

void Reader::read_groups(const Node& list, Config& into) {
  for (const Node& entry : list.array) {
    if (!expect(entry, Node::Kind::Table, "group", "[[group]]")) continue;
    Group group;
    read_section(entry, group_keys(group), "[[group]]");
    const Node* name = entry.find("name");
    const Position at = name != nullptr ? name->at : entry.at;
    if (group.name == "basic") {
      report_.error(at, "C017", "the group \"basic\" is there always and cannot be written");
    }
    for (const Group& other : into.groups) {
      if (group.name.empty() || other.name != group.name) continue;
      report_.error(at, "C015", "a second group " + in_quotes(group.name),
                    "give each group a name of its own");
    }
    into.groups.push_back(std::move(group));
  }
}

// A group with an upstream that does not exist would have none of the tools that it is meant for.
void Reader::check_group_upstreams(const Node& list, const Config& config) {
  std::vector<std::string_view> known;
  for (const Upstream& one : config.upstream) known.push_back(one.name);
  for (const Node& entry : list.array) {
    const Node* const upstreams =
        entry.kind == Node::Kind::Table ? entry.find("upstreams") : nullptr;
    if (!upstreams || upstreams->kind != Node::Kind::Array) continue;
    for (const Node& named : upstreams->array) {
      if (named.kind != Node::Kind::Text) continue;
      if (std::find(known.begin(), known.end(), named.text) != known.end()) continue;
      report_.error(named.at, "C017",
                    "upstreams in [[group]]: no [[upstream]] is named " + in_quotes(named.text),
                    known.empty()
                        ? "add an [[upstream]] of this name, or remove the name from the group"
                        : suggest(named.text, known));
    }
  }
}

void Reader::read_interceptors(const Node& list, Config& into) {
  for (const Node& entry : list.array) {
    if (!expect(entry, Node::Kind::Table, "interceptor", "[[interceptor]]")) continue;
    Interceptor interceptor;
    read_section(entry, interceptor_keys(interceptor), "[[interceptor]]");
    refuse_empty(entry, "tools", "tools in [[interceptor]] is empty: it would intercept no call",
                 "name at least one tool, or remove the key: then it intercepts all");
    into.interceptors.push_back(std::move(interceptor));
  }
}

// An empty list would switch the entry off, which nobody sees in it.
void Reader::refuse_empty(const Node& entry, const char* key, const std::string& message,
                          const std::string& help) {
  const Node* const list = entry.find(key);
  if (!list || list->kind != Node::Kind::Array || !list->array.empty()) return;
  report_.error(list->at, "C013", message, help);
}

// An entry for an agent that does not exist would protect nothing, or would be there for nobody.
void Reader::check_named_agents(const Node& list, const std::string& where,
                                const char* without_agents, const Config& config) {
  std::vector<std::string_view> known;
  for (const auto& [name, agent] : config.agents) known.push_back(name);
  for (const Node& entry : list.array) {
    if (entry.kind != Node::Kind::Table) continue;
    refuse_empty(entry, "agents", "agents in " + where + " is empty: " + without_agents,
                 "name at least one agent, or remove the key: then the entry is for all callers");
    const Node* const agents = entry.find("agents");
    if (!agents || agents->kind != Node::Kind::Array) continue;
    for (const Node& named : agents->array) {
      if (named.kind != Node::Kind::Text || config.agents.contains(named.text)) continue;
      report_.error(named.at, "C017",
                    "agents in " + where + ": there is no [agent." + named.text + "]",
                    known.empty() ? "remove the key: this configuration has no agents"
                                  : suggest(named.text, known));
    }
  }
}

}  // namespace host::config
