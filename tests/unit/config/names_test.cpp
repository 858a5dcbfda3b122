#include "config/name/known_names.h"

#include <algorithm>

#include "config/key/form.h"
#include "config/key/keys.h"
#include "config/name/used_names.h"
#include "loading.h"

namespace host::config {
namespace {

KnownNames some_names() {
  return {{"hello", "shell"},
          {{"hello", {"greet", "echo"}}, {"shell", {"run_command"}}},
          {"file-invoices"},
          {"/skills", "plugin:shell"},
          {}};
}

std::vector<Diagnostic> unknown_in(std::string_view text, const KnownNames& known = some_names()) {
  return unknown_names(good(parse_text(text)), known);
}

std::string headlines(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& one : diagnostics) out += one.headline() + "\n";
  return out;
}

TEST(Names, ThatAreThereAreNotReported) {
  EXPECT_EQ(headlines(unknown_in(R"(
[plugin.shell]
enabled = false
group = "danger"
[plugin.fetch]
group = ""
[plugin.hello.tool.greet]
enabled = false
[[rule]]
tool = "run_command"
behavior = "deny"
[[group]]
name = "danger"
description = "d"
tools = ["echo"]
skills = ["file-invoices"]
[agent.coder]
plugins = ["hello"]
groups = ["danger"]
skills = ["file-invoices"]
[[agent.coder.rule]]
tool = "echo"
behavior = "deny"
)")),
            "");
}

TEST(Names, OfAPluginThatIsSwitchedOffMustBeThere) {
  const auto found = unknown_in("[plugin.shel]\nenabled = false\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].headline(),
            "/etc/toolpost/config.toml:1:9: error[C019]: [plugin.shel]: no plugin is named "
            "\"shel\", so it would forbid nothing");
  EXPECT_NE(found[0].help.find("did you mean \"shell\"?"), std::string::npos) << found[0].help;
}

TEST(Names, OfAToolThatIsDeniedMustBeThere) {
  const auto found = unknown_in(
      "[[rule]]\ntool = \"run_comand\"\nbehavior = \"deny\"\n"
      "[agent.a]\n[[agent.a.rule]]\nbehavior = \"deny\"\ntool = \"gret\"\n"
      "[plugin.hello.tool.gret]\nenabled = false\n");
  EXPECT_EQ(headlines(found),
            "/etc/toolpost/config.toml:2:8: error[C019]: tool in [[rule]]: no tool is named "
            "\"run_comand\", so it would forbid nothing\n"
            "/etc/toolpost/config.toml:7:8: error[C019]: tool in [[agent.a.rule]]: no tool is "
            "named \"gret\", so it would forbid nothing\n"
            "/etc/toolpost/config.toml:8:20: error[C019]: [plugin.hello.tool.gret]: plugin "
            "\"hello\" has no tool \"gret\", so it would forbid nothing\n");
}

TEST(Names, ThatForbidNothingAnywayAreWarnings) {
  const auto found = unknown_in(R"([plugin.helo]
group = "dangr"
[plugin.hello.tool.gret]
timeout_s = 1
[[rule]]
tool = "run_comand"
behavior = "allow"
[[group]]
name = "danger"
description = "d"
tools = ["ecko"]
skills = ["file-invoice"]
[agent.coder]
plugins = ["nope"]
skills = ["file-invoicess"]
)");
  EXPECT_EQ(found.size(), 8u) << headlines(found);
  EXPECT_FALSE(has_error(found)) << headlines(found);
}

TEST(Names, ThatAreExpectedMayBeMissing) {
  EXPECT_EQ(headlines(unknown_in(R"(
[plugins]
expected = ["payroll", "pay_salary"]
[plugin.payroll]
enabled = false
[plugin.payroll.tool.pay_salary]
enabled = false
[[rule]]
tool = "pay_salary"
behavior = "deny"
)")),
            "");
}

TEST(Names, OfShippedPluginsMayBeMissing) {
  EXPECT_EQ(headlines(unknown_in("[plugin.warehouse]\nenabled = false\n")), "");
}

TEST(Names, ThatANotLoadedPluginMayHaveAreWarnings) {
  KnownNames known = some_names();
  known.tools.erase("shell");
  const std::string_view rule = "[[rule]]\ntool = \"run_command\"\nbehavior = \"deny\"\n";
  EXPECT_EQ(headlines(unknown_in(rule, known)),
            "/etc/toolpost/config.toml:2:8: warning[C019]: tool in [[rule]]: no tool is named "
            "\"run_command\" (plugins that are not loaded may have it: shell)\n");
  // Nearly a name that is there: a slip is likelier.
  EXPECT_TRUE(has_error(unknown_in("[[rule]]\ntool = \"gret\"\nbehavior = \"deny\"\n", known)));
  EXPECT_EQ(headlines(unknown_in("[plugin.shell.tool.x]\nenabled = false\n", known)), "");
  // A rule that forbids nothing loses nothing by the doubt.
  EXPECT_EQ(headlines(unknown_in("[[rule]]\ntool = \"gret\"\nbehavior = \"allow\"\n", known)),
            "/etc/toolpost/config.toml:2:8: warning[C019]: tool in [[rule]]: no tool is named "
            "\"gret\" (plugins that are not loaded may have it: shell)\n");
}

TEST(Names, OfAToolInAPluginThatNothingIsMustBeThere) {
  EXPECT_TRUE(has_error(unknown_in("[plugin.shel.tool.run_command]\nenabled = false\n")));
}

TEST(Names, InVariablesAreReportedToo) {
  const auto loaded = parse_with("", {"TOOLPOST_PLUGIN__SHEL__ENABLED=false"});
  EXPECT_EQ(headlines(unknown_names(good(loaded), some_names())),
            "environment variable TOOLPOST_PLUGIN__SHEL__ENABLED: error[C019]: [plugin.shel]: no "
            "plugin is named \"shel\", so it would forbid nothing\n");
}

constexpr std::string_view kFiles = "[[upstream]]\nname = \"files\"\ncommand = \"x\"\n";

KnownNames with_files() {
  KnownNames known = some_names();
  known.upstreams["files"] = {{"read.file", "delete_file"},
                              {"mcp__files__read_file", "mcp__files__delete_file"}};
  return known;
}

std::string rule_for(std::string_view tool, std::string_view behavior) {
  return std::string(kFiles) + "[[rule]]\ntool = \"" + std::string(tool) + "\"\nbehavior = \"" +
         std::string(behavior) + "\"\n";
}

TEST(Names, OfToolsOfAnUpstreamThatIsNotConfiguredMustBeThere) {
  const auto found = unknown_in(rule_for("mcp__fles__read_file", "deny"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].headline(),
            "/etc/toolpost/config.toml:5:8: error[C019]: tool in [[rule]]: no tool is named "
            "\"mcp__fles__read_file\", so it would forbid nothing, and no [[upstream]] has tools "
            "with names that begin so");
  EXPECT_NE(found[0].help.find("did you mean \"mcp__files__read_file\"?"), std::string::npos)
      << found[0].help;
  EXPECT_FALSE(has_error(unknown_in(rule_for("mcp__fles__read_file", "allow"))));
}

TEST(Names, OfToolsOfAnUpstreamAreComparedOnceTheyAreKnown) {
  EXPECT_EQ(headlines(unknown_in(rule_for("mcp__files__reed_file", "deny"))), "");
  EXPECT_EQ(headlines(unknown_in(rule_for("mcp__files__read_file", "deny"), with_files())), "");
  const auto near = unknown_in(rule_for("mcp__files__reed_file", "deny"), with_files());
  EXPECT_TRUE(has_error(near));
  EXPECT_NE(near.at(0).help.find("did you mean \"mcp__files__read_file\"?"), std::string::npos);
  // It may come with the upstream's next release.
  const auto far = unknown_in(rule_for("mcp__files__move_it", "deny"), with_files());
  EXPECT_EQ(far.size(), 1u);
  EXPECT_FALSE(has_error(far));
}

TEST(Names, InTheSettingsOfAnUpstreamAreThoseOfItsOwnTools) {
  const auto found_in = [](const std::string& more) {
    return unknown_in(std::string(kFiles) + more, with_files());
  };
  EXPECT_EQ(headlines(found_in("tools = [\"read.file\", \"x*\"]\ntools_denied = [\"y*\"]\n"
                               "presets.delete_file = { a = 1 }\n")),
            "");
  const auto denied = found_in("tools_denied = [\"delete_fil\"]\n");
  EXPECT_EQ(headlines(denied),
            "/etc/toolpost/config.toml:4:17: error[C019]: tools_denied in [[upstream]]: upstream "
            "\"files\" has offered no tool \"delete_fil\", so it would forbid nothing\n");
  EXPECT_NE(denied.at(0).help.find("did you mean \"delete_file\"?"), std::string::npos);
  EXPECT_FALSE(has_error(found_in("tools_denied = [\"something_else\"]\n")));
  const auto others = found_in("tools = [\"red.file\"]\n");
  EXPECT_EQ(others.size(), 1u) << headlines(others);
  EXPECT_FALSE(has_error(others)) << headlines(others);
  EXPECT_TRUE(has_error(found_in("presets.delete_fil = { a = 1 }\n")));
  EXPECT_FALSE(has_error(found_in("presets.something_else = { a = 1 }\n")));
  EXPECT_EQ(headlines(unknown_in(std::string(kFiles) + "tools_denied = [\"delete_fil\"]\n")), "");
}

// Without its preset, the caller would set the argument.
TEST(Names, OfToolsWithPresetsOfAnAgentMustExist) {
  EXPECT_TRUE(has_error(unknown_in("[agent.a]\npresets.gret = { name = \"x\" }\n")));
  EXPECT_EQ(headlines(unknown_in("[agent.a]\npresets.greet = { name = \"x\" }\n")), "");
}

TEST(Names, OfToolsOfAnInterceptorAreCompared) {
  const auto found = unknown_in(
      "[[interceptor]]\nplugin = \"hello\"\ntools = [\"gret\", \"run_*\", \"echo\", \"*\"]\n");
  EXPECT_EQ(headlines(found),
            "/etc/toolpost/config.toml:3:10: warning[C019]: tools in [[interceptor]]: no tool is "
            "named \"gret\"\n");
}

TEST(Names, OfPluginsOfInterceptorsMustBeInstalled) {
  constexpr std::string_view kEntry = "[[interceptor]]\nplugin = \"redact\"\n";
  EXPECT_EQ(
      headlines(unknown_in(kEntry)),
      "/etc/toolpost/config.toml:2:10: warning[C019]: plugin in [[interceptor]]: no installed "
      "plugin is named \"redact\". Calls that the entry covers are refused, or run without it "
      "with fail = \"open\"\n");
  KnownNames known = some_names();
  known.plugins.insert("redact");
  EXPECT_EQ(headlines(unknown_in(kEntry, known)), "");
  known.removed_plugins.insert("redact");
  EXPECT_EQ(unknown_in(kEntry, known).size(), 1u);
  EXPECT_EQ(headlines(unknown_in("[plugins]\nexpected = [\"redact\"]\n" + std::string(kEntry))),
            "");
}

TEST(Names, OfRepositoriesOfSkillsAreCompared) {
  const auto found = unknown_in(
      "[agent.a]\nskill_repositories = [\"/skills\", \"plugin:shel\", \"plugin:shell\", "
      "\"/skils\"]\n");
  EXPECT_EQ(headlines(found),
            "/etc/toolpost/config.toml:2:34: warning[C019]: skill_repositories in [agent.a]: no "
            "repository of skills is \"plugin:shel\"\n"
            "/etc/toolpost/config.toml:2:65: warning[C019]: skill_repositories in [agent.a]: no "
            "repository of skills is \"/skils\"\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].help.find("did you mean \"plugin:shell\"?"), std::string::npos);
}

// A new key that takes a name is not forgotten in the table of places.
TEST(Names, OfEveryKeyThatTakesOneAreCompared) {
  const auto places = places_of_names();
  const auto expect_places = [&](const std::string& table, const std::vector<Key>& keys) {
    for (const Key& key : keys) {
      const bool takes_a_name = key.form == tool_name_form || key.form == plugin_name_form ||
                                key.name == "skills" || key.name == "skill_repositories" ||
                                key.name == "tools" || key.name == "tools_denied" ||
                                key.name == "group" || key.name == "groups" ||
                                key.name == "plugins" || key.name == "tool";
      if (!takes_a_name || (table == "group.*" && key.name == "name")) continue;
      const bool list = !std::holds_alternative<std::string*>(key.slot);
      const std::string path = table + "." + std::string(key.name) + (list ? ".*" : "");
      EXPECT_NE(std::find(places.begin(), places.end(), path), places.end()) << path;
    }
  };
  Config config;
  for (const Section& section : sections(config))
    expect_places(std::string(section.name), section.keys);
  Plugin plugin;
  expect_places("plugin.*", plugin_keys(plugin));
  ToolOverride tool;
  expect_places("plugin.*.tool.*", tool_keys(tool));
  Rule rule;
  expect_places("rule.*", rule_keys(rule));
  expect_places("agent.*.rule.*", rule_keys(rule));
  Group group;
  expect_places("group.*", group_keys(group));
  Agent agent;
  expect_places("agent.*", agent_keys(agent));
  Upstream upstream;
  expect_places("upstream.*", upstream_keys(upstream));
}

TEST(Names, OfSkillsAreNotJudgedWhereSkillsOfRepositoriesAreMissing) {
  constexpr std::string_view kText = R"(
[[group]]
name = "papers"
description = "Papers"
skills = ["of-git"]
)";
  EXPECT_EQ(unknown_in(kText).size(), 1u);
  KnownNames known = some_names();
  known.has_all_skills = false;
  EXPECT_EQ(headlines(unknown_in(kText, known)), "");
}

TEST(Names, ThatForbidNothingWithoutAnUpstreamAreReported) {
  const Config config = good(parse_text(R"(
[[upstream]]
name = "files"
command = "c"
[[upstream]]
name = "more"
command = "c"
[[rule]]
tool = "mcp__files__read"
behavior = "allow"
[[rule]]
tool = "mcp__files__delete"
behavior = "deny"
[[rule]]
tool = "mcp__more__delete"
behavior = "allow"
)"));
  const auto refused = refused_without(config, "files");
  ASSERT_EQ(refused.size(), 1u) << headlines(refused);
  EXPECT_EQ(refused.front().severity, Severity::Error);
  EXPECT_NE(refused.front().message.find("mcp__files__delete"), std::string::npos);
  EXPECT_EQ(headlines(refused_without(config, "more")), "");
}

}  // namespace
}  // namespace host::config
