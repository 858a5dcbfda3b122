// Edits that join live keys with keys that need a restart.
#include "config/change/reload_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "loading.h"

namespace host::config {
namespace {

constexpr const char* kDeny = "[[rule]]\ntool = \"t\"\nbehavior = \"deny\"\n";
constexpr const char* kAllow = "[[rule]]\ntool = \"t\"\nbehavior = \"allow\"\n";
constexpr const char* kUpstream = "[[upstream]]\nname = \"u\"\ncommand = \"server\"\n";

Config config_of(const std::string& text) {
  return good(parse_text(text));
}

// Of a host that runs with `before` and a deny rule, and of an edit to `after`, to an allow rule
// and to a new upstream.
void expect_waits(const std::string& before, const std::string& after, bool waits) {
  const Config current = config_of(before + kDeny);
  const Config now = after_reload(current, config_of(after + kAllow + kUpstream));
  EXPECT_EQ(now.permission.rules.front().behavior, waits ? Behavior::Deny : Behavior::Allow)
      << after;
  EXPECT_EQ(now.upstream.size(), waits ? 0u : 1u) << after;
}

TEST(ReloadPlan, RulesAndUpstreamsWaitForEachRestrictionThatNeedsARestart) {
  for (const char* const restriction :
       {"[plugin.p]\nfs = [\"rw:/srv/out\"]\n", "[plugin.p]\nenabled = false\n",
        "[plugin.p]\nisolation = \"worker\"\nsettings = { root = \"/srv\" }\n",
        "[plugin.p.tool.a]\npresets = { path = \"/srv\" }\n", "[plugin.p]\ntrust = \"none\"\n",
        "[upstreams]\npin = \"review\"\n", "[sandbox]\nrequire = [\"seccomp\"]\n",
        "[approval]\nask = [\"client\"]\n", "[outbound]\nloopback = [\"http://localhost:1\"]\n",
        "[auth]\nanonymous = \"nobody\"\n", "[plugins]\ntrusted_dirs = [\"/srv\"]\n",
        "[groups]\nmeta_tool = false\n", "[permission]\nmode = \"explore\"\n", "[agent.a]\n",
        "[[group]]\nname = \"g\"\ndescription = \"x\"\n", "[[interceptor]]\nplugin = \"p\"\n",
        "[audit]\nrequired = true\n", "[store]\nfile = \"/srv/other.db\"\n"})
    expect_waits("", restriction, true);
}

TEST(ReloadPlan, KeysThatDecideNothingAboutCallsHoldNothingBack) {
  for (const char* const other :
       {"", "[limits]\ntasks = 7\n", "[log]\nformat = \"json\"\n", "[metrics]\nenabled = false\n",
        "[upstreams]\nstart_timeout_s = 9\n", "[plugins]\nrescan_s = 9\n",
        "[plugin.p]\nworkers = 2\ntimeout_s = 9\n", "[plugin.p.tool.a]\ntimeout_s = 9\n",
        "[server]\ntitle = \"x\"\n", "[webhooks]\nper_receiver = 2\n", "[skills]\nlive = false\n"})
    expect_waits("", other, false);
}

TEST(ReloadPlan, AnUpstreamThatIsNotInTheFileGoesInAnyCase) {
  const Config now =
      after_reload(config_of(kUpstream), config_of("[permission]\nmode = \"explore\"\n"));
  EXPECT_TRUE(now.upstream.empty());
  EXPECT_NE(now.permission.mode, PermissionMode::Explore);
}

}  // namespace
}  // namespace host::config
