#include "loading.h"

namespace host::config {
namespace {

TEST(Environment, OverridesKeysOfSections) {
  const Config config =
      good(parse_with("[server]\nlisten = \"127.0.0.1:1\"\n",
                      {"TOOLPOST_SERVER__LISTEN=127.0.0.1:2", "TOOLPOST_CALL__TIMEOUT_S=0.5",
                       "TOOLPOST_LOG__LEVEL=error", "TOOLPOST_MCP__BARE_CALLS=false",
                       "TOOLPOST_LIMITS__PAGE_SIZE=7", "TOOLPOST_SERVER__NAME=12"}));
  EXPECT_EQ(config.server.listen, "127.0.0.1:2");
  EXPECT_EQ(config.call.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(config.log.level, log::Level::Error);
  EXPECT_FALSE(config.mcp.bare_calls);
  EXPECT_EQ(config.limits.page_size, 7u);
  EXPECT_EQ(config.server.name, "12");
}

TEST(Environment, TakesListsAsTomlOrAsTheirSingleMember) {
  const Config config =
      good(parse_with("", {"TOOLPOST_PLUGINS__DIRS=/opt/tools",
                           "TOOLPOST_SKILLS__DIRS=[\"/a\", \"~/b\"]", "TOOLPOST_APPROVAL__ASK="}));
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(config.plugins.dirs, Paths{"/opt/tools"});
  EXPECT_EQ(config.skills.dirs, (Paths{"/a", "/home/ada/b"}));
  EXPECT_TRUE(config.approval.ask.empty());
}

TEST(Environment, TakesRelativePathsFromTheCurrentFolder) {
  const Config config = good(parse_with("", {"TOOLPOST_AUDIT__FILE=audit.jsonl"}));
  EXPECT_EQ(config.audit.file, std::filesystem::current_path() / "audit.jsonl");
}

TEST(Environment, OverridesPluginsAndTheirSettings) {
  const Config config =
      good(parse_with("[plugin.Invoices.settings]\nfolder = \"/a\"\ncode = \"7\"\n",
                      {"TOOLPOST_PLUGIN__INVOICES__AUTO_APPROVE=true",
                       "TOOLPOST_PLUGIN__INVOICES__SETTINGS__FOLDER=/b",
                       "TOOLPOST_PLUGIN__INVOICES__SETTINGS__CODE=8",
                       "TOOLPOST_PLUGIN__INVOICES__SETTINGS__COUNT=3",
                       "TOOLPOST_PLUGIN__HELLO__ISOLATION=inline"}));
  EXPECT_EQ(plugin(config, "Invoices").auto_approve, true);
  EXPECT_EQ(plugin(config, "Invoices").settings, R"({"code":"8","folder":"/b","count":3})");
  EXPECT_EQ(plugin(config, "hello").isolation, Isolation::Inline);
}

TEST(Environment, CannotGiveAnInlinePluginSeveralWorkers) {
  const Loaded loaded =
      parse_with("[plugin.a]\nworkers = 3", {"TOOLPOST_PLUGIN__A__ISOLATION=inline"});
  EXPECT_NE(only_headline(loaded).find("C018]: workers in [plugin.a]"), std::string::npos);
  good(parse_with("[plugin.a]\nworkers = 3", {}));
}

TEST(Environment, LeavesOtherVariablesAlone) {
  const Loaded loaded = parse_with("", {"TOOLPOST_URL=http://x", "PATH=/bin", "TOOLPOST_=", "odd"});
  EXPECT_TRUE(loaded.config.has_value()) << told(loaded);
}

struct BadVariable {
  const char* entry;
  const char* headline;
};

class BadVariables : public ::testing::TestWithParam<BadVariable> {};

TEST_P(BadVariables, AreReportedByName) {
  const std::string headline = only_headline(parse_with("", {GetParam().entry}));
  EXPECT_EQ(headline.find("environment variable " + std::string(GetParam().headline)), 0u)
      << headline;
}

INSTANTIATE_TEST_SUITE_P(
    Environment, BadVariables,
    ::testing::Values(
        BadVariable{"TOOLPOST_SEVER__LISTEN=x",
                    "TOOLPOST_SEVER__LISTEN: error[C014]: unknown section [sever]"},
        BadVariable{"TOOLPOST_SERVER__LISEN=x",
                    "TOOLPOST_SERVER__LISEN: error[C014]: unknown key \"lisen\" in [server]"},
        BadVariable{"TOOLPOST_CALL__TIMEOUT_S=soon",
                    "TOOLPOST_CALL__TIMEOUT_S: error[C011]: timeout_s in [call]: expected"},
        BadVariable{"TOOLPOST_CALL__TIMEOUT_S=-1", "TOOLPOST_CALL__TIMEOUT_S: error[C012]"},
        BadVariable{"TOOLPOST_MCP__BARE_CALLS=yes", "TOOLPOST_MCP__BARE_CALLS: error[C011]"},
        BadVariable{"TOOLPOST_LOG__LEVEL=loud", "TOOLPOST_LOG__LEVEL: error[C013]"},
        BadVariable{"TOOLPOST_PLUGIN__HELLO=x", "TOOLPOST_PLUGIN__HELLO: error[C014]"},
        BadVariable{"TOOLPOST_PLUGIN__HELLO__COLOUR=x",
                    "TOOLPOST_PLUGIN__HELLO__COLOUR: error[C014]"},
        BadVariable{"TOOLPOST_PLUGIN__A/B__ENABLED=true",
                    "TOOLPOST_PLUGIN__A/B__ENABLED: error[C014]"},
        BadVariable{"TOOLPOST_SERVER__ALLOWED_HOSTS=[",
                    "TOOLPOST_SERVER__ALLOWED_HOSTS: error[C011]"}));

}  // namespace
}  // namespace host::config
