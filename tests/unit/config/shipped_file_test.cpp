// The shipped config.toml has to stay complete, true and loadable.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "config/key/keys.h"
#include "config/shipped_plugins.h"
#include "loading.h"
#include "support/places.h"

namespace host::config {
namespace {

std::string shipped_text() {
  std::ostringstream out;
  out << std::ifstream(places::source().string() + "/config.toml").rdbuf();
  return out.str();
}

// `#name = 1` and `#[[rule]]` are examples; `# Words.` are not.
bool is_example(std::string_view line) {
  return line.size() > 1 && line[0] == '#' &&
         (line[1] == '[' || (line[1] >= 'a' && line[1] <= 'z'));
}

// The keys that stand under each header, examples too.
std::map<std::string, std::set<std::string>> keys_by_header() {
  std::map<std::string, std::set<std::string>> found;
  std::istringstream lines(shipped_text());
  std::string header;
  for (std::string line; std::getline(lines, line);) {
    if (is_example(line)) line.erase(0, 1);
    if (line.starts_with('[')) header = line;
    const std::size_t equals = line.find(" = ");
    if (!line.starts_with('#') && equals != std::string::npos)
      found[header].insert(line.substr(0, equals));
  }
  return found;
}

std::vector<std::string> missing(const std::vector<Key>& keys, const std::set<std::string>& there) {
  std::vector<std::string> out;
  for (const Key& key : keys) {
    if (!there.contains(std::string(key.name))) out.emplace_back(key.name);
  }
  return out;
}

// How many fields a struct has: as many as it can be made from.
struct Anything {
  template <class T>
  operator T() const {
    std::abort();  // is never called
  }
};
template <class T, std::size_t... Each>
constexpr bool takes(std::index_sequence<Each...>) {
  return requires {
    T{(void(Each), Anything())...};
  };
}
template <class T, std::size_t Count = 0>
constexpr std::size_t fields_of() {
  if constexpr (takes<T>(std::make_index_sequence<Count + 1>())) {
    return fields_of<T, Count + 1>();
  } else {
    return Count;
  }
}

const std::vector<std::string> kNone;

TEST(ShippedFile, LoadsWithoutAWord) {
  const Loaded loaded = parse_text(shipped_text());
  EXPECT_TRUE(loaded.config.has_value());
  EXPECT_EQ(told(loaded), "");
}

// "A key that you leave out has the value shown here": of each section, both ways. The plugins'
// own settings are compared in tests/integration/test_shipped_plugins.py: only they know them.
TEST(ShippedFile, HasTheDefaults) {
  Config shipped = good(parse_text(shipped_text()));
  Config without = good(parse_text(""));
  for (auto& [name, plugin] : shipped.plugins.by_name) {
    plugin.settings = "{}";
    EXPECT_EQ(plugin, config::plugin(without, name)) << name;
  }
  for (const auto& [name, plugin] : without.plugins.by_name)
    EXPECT_EQ(plugin, config::plugin(shipped, name)) << name;
  std::set<std::string_view> sections;
  for (const auto& [name, plugin] : shipped.plugins.by_name) sections.insert(name);
  const auto names = names_of_shipped_plugins();
  EXPECT_EQ(sections, (std::set<std::string_view>{names.begin(), names.end()}));
  shipped.plugins.by_name.clear();
  without.plugins.by_name.clear();
  EXPECT_EQ(shipped, without);
}

TEST(ShippedFile, HasEveryKey) {
  auto found = keys_by_header();
  Config config;
  for (const Section& section : sections(config)) {
    EXPECT_EQ(missing(section.keys, found["[" + std::string(section.name) + "]"]), kNone)
        << section.name;
  }
  std::set<std::string> plugin = found["[plugin.hello]"];
  plugin.merge(found["[plugin.invoices]"]);
  Plugin any;
  EXPECT_EQ(missing(plugin_keys(any), plugin), kNone);
  ToolOverride tool;
  EXPECT_EQ(missing(tool_keys(tool), found["[plugin.hello.tool.greet]"]), kNone);
  Rule rule;
  EXPECT_EQ(missing(rule_keys(rule), found["[[rule]]"]), kNone);
  Group group;
  EXPECT_EQ(missing(group_keys(group), found["[[group]]"]), kNone);
  Interceptor interceptor;
  EXPECT_EQ(missing(interceptor_keys(interceptor), found["[[interceptor]]"]), kNone);
  Upstream upstream;
  EXPECT_EQ(missing(upstream_keys(upstream), found["[[upstream]]"]), kNone);
  UpstreamSandbox held;
  EXPECT_EQ(missing(upstream_sandbox_keys(held), found["[upstream.sandbox]"]), kNone);
  Webhook webhook;
  EXPECT_EQ(missing(webhook_keys(webhook), found["[[webhook]]"]), kNone);
  SkillRepository repository;
  EXPECT_EQ(missing(skill_repository_keys(repository), found["[[skill_repository]]"]), kNone);
  Agent agent;
  EXPECT_EQ(missing(agent_keys(agent), found["[agent.coder]"]), kNone);
  EXPECT_EQ(missing(rule_keys(rule), found["[[agent.coder.rule]]"]), kNone);
}

// A field that no key fills could never be set.
TEST(ShippedFile, HasAKeyForEveryFieldOfTheStructs) {
  Config config;
  std::map<std::string_view, std::size_t> keys;
  for (const Section& section : sections(config)) keys[section.name] = section.keys.size();
  EXPECT_EQ(keys["server"], fields_of<Server>());
  EXPECT_EQ(keys["auth"], fields_of<Auth>());
  EXPECT_EQ(keys["oauth"], fields_of<OAuth>());
  EXPECT_EQ(keys["limits"], fields_of<Limits>());
  EXPECT_EQ(keys["call"], fields_of<Call>());
  EXPECT_EQ(keys["idempotency"], fields_of<Idempotency>());
  EXPECT_EQ(keys["files"], fields_of<Files>());
  EXPECT_EQ(keys["mcp"], fields_of<Mcp>());
  EXPECT_EQ(keys["permission"], fields_of<Permission>() - 1);  // [[rule]]
  EXPECT_EQ(keys["approval"], fields_of<Approval>());
  // [plugin.NAME] is no key, and the keys of `supervision` are among those of [plugins].
  EXPECT_EQ(keys["plugins"], fields_of<Plugins>() - 2 + fields_of<Supervision>());
  EXPECT_EQ(keys["sandbox"], fields_of<Sandbox>());
  EXPECT_EQ(keys["skills"], fields_of<Skills>());
  EXPECT_EQ(keys["log"], fields_of<Log>());
  EXPECT_EQ(keys["audit"], fields_of<Audit>());
  EXPECT_EQ(keys["metrics"], fields_of<Metrics>());
  EXPECT_EQ(keys["store"], fields_of<Store>());
  EXPECT_EQ(keys["outbound"], fields_of<Outbound>());
  Plugin plugin;
  EXPECT_EQ(plugin_keys(plugin).size(), fields_of<Plugin>() - 1);  // tool.TOOL
  ToolOverride tool;
  EXPECT_EQ(tool_keys(tool).size(), fields_of<ToolOverride>());
  Rule rule;
  EXPECT_EQ(rule_keys(rule).size(), fields_of<Rule>() - 1);  // source
  Group group;
  EXPECT_EQ(group_keys(group).size(), fields_of<Group>());
  EXPECT_EQ(keys["groups"], fields_of<Groups>());
  Interceptor interceptor;
  EXPECT_EQ(interceptor_keys(interceptor).size(), fields_of<Interceptor>());
  Agent agent;
  EXPECT_EQ(agent_keys(agent).size(), fields_of<Agent>() - 1);  // [[agent.NAME.rule]]
  EXPECT_EQ(keys["upstreams"], fields_of<Upstreams>());
  Upstream upstream;
  EXPECT_EQ(upstream_keys(upstream).size(), fields_of<Upstream>() - 1);  // [upstream.sandbox]
  UpstreamSandbox held;
  EXPECT_EQ(upstream_sandbox_keys(held).size(), fields_of<UpstreamSandbox>());
  EXPECT_EQ(keys["webhooks"], fields_of<Webhooks>());
  Webhook webhook;
  EXPECT_EQ(webhook_keys(webhook).size(), fields_of<Webhook>());
  SkillRepository repository;
  EXPECT_EQ(skill_repository_keys(repository).size(), fields_of<SkillRepository>());
  // groups, interceptors, agents, upstreams, webhooks, skill repositories, names, file
  EXPECT_EQ(keys.size(), fields_of<Config>() - 8);
}

constexpr std::string_view kExample = "# Example: ";

std::vector<std::string> shipped_lines() {
  std::vector<std::string> lines;
  std::istringstream text(shipped_text());
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string_view key_of(std::string_view line) {
  return line.substr(0, line.find(" = "));
}

// As a person does it who wants this line: with its header, and with what that cannot do without.
void remove_mark(std::vector<std::string>& lines, std::size_t at) {
  std::size_t header = at;
  while (!lines[header].starts_with('[') && !lines[header].starts_with("#[")) --header;
  const bool unset = lines[header].starts_with('#');
  const bool array = lines[header].starts_with("#[[");
  const bool of_upstream = lines[header] == "#[upstream.sandbox]";
  lines[at].erase(0, 1);
  if (!unset) return;
  if (header != at) lines[header].erase(0, 1);
  if (of_upstream) {  // it belongs to the entry above it
    std::size_t entry = header;
    while (lines[entry] != "#[[upstream]]") --entry;
    const auto name = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(entry), lines.end(),
                                   [](const auto& line) { return line.starts_with("#name = "); });
    remove_mark(lines, static_cast<std::size_t>(name - lines.begin()));
  }
  if (key_of(lines[at]) == "agents") {  // each agent must have its section
    const auto agent = std::find(lines.begin(), lines.end(), "#[agent.coder]");
    if (agent != lines.end()) agent->erase(0, 1);
  }
  if (header == at) return;
  for (std::size_t i = header + 1; array && i < lines.size() && !lines[i].starts_with("#["); ++i) {
    for (const char* const required :
         {"#tool", "#behavior", "#name", "#description", "#command", "#url", "#plugin", "#id",
          "#secret", "#auth", "#client_id", "#openapi", "#origins", "#git"}) {
      if (key_of(lines[i]) == required) lines[i].erase(0, 1);
    }
  }
}

TEST(ShippedFile, LoadsWithEachUnsetLineAlone) {
  const std::vector<std::string> shipped = shipped_lines();
  std::size_t tried = 0;
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    if (!is_example(shipped[i]) || shipped[i].starts_with("#[[")) continue;
    std::vector<std::string> lines = shipped;
    remove_mark(lines, i);
    EXPECT_EQ(told(parse_text(joined(lines))), "") << i + 1 << ": " << shipped[i];
    ++tried;
  }
  EXPECT_GT(tried, 30u);
}

TEST(ShippedFile, LoadsWithAllUnsetLines) {
  std::vector<std::string> lines = shipped_lines();
  for (std::string& line : lines) {
    if (is_example(line)) line.erase(0, 1);
  }
  const Config config = good(parse_text(joined(lines)));
  EXPECT_EQ(config.permission.rules.size(), 2u);
  EXPECT_EQ(config.groups.size(), 1u);
  EXPECT_EQ(config.agents.at("coder").rules.size(), 1u);
}

// Puts an example in place of the key above it; false: there is none.
bool take_example(std::vector<std::string>& lines, std::size_t at) {
  const std::string example = lines[at].substr(kExample.size());
  for (std::size_t i = at; i > 0 && !lines[i].starts_with('['); --i) {
    if (key_of(lines[i]) != key_of(example)) continue;
    lines[i] = example;
    return true;
  }
  return false;
}

TEST(ShippedFile, LoadsWithEachExampleAloneAndWithAll) {
  const std::vector<std::string> shipped = shipped_lines();
  std::vector<std::string> with_all = shipped;
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    if (!shipped[i].starts_with(kExample)) continue;
    EXPECT_TRUE(take_example(with_all, i)) << shipped[i];
    std::vector<std::string> lines = shipped;
    take_example(lines, i);
    if (shipped[i].find("issuer") != std::string::npos) continue;  // it requires `resource`
    EXPECT_EQ(told(parse_text(joined(lines))), "") << i + 1 << ": " << shipped[i];
  }
  const Config config = good(parse_text(joined(with_all)));
  EXPECT_EQ(config.server.allowed_hosts, std::vector<std::string>{"tools.example"});
}

}  // namespace
}  // namespace host::config
