// [[upstream]]: what the table of keys cannot say.
#include <algorithm>

#include "base/nearest.h"
#include "config/reader.h"

namespace host::config {
namespace {

std::string quoted_text(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

// { env = "NAME" } or { file = "/path" }
bool is_secret(const Node& value) {
  if (value.kind != Node::Kind::Table || value.table.size() != 1) return false;
  const Member& only = value.table.front();
  if (only.value.kind != Node::Kind::Text) return false;
  if (only.key == "env") return variable_form(only.value.text) == nullptr;
  return only.key == "file" && only.value.text.starts_with('/');
}

}  // namespace

void Reader::read_upstreams(const Node& list, Config& into) {
  for (const Node& entry : list.array) {
    if (expect(entry, Node::Kind::Table, "upstream", "[[upstream]]")) read_upstream(entry, into);
  }
}

void Reader::read_upstream(const Node& entry, Config& into) {
  Upstream upstream;
  read_section(entry, upstream_keys(upstream), "[[upstream]]");
  const Node* const name = entry.find("name");
  for (const Upstream& other : into.upstream) {
    if (upstream.name.empty() || other.name != upstream.name) continue;
    report_.error(name->at, "C015", "a second upstream " + quoted_text(upstream.name),
                  "give each upstream a name of its own");
  }
  const Node* const env = entry.find("env");
  if (env && env->kind == Node::Kind::Table) check_env(*env);
  const Node* const presets = entry.find("presets");
  if (presets && presets->kind == Node::Kind::Table) check_presets(*presets);
  into.upstream.push_back(std::move(upstream));
}

void Reader::check_env(const Node& env) {
  for (const Member& member : env.table) {
    if (const char* const form = variable_form(member.key)) {
      report_.error(member.at, "C017",
                    "env in [[upstream]]: expected " + std::string(form) + ", found " +
                        quoted_text(member.key));
    }
    if (member.value.kind == Node::Kind::Text || is_secret(member.value)) continue;
    report_.error(member.value.at, "C017",
                  member.key +
                      " in env of [[upstream]]: expected a text, { env = \"NAME\" } or "
                      "{ file = \"/path\" }",
                  "write { env = \"NAME\" } to take the value from the host's environment");
  }
}

void Reader::check_presets(const Node& presets) {
  for (const Member& member : presets.table)
    expect(member.value, Node::Kind::Table, member.key + " in presets of [[upstream]]",
           "presets.TOOL = { argument = value }");
}

// A name that nobody has would show the upstream to nobody.
void Reader::check_upstream_agents(const Node& list, const Config& config) {
  std::vector<std::string_view> known;
  for (const auto& [name, agent] : config.agents) known.emplace_back(name);
  for (const Node& entry : list.array) {
    const Node* const agents = entry.kind == Node::Kind::Table ? entry.find("agents") : nullptr;
    if (!agents || agents->kind != Node::Kind::Array) continue;
    for (const Node& named : agents->array) {
      if (named.kind != Node::Kind::Text) continue;
      if (std::find(known.begin(), known.end(), named.text) != known.end()) continue;
      report_.error(named.at, "C017",
                    "agents in [[upstream]]: there is no [agent." + named.text + "]",
                    known.empty() ? "remove the key: this configuration has no agents"
                                  : suggest(named.text, known));
    }
  }
}

}  // namespace host::config
