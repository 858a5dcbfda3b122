#include <sys/stat.h>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "loading.h"

namespace host::config {
namespace {

using std::chrono::milliseconds;

TEST(Config, TakesEveryTypeOfKey) {
  const Config config = good(parse_text(R"(
[server]
listen = "[::1]:0"
allowed_origins = ["https://app.example:8443"]
[limits]
body_bytes = 1_000_000
session_idle_s = 1.5
[permission]
mode = "accept_edits"
[log]
level = "debug"
[mcp]
bare_calls = false
[approval]
ask = ["client", "page"]
)"));
  EXPECT_EQ(config.server.listen, "[::1]:0");
  EXPECT_EQ(config.server.allowed_origins, std::vector<std::string>{"https://app.example:8443"});
  EXPECT_EQ(config.limits.body_bytes, 1'000'000u);
  EXPECT_EQ(config.limits.session_idle, milliseconds(1500));
  EXPECT_EQ(config.permission.mode, PermissionMode::AcceptEdits);
  EXPECT_EQ(config.log.level, log::Level::Debug);
  EXPECT_FALSE(config.mcp.bare_calls);
  EXPECT_EQ(config.approval.ask, (std::vector<std::string>{"client", "page"}));
}

TEST(Config, TakesAgents) {
  const Config config = good(parse_text(R"(
[[group]]
name = "g"
description = "d"
[agent.coder]
plugins = ["hello"]
groups = ["g"]
mode = "explore"
[[agent.coder.rule]]
tool = "t"
behavior = "deny"
[agent.plain]
)"));
  const Agent& coder = *agent(config, "coder");
  EXPECT_EQ(coder.plugins, std::vector<std::string>{"hello"});
  EXPECT_EQ(coder.skills, std::nullopt);
  EXPECT_EQ(coder.mode, PermissionMode::Explore);
  EXPECT_EQ(coder.rules.at(0).source, "config.toml:9");
  EXPECT_EQ(*agent(config, "plain"), Agent{});
  EXPECT_EQ(agent(config, "nobody"), nullptr);
  EXPECT_TRUE(config.permission.rules.empty());
}

// Case 40: a registration is of one kind, and groups exist once.
TEST(Config, RefusesUpstreamsOfNoKindOrTwoAndGroupsThatAreUnknownOrDouble) {
  EXPECT_THAT(only_headline(parse_text("[[upstream]]\nname = \"u\"\n")),
              testing::HasSubstr("has neither command, url nor openapi"));
  EXPECT_THAT(only_headline(parse_text("[[upstream]]\nname = \"u\"\ncommand = \"c\"\nurl = "
                                       "\"https://u.example/\"\n")),
              testing::HasSubstr("has a command and a url"));
  EXPECT_THAT(only_headline(parse_text("[agent.a]\ngroups = [\"x\"]\n")),
              testing::HasSubstr("no [[group]] is named \"x\""));
  const std::string group = "[[group]]\nname = \"g\"\ndescription = \"d\"\n";
  EXPECT_THAT(only_headline(parse_text(group + group)), testing::HasSubstr("C015"));
}

TEST(Config, RefusesAgentsThatCouldNotBe) {
  EXPECT_THAT(only_headline(parse_text("[agent.v1]\n")),
              testing::HasSubstr("the host's own paths"));
  EXPECT_THAT(only_headline(parse_text("[agent.\"a/b\"]\n")),
              testing::HasSubstr("1 to 64 letters"));
  EXPECT_THAT(only_headline(parse_text("[agent.a]\ngroups = [\"x\"]\n")),
              testing::HasSubstr("no [[group]] is named \"x\""));
  EXPECT_THAT(only_headline(parse_text("[agent.a]\nplugin = []\n")),
              testing::HasSubstr("unknown key \"plugin\" in [agent.a]"));
  EXPECT_THAT(only_headline(parse_text("[[agent.a.rule]]\ntool = \"t\"\n")),
              testing::HasSubstr("behavior is missing in [[agent.a.rule]]"));
  EXPECT_THAT(only_headline(parse_text("agent = 1\n")),
              testing::HasSubstr("agent: expected a table"));
}

TEST(Config, TakesAnIssuerWithWhatItNeeds) {
  const Config config = good(parse_text(R"(
[oauth]
issuer = "https://login.example/realms/one"
resource = "https://tools.example/mcp"
algorithms = ["EdDSA"]
scope_call = "https://tools.example/call"
refresh_s = 60
)"));
  EXPECT_EQ(config.oauth.algorithms, std::vector<std::string>{"EdDSA"});
  EXPECT_EQ(config.oauth.refresh, milliseconds(60'000));
  EXPECT_EQ(config.oauth.scope_call, "https://tools.example/call");
  constexpr const char* kIssuer = "[oauth]\nissuer = \"https://login.example\"\n";
  EXPECT_NE(only_headline(parse_text(kIssuer)).find("resource is missing in [oauth]"),
            std::string::npos);
  good(parse_with(kIssuer, {"TOOLPOST_OAUTH__RESOURCE=https://tools.example/mcp"}));
  EXPECT_NE(only_headline(parse_text(std::string(kIssuer) +
                                     "resource = \"https://t.example\"\nalgorithms = []"))
                .find("algorithms in [oauth] are none"),
            std::string::npos);
}

TEST(Config, RefusesAnIssuerThatIsNoUrlAndSymmetricAlgorithms) {
  for (const char* const bad :
       {"login.example", "ftp://login.example", "https://", "https:///path", "https://a@b.example",
        "https://a.example?x", "https://a.example#x", "https://a.example/\\\"x", "https://a b"}) {
    const std::string text = "[oauth]\nissuer = \"" + std::string(bad) + "\"";
    EXPECT_NE(only_headline(parse_text(text)).find("error[C017]"), std::string::npos) << bad;
  }
  for (const char* const bad : {"HS256", "none", "RS512", ""}) {
    const std::string text = "[oauth]\nalgorithms = [\"" + std::string(bad) + "\"]";
    const Loaded loaded = parse_text(text);
    EXPECT_NE(only_headline(loaded).find("error[C013]"), std::string::npos) << bad;
    EXPECT_EQ(told(loaded).find("there is: "), std::string::npos) << "the words are there already";
  }
  EXPECT_NE(only_headline(parse_text("[oauth]\nscope_call = \"two words\"")).find("error[C017]"),
            std::string::npos);
}

TEST(Config, TakesPluginsWithTheirSettingsAndTools) {
  const Config config = good(parse_text(R"(
[plugin.invoices]
isolation = "inline"
auto_approve = false
timeout_s = 7
[plugin.invoices.settings]
folder = "/srv"
deep = { list = [1, 2.5, true, "x"], day = 2024-01-15 }
[plugin.invoices.tool.save_csv]
enabled = false
presets = { filename = "all" }
read_only = false
)"));
  const Plugin& invoices = plugin(config, "invoices");
  EXPECT_EQ(invoices.isolation, Isolation::Inline);
  EXPECT_EQ(invoices.auto_approve, false);
  EXPECT_EQ(invoices.timeout, milliseconds(7000));
  EXPECT_EQ(invoices.settings,
            R"({"deep":{"day":"2024-01-15","list":[1,2.5,true,"x"]},"folder":"/srv"})");
  const ToolOverride& tool = invoices.tools.at("save_csv");
  EXPECT_EQ(tool.enabled, false);
  EXPECT_EQ(tool.presets, R"({"filename":"all"})");
  EXPECT_EQ(tool.read_only, false);
  EXPECT_EQ(plugin(config, "other"), Plugin{});
}

TEST(Config, TakesGrantsOfPathsFromTheRootOrHome) {
  const Config config = good(parse_text(R"(
[sandbox]
require = ["landlock"]
[plugin.a]
fs = ["ro:/srv/./in/", "rw:~/out", "ro:~"]
sockets = true
exec = true
env = ["API_TOKEN"]
memory_mib = 64
file_mib = 2
cpu_s = 7
uid = 1234
)"));
  const Plugin& a = plugin(config, "a");
  EXPECT_EQ(a.fs, (std::vector<sandbox::FsGrant>{
                      {"/srv/in", false}, {"/home/ada/out", true}, {"/home/ada", false}}));
  EXPECT_TRUE(a.sockets && a.exec);
  EXPECT_EQ(a.env, std::vector<std::string>{"API_TOKEN"});
  EXPECT_EQ(std::make_tuple(a.memory_mib, a.file_mib, a.cpu_s, a.uid),
            std::make_tuple(64u, 2u, 7u, 1234u));
  EXPECT_EQ(config.sandbox.require, std::vector<std::string>{"landlock"});
}

TEST(Config, TakesRulesAndGroupsInOrderAndRemembersWhereARuleStands) {
  const Config config = good(parse_text(R"(
[[rule]]
tool = "save_csv"
behavior = "ask"
[[rule]]
tool = "run"
content = "git *"
behavior = "deny"
[[group]]
name = "billing"
description = "Invoices"
tools = ["save_csv"]
)"));
  ASSERT_EQ(config.permission.rules.size(), 2u);
  EXPECT_EQ(config.permission.rules[0].source, "config.toml:2");
  EXPECT_EQ(config.permission.rules[0].content, std::nullopt);
  EXPECT_EQ(config.permission.rules[1].behavior, Behavior::Deny);
  EXPECT_EQ(config.permission.rules[1].content, "git *");
  ASSERT_EQ(config.groups.size(), 1u);
  EXPECT_FALSE(config.groups[0].active);
}

TEST(Config, ReportsEveryFaultAtItsPlaceAndUsesNothing) {
  const Loaded loaded = parse_text(
      "[server]\n"
      "lisen = \"127.0.0.1:1\"\n"
      "name = 5\n"
      "[limits]\n"
      "page_size = 0\n"
      "[log]\n"
      "level = \"loud\"\n"
      "[sever]\n"
      "x = 1\n"
      "[[rule]]\n"
      "tool = \"a\"\n");
  EXPECT_FALSE(loaded.config.has_value());
  const std::string all = told(loaded);
  const std::string file = "/etc/toolpost/config.toml:";
  const std::string expected[] = {
      file +
          "2:1: error[C014]: unknown key \"lisen\" in [server]\n"
          "  2 | lisen = \"127.0.0.1:1\"\n"
          "    | ^\n"
          "  help: did you mean \"listen\"?\n",
      file + "3:8: error[C011]: name in [server]: expected a text",
      file +
          "5:13: error[C012]: page_size in [limits]: expected a whole number of entries from 1 to "
          "10000, found 0\n",
      file + "7:9: error[C013]: level in [log]: expected one of \"trace\", ",
      file + "8:2: error[C014]: unknown section [sever]\n",
      "  help: did you mean \"server\"?\n",
      file + "10:1: error[C016]: behavior is missing in [[rule]]\n",
  };
  for (const std::string& part : expected)
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  EXPECT_EQ(loaded.diagnostics.size(), 6u) << all;
}

TEST(Config, SaysWhereTheTextIsNotToml) {
  EXPECT_TRUE(
      only_headline(parse_text("[server]\nname = \n")).starts_with("/etc/toolpost/config.toml:2:"));
  EXPECT_NE(only_headline(parse_text("a = 1\na = 2\n")).find("error[C002]"), std::string::npos);
  EXPECT_NE(only_headline(parse_text("[log]\n[log]\n")).find(":2:"), std::string::npos);
  EXPECT_NE(only_headline(parse_text("a = \"\xff\"\n")).find("error[C002]"), std::string::npos);
  const std::string deep = "a = " + std::string(5000, '[');
  EXPECT_NE(only_headline(parse_text(deep)).find("error[C002]"), std::string::npos);
}

struct BadLine {
  const char* text;
  const char* part;  // of the headline
};

class BadLines : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadLines, AreRefusedWithAReason) {
  const std::string headline = only_headline(parse_text(GetParam().text));
  EXPECT_NE(headline.find(GetParam().part), std::string::npos) << headline;
}

INSTANTIATE_TEST_SUITE_P(
    Config, BadLines,
    ::testing::Values(
        BadLine{"stray = 1", "C014]: unknown key \"stray\""},
        BadLine{"server = 1", "C011]: server: expected a table"},
        BadLine{"rule = {}", "C011]: rule: expected a list"},
        BadLine{"plugin.a = 3", "C011]: plugin.a: expected a table"},
        BadLine{"[server]\nlisten = \"8808\"", "C017]: listen in [server]: expected ADDRESS:PORT"},
        BadLine{"[server]\nlisten = \"127.0.0.1:70000\"", "C017]"},
        BadLine{"[server]\nlisten = \"127.0.0.1:\"", "C017]"},
        BadLine{"[server]\nlisten = \"unix:host.sock\"", "C017]"},
        BadLine{"[server]\nallowed_origins = [\"https://a/b\"]", "C017]"},
        BadLine{"[server]\nallowed_hosts = [\"http://a\"]", "C017]"},
        BadLine{"[server]\nallowed_hosts = [1]", "C011]"},
        BadLine{"[server]\nallowed_hosts = [\"a\", \"a\"]",
                "C015]: allowed_hosts in [server]: \"a\" stands there twice"},
        BadLine{"[call]\ntimeout_s = \"60\"",
                "expected a number of seconds from 0.001 to 86400, found a text"},
        BadLine{"[call]\ntimeout_s = nan", "C012]"}, BadLine{"[call]\ntimeout_s = -1", "C012]"},
        BadLine{"[call]\ntimeout_s = inf", "C012]"}, BadLine{"[call]\nqueue = 1.0", "C011]"},
        BadLine{"[call]\nqueue = 99999999999", "C012]"},
        BadLine{"[approval]\nask = [\"model\"]", "C013]"},
        BadLine{"[plugin.a]\nsettings = 1", "C011]"},
        BadLine{"[plugin.a.settings]\nx = inf", "C017]"}, BadLine{"[plugin.\"../a\"]", "C017]"},
        BadLine{"[plugin.a]\nfs = [\"/etc\"]",
                ":2:7: error[C017]: fs in [plugin.a]: expected ro:PATH or rw:PATH, PATH absolute"},
        BadLine{"[plugin.a]\nfs = [\"wo:/etc\"]", "found \"wo:/etc\""},
        BadLine{"[plugin.a]\nfs = [\"ro:/a\", \"rw:data\"]", ":2:16: error[C017]"},
        BadLine{"[plugin.a]\nfs = \"ro:/etc\"", "C011]"},
        BadLine{"[plugin.a]\nenv = [\"A=B\"]", "C017]"}, BadLine{"[plugin.a]\nuid = -1", "C012]"},
        BadLine{"[sandbox]\nrequire = [\"landlok\"]", "C013]"},
        BadLine{"[plugin.a.tool.\"x y\"]", "C017]"},
        BadLine{"[plugin.a.tool.x]\nread_only = true",
                "C013]: read_only in [plugin.a.tool.x]: only false"},
        BadLine{"[plugin.a.tool.x]\nconcurrency_safe = true", "C013]"},
        BadLine{"[plugin.a]\ntrust_read_only = false\ntrust = \"read_only\"",
                ":3:9: error[C018]: trust in [plugin.a]: trust_read_only says something else"},
        BadLine{"[plugin.a]\ntrust_read_only = true\ntrust = \"none\"", "C018]"},
        BadLine{"[plugin.a]\ntrust = \"some\"", "C013]"},
        BadLine{"[plugin.a.tool.x]\ntrust = \"all\"", "C013]"},
        BadLine{"[plugin.Builtin]\nenabled = true", "mean the host itself"},
        BadLine{"[agent.a]\nplugins = [\"toolpost\"]", "mean the host itself"},
        BadLine{"[plugin.a]\nisolation = \"inline\"\nworkers = 2",
                "3:11: error[C018]: workers in [plugin.a]: an inline plugin has no workers"},
        BadLine{
            "[plugin.a]\nisolation = \"inline\"\nsplit_read_only = true",
            "3:19: error[C018]: split_read_only in [plugin.a]: an inline plugin has no workers"},
        BadLine{"[plugin.a]\nworkers = 65", "C012]"}, BadLine{"[plugin.a]\nworkers = 0", "C012]"},
        BadLine{"[[rule]]\ntool = \"\"\nbehavior = \"ask\"", "C017]: tool in [[rule]]"},
        BadLine{"[[rule]]\ntool = \"x\"\nbehavior = \"maybe\"", "C013]"},
        BadLine{"[[group]]\nname = \"g\"", "C016]: description is missing"},
        BadLine{"[[group]]\nname = \"basic\"\ndescription = \"d\"", "C017]"},
        BadLine{"[[group]]\nname = \"g\"\ndescription = \"d\"\n[[group]]\nname = "
                "\"g\"\ndescription = \"d\"",
                ":5:8: error[C015]"},
        BadLine{"[skills]\ndirs = [\"\"]", "C017]"}));

TEST(Config, RefusesSettingsThatNestTooDeeply) {
  std::string text = "[plugin.a.settings]\nx = ";
  for (int i = 0; i < 40; ++i) text += "{ x = ";
  text += "1";
  for (int i = 0; i < 40; ++i) text += " }";
  EXPECT_NE(only_headline(parse_text(text)).find("nest deeper than 32"), std::string::npos);
}

TEST(Config, ResolvesPathsAgainstTheFilesFolderAndTheHome) {
  const Config config = good(parse_text(R"(
plugins.dirs = ["plugins/", "../up", "~/mine", "~", "/opt/./tools/", "@shipped"]
audit.file = "audit.jsonl"
)"));
  using Paths = std::vector<std::filesystem::path>;
  ASSERT_EQ(config.plugins.dirs.size(), 6u);
  EXPECT_EQ(
      Paths(config.plugins.dirs.begin(), config.plugins.dirs.begin() + 5),
      (Paths{"/etc/toolpost/plugins", "/etc/up", "/home/ada/mine", "/home/ada", "/opt/tools"}));
  EXPECT_TRUE(config.plugins.dirs.back().is_absolute());
  EXPECT_EQ(config.audit.file, "/etc/toolpost/audit.jsonl");
  EXPECT_EQ(config.skills.dirs.back(), "/home/ada/.local/share/toolpost/skills");
}

// So that an agent names a folder in any way that skills.dirs allows.
TEST(Config, ResolvesTheRepositoriesOfSkillsOfAgentsAsFolders) {
  const Config config = good(parse_text(R"(
skills.dirs = ["team/", "~/mine"]
[agent.a]
skill_repositories = ["./team", "~/mine/", "@shipped", "plugin:clock"]
[agent.b]
skill_repositories = []
[agent.c]
)"));
  const auto& named = *agent(config, "a")->skill_repositories;
  ASSERT_EQ(named.size(), 4u);
  EXPECT_EQ(named[0], config.skills.dirs[0].string());
  EXPECT_EQ(named[1], config.skills.dirs[1].string());
  EXPECT_TRUE(std::filesystem::path(named[2]).is_absolute());
  EXPECT_EQ(named[3], "plugin:clock");
  EXPECT_TRUE(agent(config, "b")->skill_repositories->empty());
  EXPECT_FALSE(agent(config, "c")->skill_repositories);
  ASSERT_EQ(config.names.all.size(), 4u);
  EXPECT_EQ(config.names.all[1].name, named[1]);  // compared with what was found, as it is resolved
}

// A path of the environment is used only if it is absolute (XDG Base Directory Specification).
TEST(Config, FollowsTheXdgVariablesThatAreAbsolutePaths) {
  const Config usual = good(parse_with("", {"XDG_STATE_HOME=", "XDG_CACHE_HOME=cache"}));
  EXPECT_EQ(usual.store.file, "/home/ada/.local/state/toolpost/toolpost.db");
  EXPECT_EQ(usual.plugins.manifest_cache, "/home/ada/.cache/toolpost/manifests");
  const Config set =
      good(parse_with("[plugin.a]\nfs = [\"rw:@state\", \"ro:@data/x\"]\n"
                      "[audit]\nfile = \"@cache/../a\"",
                      {"XDG_STATE_HOME=/var/./state/", "XDG_CACHE_HOME=/c", "XDG_DATA_HOME=/d",
                       "XDG_STATE_HOMES=/wrong"}));
  EXPECT_EQ(set.store.file, "/var/state/toolpost/toolpost.db");
  EXPECT_EQ(set.audit.file, "/c/a");
  EXPECT_EQ(set.skills.dirs.back(), "/d/toolpost/skills");
  EXPECT_EQ(plugin(set, "invoices").fs,
            (std::vector<sandbox::FsGrant>{{"/var/state/toolpost/invoices", true}}));
  EXPECT_EQ(plugin(set, "a").fs, (std::vector<sandbox::FsGrant>{{"/var/state/toolpost", true},
                                                                {"/d/toolpost/x", false}}));
}

TEST(Config, RefusesAnUnknownWordForAFolderUnlessItIsAPath) {
  EXPECT_NE(only_headline(parse_text("audit.file = \"@state_/a\"")).find("\"@state\""),
            std::string::npos);
  EXPECT_EQ(good(parse_text("audit.file = \"./@state/a\"")).audit.file, "/etc/toolpost/@state/a");
}

class ConfigFile : public ::testing::Test {
 protected:
  ConfigFile() {
    std::string name = (std::filesystem::temp_directory_path() / "config_test.XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ConfigFile() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(std::string_view text) const {
    std::ofstream(folder_ / "config.toml") << text;
    return folder_ / "config.toml";
  }
  std::filesystem::path folder_;
};

TEST_F(ConfigFile, IsReadAndNamedInTheConfig) {
  const auto file = write("[server]\nname = \"other\"\n");
  const Config config = good(load(file, nullptr));
  EXPECT_EQ(config.server.name, "other");
  EXPECT_EQ(config.file, file);
}

TEST_F(ConfigFile, ThatIsNotThereIsAFaultThatNamesIt) {
  const Loaded loaded = load(folder_ / "none.toml", nullptr);
  EXPECT_NE(only_headline(loaded).find("none.toml: error[C001]: cannot be opened: No such file"),
            std::string::npos);
}

TEST_F(ConfigFile, ThatIsNoRegularFileIsRefusedAtOnce) {
  const auto fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(only_headline(load(fifo, nullptr)).find("is not a regular file"), std::string::npos);
  EXPECT_NE(only_headline(load(folder_, nullptr)).find("is not a regular file"), std::string::npos);
}

TEST_F(ConfigFile, ThatIsHugeIsRefused) {
  const auto file = write("# " + std::string(2u << 20u, 'x'));
  EXPECT_NE(only_headline(load(file, nullptr)).find("larger than 1 MiB"), std::string::npos);
}

TEST(Config, WithoutAFileIsTheDefaults) {
  const Config config = good(load({}, nullptr));
  EXPECT_EQ(config.server, Server{});
  EXPECT_EQ(config.limits, Limits{});
  EXPECT_TRUE(config.file.empty());
}

// Each of these once hid those below it, or those of another source.
TEST(Config, ReportsEveryFaultAtOnce) {
  const Loaded loaded =
      parse_with(R"([call]
timeout_s = "soon"
timout_s = 1
[plugin.".bad"]
isolation = "cage"
[plugin.hello]
workers = 2
isolation = "inline"
[plugin.hello.tool."no tool"]
timeout_s = "x"
[agent.v1]
mode = "careless"
groups = ["nobodys"]
[oauth]
issuer = "https://login.example"
[[rule]]
behavior = "maybe"
[[group]]
name = "basic"
)",
                 {"TOOLPOST_CALL__QUEUE=many", "TOOLPOST_SERVR__NAME=x",
                  "TOOLPOST_PLUGIN__CLOCK__ISOLATION=inline", "TOOLPOST_PLUGIN__CLOCK__WORKERS=2"});
  const std::string all = told(loaded);
  for (const char* const one :
       {":2:13:", ":3:1:", ":4:9:", ":5:13:", "workers in [plugin.hello]",
        ":9:20:", ":10:13:", ":11:8:", ":12:8:", "nobodys", "resource is missing",
        "tool is missing in [[rule]]", "maybe", "\"basic\"", "description is missing in [[group]]",
        "CALL__QUEUE", "SERVR__NAME", "workers in [plugin.clock]"}) {
    EXPECT_NE(all.find(one), std::string::npos) << one << "\n" << all;
  }
  EXPECT_EQ(loaded.diagnostics.size(), 18u) << all;
}

TEST(Config, DoesNotReportAKeyAsMissingThatHasABadValue) {
  const Loaded loaded =
      parse_text("[oauth]\nissuer = \"https://login.example\"\nresource = \"tools.example\"\n");
  EXPECT_NE(only_headline(loaded).find("resource in [oauth]"), std::string::npos) << told(loaded);
}

}  // namespace
}  // namespace host::config
