#include "config/change/difference.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "loading.h"

namespace host::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kAdded = "[[upstream]]\nname = \"u\"\ncommand = \"server\"\n";

// "limits.tasks", or "limits.tasks (live)".
std::vector<std::string> between(const std::string& before, const std::string& after) {
  std::vector<std::string> out;
  for (const Difference& one : differences(good(parse_text(before)), good(parse_text(after))))
    out.push_back(one.key + (one.live ? " (live)" : ""));
  return out;
}

TEST(Difference, NamesTheKeysThatDiffer) {
  EXPECT_THAT(
      between("[limits]\ntasks = 7\n[log]\nlevel = \"debug\"\n", "[log]\nformat = \"json\"\n"),
      ElementsAre("limits.tasks", "log.level (live)", "log.format"));
  EXPECT_THAT(
      between("[plugin.shell]\nworkers = 2\n[plugin.shell.tool.bash]\nenabled = false\n", ""),
      ElementsAre("plugin.shell.workers", "plugin.shell.tool.bash.enabled"));
  EXPECT_THAT(between("[agent.a]\nrunning = 1\n[agent.b]\n", "[agent.a]\nrunning = 2\n"),
              ElementsAre("agent.a.running", "agent.b"));
  const std::string group = "[[group]]\nname = \"g\"\ndescription = \"x\"\n";
  EXPECT_THAT(between(group, group + "active = true\n"), ElementsAre("group.g.active"));
  EXPECT_THAT(between("", group + "[[interceptor]]\nplugin = \"p\"\n"),
              ElementsAre("group.g", "interceptor"));
}

TEST(Difference, OfAnUpstreamIsLive) {
  EXPECT_THAT(between("", kAdded), ElementsAre("upstream.u (live)"));
  EXPECT_THAT(between(kAdded, ""), ElementsAre("upstream.u (live)"));
  const std::string held = std::string(kAdded) + "[upstream.sandbox]\n";
  EXPECT_THAT(between(kAdded, held), ElementsAre("upstream.u.sandbox (live)"));
  EXPECT_THAT(between(held, held + "exec = true"), ElementsAre("upstream.u.sandbox (live)"));
  EXPECT_THAT(between(kAdded, kAdded + std::string("args = [\"a\"]\nlazy = false\n")),
              ElementsAre("upstream.u.args (live)", "upstream.u.lazy (live)"));
}

TEST(Difference, APlaceOrAnOrderIsNone) {
  const std::string other = "[[upstream]]\nname = \"a\"\nurl = \"https://a.example/\"\n";
  EXPECT_THAT(between(kAdded + other, "# a comment\n\n" + other + kAdded), IsEmpty());
  const std::string rule = "[[rule]]\ntool = \"t\"\nbehavior = \"deny\"\n";
  EXPECT_THAT(between(rule, "\n" + rule), IsEmpty());
  EXPECT_THAT(between("[limits]\ntasks = 1024\n", ""), IsEmpty());
}

TEST(Difference, OfARuleIsLive) {
  const std::string rule = "rule]]\ntool = \"t\"\nbehavior = \"deny\"\n";
  EXPECT_THAT(between("[agent.a]\n", "[agent.a]\n[[agent.a." + rule + "[[" + rule),
              ElementsAre("rule (live)", "agent.a.rule (live)"));
}

TEST(Difference, LiveKeysAreTakenAndNoOthers) {
  const std::string rule = "rule]]\ntool = \"t\"\nbehavior = \"deny\"\n";
  const Config running = good(parse_text("[agent.a]\n[limits]\ntasks = 5\n"));
  const Config file =
      good(parse_text("[log]\nlevel = \"error\"\n[agent.a]\nrunning = 3\n[agent.b]\n[[" + rule +
                      "[[agent.a." + rule + "[[agent.b." + rule + kAdded));
  const Config now = with_live_keys(running, file);
  EXPECT_EQ(now.log.level, log::Level::Error);
  EXPECT_EQ(now.upstream, file.upstream);
  EXPECT_EQ(now.permission.rules, file.permission.rules);
  EXPECT_EQ(now.agents.at("a").rules, file.agents.at("a").rules);
  EXPECT_EQ(now.agents.at("a").running, 0u);
  EXPECT_FALSE(now.agents.contains("b"));
  EXPECT_EQ(now.limits.tasks, 5u);
  for (const Difference& left : differences(now, file)) EXPECT_FALSE(left.live) << left.key;
}

}  // namespace
}  // namespace host::config
