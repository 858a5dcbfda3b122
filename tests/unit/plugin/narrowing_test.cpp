// A side file may only restrict: every key of the configuration has a decided direction.
#include "plugin/declared/narrowing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/key/keys.h"
#include "plugin/declared/policy.h"

namespace host::plugin {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

SideFilePtr side_file(const std::string& text) {
  static const char* const kEnvironment[] = {"HOME=/home/ada", nullptr};
  const auto read = config::parse_side_file(text, "/p/zoo.toml", kEnvironment);
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : nullptr;
}

Result<Terms> under(const config::Plugin& configured, const std::string& text,
                    SideFileMay may = SideFileMay::Restrict) {
  return terms_of(configured, side_file(text), may, 60s);
}

std::string fault_of(const config::Plugin& configured, const std::string& text) {
  const auto terms = under(configured, text);
  return terms ? "" : terms.error().message;
}

Manifest manifest_with(tool::Declaration tool) {
  Manifest manifest;
  tool.name = "t";
  tool.description = "A tool";
  if (tool.input_schema.empty())
    tool.input_schema = R"({"type":"object","properties":{"a":{},"b":{}}})";
  manifest.tools.push_back(std::move(tool));
  return manifest;
}

// The one tool as it is offered, or why it is not.
Result<tool::Declaration> offered(const tool::Declaration& tool, const config::Plugin& configured,
                                  const std::string& text) {
  HOST_TRY_ASSIGN(const Terms terms, under(configured, text));
  HOST_TRY_ASSIGN(const Offer offer, make_offer("zoo", manifest_with(tool), terms));
  if (offer.tools.empty()) return Error{ErrorKind::NotFound, "disabled"};
  return offer.tools.front()->declared();
}

std::string refusal(const tool::Declaration& tool, const config::Plugin& configured,
                    const std::string& text) {
  const auto made = offered(tool, configured, text);
  return made ? "" : made.error().message;
}

TEST(Narrowing, EveryKeyOfAPluginHasADirection) {
  config::Plugin plugin;
  std::vector<std::string> cannot;
  for (const config::Key& key : config::plugin_keys(plugin)) {
    if (!can_restrict(key.name)) cannot.emplace_back(key.name);
  }
  EXPECT_THAT(cannot, UnorderedElementsAre("settings", "group", "idle_stop_s", "state", "uid"))
      << "decide for a new key, and describe it in docs/operate/plugins.md";
  EXPECT_FALSE(can_restrict("tool"));
  EXPECT_FALSE(can_restrict("nothing"));
}

TEST(Narrowing, EveryKeyOfAToolHasADirection) {
  config::ToolOverride tool;
  std::vector<std::string> keys;
  for (const config::Key& key : config::tool_keys(tool)) keys.emplace_back(key.name);
  EXPECT_THAT(keys, UnorderedElementsAre("enabled", "presets", "extend", "timeout_s", "read_only",
                                         "concurrency_safe", "idempotent", "destructive",
                                         "open_world", "dangerous_paths", "auto_approve", "trust"))
      << "decide for a new key in narrow() and override_with()";
}

TEST(Narrowing, TakesWhatIsLess) {
  config::Plugin configured;
  configured.fs = {{"/srv", true}, {"/etc", false}};
  configured.net = {"https://*.example", "https://a.org"};
  configured.env = {"A", "B"};
  configured.secrets = {"C"};
  configured.exec = configured.sockets = configured.history = true;
  configured.workers = 4;
  configured.cpu_s = 0;
  const auto terms = under(configured, R"(fs = ["ro:/srv"]
net = ["https://api.example", "https://a.org"]
env = ["B"]
secrets = []
exec = false
sockets = true
history = false
workers = 2
memory_mib = 10
cpu_s = 5
split_read_only = true
)");
  ASSERT_TRUE(terms) << terms.error().message;
  const config::Plugin& settings = terms->settings;
  EXPECT_EQ(settings.fs, (std::vector<sandbox::FsGrant>{{"/srv", false}}));
  EXPECT_THAT(settings.net, ElementsAre("https://api.example", "https://a.org"));
  EXPECT_THAT(settings.env, ElementsAre("B"));
  EXPECT_TRUE(settings.secrets.empty());
  EXPECT_FALSE(settings.exec);
  EXPECT_TRUE(settings.sockets);
  EXPECT_FALSE(settings.history);
  EXPECT_EQ(settings.workers, 2u);
  EXPECT_EQ(settings.memory_mib, 10u);
  EXPECT_EQ(settings.cpu_s, 5u);
  EXPECT_EQ(settings.split_read_only, true);
  EXPECT_EQ(settings.max_inflight, configured.max_inflight)
      << "a key that is absent changes nothing";
}

TEST(Narrowing, RefusesWhatIsMore) {
  config::Plugin configured;
  configured.fs = {{"/srv", false}};
  configured.net = {"https://*.example"};
  configured.cpu_s = 5;
  configured.trust = config::Trust::ReadOnly;
  configured.split_read_only = true;
  for (const char* const text :
       {"fs = [\"rw:/srv\"]", "fs = [\"ro:/srv/inside\"]", "fs = [\"ro:/\"]",
        "net = [\"https://example\"]", "net = [\"https://*.org\"]", "net = [\"*\"]",
        "net = [\"http://a.example\"]", "cpu_s = 6", "cpu_s = 0", "trust = \"full\"",
        "split_read_only = false", "isolation = \"inline\"", "settings = {}"}) {
    EXPECT_THAT(fault_of(configured, text), HasSubstr("/p/zoo.toml:1:1: error[C023]: ")) << text;
  }
  EXPECT_EQ(fault_of(configured, "net = [\"https://*.example\"]"), "");
  EXPECT_EQ(fault_of(configured, "trust = \"read_only\""), "");
  configured.enabled = false;
  EXPECT_THAT(fault_of(configured, "enabled = true"), HasSubstr("would enable a plugin"));
  configured.isolation = config::Isolation::Inline;
  EXPECT_EQ(fault_of(configured, "isolation = \"inline\""), "");
  EXPECT_EQ(fault_of(configured, "isolation = \"worker\""), "");
}

TEST(Narrowing, OfATrustedFolderHasPriority) {
  config::Plugin configured;
  configured.tools["t"].presets = R"({"a":1})";
  configured.tools["t"].timeout = 2s;
  const auto terms = under(configured, R"(fs = ["rw:/srv"]
auto_approve = true
trust = "none"
timeout_s = 900
settings = { x = 1 }
[tool.t]
presets = { a = 2 }
auto_approve = false
)",
                           SideFileMay::Override);
  ASSERT_TRUE(terms) << terms.error().message;
  EXPECT_EQ(terms->for_tools, nullptr);
  const config::Plugin& settings = terms->settings;
  EXPECT_EQ(settings.fs, (std::vector<sandbox::FsGrant>{{"/srv", true}}));
  EXPECT_EQ(settings.auto_approve, true);
  EXPECT_EQ(settings.trust, config::Trust::None);
  EXPECT_EQ(settings.timeout, config::Seconds(900'000));
  EXPECT_EQ(settings.settings, R"({"x":1})");
  EXPECT_EQ(settings.tools.at("t").presets, R"({"a":2})");
  EXPECT_EQ(settings.tools.at("t").timeout, config::Seconds(2'000));
  EXPECT_EQ(settings.tools.at("t").auto_approve, false);
}

TEST(Narrowing, OfATrustedFolderNamesOnlyToolsOfThePlugin) {
  const auto made = [](const std::string& text) {
    const auto terms = under({}, text, SideFileMay::Override);
    EXPECT_TRUE(terms);
    const auto offer = make_offer("zoo", manifest_with({}), *terms);
    return offer ? std::string() : offer.error().message;
  };
  EXPECT_THAT(made("[tool.u]\nenabled = false"),
              HasSubstr("/p/zoo.toml:1:7: error[C019]: [tool.u]: the plugin has no such tool"));
  EXPECT_EQ(made("[tool.t]\nenabled = false"), "");
}

TEST(Narrowing, OfAToolMakesItsFlagsStricter) {
  tool::Declaration tool;
  tool.idempotent = true;
  tool.destructive = tool.open_world = false;
  tool.dangerous_paths = {"one"};
  tool.may_only_read = true;
  const auto made = offered(tool, {}, R"([tool.t]
read_only = false
concurrency_safe = false
idempotent = false
destructive = true
open_world = true
dangerous_paths = ["two"]
auto_approve = false
trust = "none"
)");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->may_only_read);
  EXPECT_FALSE(made->concurrency_safe);
  EXPECT_FALSE(made->idempotent);
  EXPECT_TRUE(made->destructive);
  EXPECT_TRUE(made->open_world);
  EXPECT_THAT(made->dangerous_paths, ElementsAre("one", "two"));
  EXPECT_EQ(made->auto_approve, false);
  EXPECT_EQ(made->trust, config::Trust::None);
  tool.read_only = true;
  EXPECT_THAT(refusal(tool, {}, "[tool.t]\ndestructive = true"),
              HasSubstr("/p/zoo.toml:2:1: error[C020]: destructive in [tool.t] contradicts"));
}

TEST(Narrowing, OfATimeoutShortensWhateverGivesIt) {
  tool::Declaration tool;
  EXPECT_EQ(offered(tool, {}, "[tool.t]\ntimeout_s = 59")->timeout, 59s);
  EXPECT_THAT(refusal(tool, {}, "[tool.t]\ntimeout_s = 61"), HasSubstr("which is 60000 ms"));
  tool.timeout = 300s;
  EXPECT_EQ(offered(tool, {}, "[tool.t]\ntimeout_s = 200")->timeout, 200s);
  EXPECT_EQ(offered(tool, {}, "timeout_s = 100")->timeout, 100s);
  config::Plugin configured;
  configured.tools["t"].timeout = 5s;
  EXPECT_THAT(refusal(tool, configured, "[tool.t]\ntimeout_s = 6"), HasSubstr("C023"));
  EXPECT_EQ(offered(tool, configured, "timeout_s = 100")->timeout, 5s) << "a longer one is no cap";
  EXPECT_EQ(offered(tool, configured, "timeout_s = 4\n[tool.t]\ntimeout_s = 5")->timeout, 4s);
}

TEST(Narrowing, OfTrustNeverRaisesThatOfOneTool) {
  tool::Declaration tool;
  config::Plugin configured;
  configured.tools["t"].trust = config::Trust::None;
  EXPECT_EQ(offered(tool, configured, "trust = \"read_only\"")->trust, config::Trust::None);
  EXPECT_THAT(refusal(tool, configured, "[tool.t]\ntrust = \"read_only\""), HasSubstr("C023"));
  configured.tools["t"].trust = config::Trust::Full;
  configured.trust = config::Trust::None;
  EXPECT_EQ(offered(tool, configured, "trust = \"none\"")->trust, config::Trust::None);
  configured = {};
  configured.tools["t"].auto_approve = true;
  EXPECT_EQ(offered(tool, configured, "auto_approve = false")->auto_approve, false);
}

TEST(Narrowing, OfPresetsAddsAndNeverChanges) {
  tool::Declaration tool;
  tool.presets = R"({"a":1})";
  EXPECT_EQ(offered(tool, {}, "[tool.t]\npresets = { b = 2 }")->presets, R"({"a":1,"b":2})");
  EXPECT_THAT(refusal(tool, {}, "[tool.t]\npresets = { a = 2 }"),
              HasSubstr("/p/zoo.toml:2:1: error[C023]: presets in [tool.t] would change a preset"));
  config::Plugin configured;
  configured.tools["t"].presets = R"({"b":3})";
  EXPECT_THAT(refusal(tool, configured, "[tool.t]\npresets = { b = 2 }"), HasSubstr("C023"));
  configured.tools["t"].extend = R"({"properties":{"reason":{}},"required":["reason"]})";
  EXPECT_THAT(refusal(tool, configured, "[tool.t]\npresets = { reason = 1 }"),
              HasSubstr("C023]: presets in [tool.t] would fix \"reason\""));
  EXPECT_THAT(refusal(tool, {}, "[tool.t]\npresets = { c = 2 }"),
              HasSubstr("/p/zoo.toml:2:1: error[C020]: "));
}

TEST(Narrowing, OfASchemaAddsArguments) {
  tool::Declaration tool;
  tool.input_schema = R"({"type":"object","properties":{"a":{}},"additionalProperties":false})";
  const char* const text = R"([tool.t]
presets = { c = 1 }
[tool.t.extend.properties]
b = { type = "string" }
c = { type = "integer" }
)";
  const auto made = offered(tool, {}, text);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->withheld, ElementsAre("b", "c"));
  EXPECT_THAT(refusal(tool, {}, "[tool.t.extend.properties]\na = {}"),
              HasSubstr("error[C020]: extend in [tool.t] cannot add the argument"));  // case 39
}

TEST(Narrowing, OfAToolThatIsNotThereOrIsDisabledIsRefused) {
  EXPECT_THAT(refusal({}, {}, "[tool.u]\nenabled = false"),
              HasSubstr("/p/zoo.toml:1:7: error[C019]: [tool.u]: the plugin has no such tool"));
  EXPECT_EQ(refusal({}, {}, "[tool.t]\nenabled = false"), "disabled");
  config::Plugin configured;
  configured.tools["t"].enabled = false;
  EXPECT_EQ(refusal({}, configured, "[tool.t]\nenabled = false"), "disabled");
  EXPECT_THAT(refusal({}, configured, "[tool.t]\nenabled = true"),
              HasSubstr("would offer a tool that the configuration disables"));
}

TEST(Narrowing, ChangesTheDefinitionThatApprovalsAreBoundTo) {
  const auto digest = [](const std::string& text) {
    const auto terms = under({}, text);
    return make_offer("zoo", manifest_with({}), *terms)->tools.front()->digest();
  };
  const std::string plain = digest("");
  for (const char* const text :
       {"[tool.t]\npresets = { a = 1 }", "[tool.t]\nconcurrency_safe = false", "trust = \"none\"",
        "[tool.t.extend.properties]\nc = {}", "[tool.t]\ndangerous_paths = [\"x\"]"}) {
    EXPECT_NE(digest(text), plain) << text;
  }
  EXPECT_EQ(digest("timeout_s = 1"), plain);
}

}  // namespace
}  // namespace host::plugin
