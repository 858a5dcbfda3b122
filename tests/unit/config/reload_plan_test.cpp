// Edits that join live keys with keys that need a restart.
#include "config/change/reload_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/change/difference.h"
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
  const Config now = plan_reload(current, config_of(after + kAllow + kUpstream)).now;
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
        "[plugin.p]\nmemory_mib = 2048\nfile_mib = 9\nstate = \"fresh\"\n",
        "[plugins]\nquarantine_crashes = 9\npoison_crashes = 9\nrollback_faults = 9\n",
        "[outbound]\nconcurrent = 9\nresponse_bytes = 2048\n", "[upstreams]\nlogin_port = 9000\n",
        "[server]\ntitle = \"x\"\n", "[webhooks]\nper_receiver = 2\n", "[skills]\nlive = false\n"})
    expect_waits("", other, false);
}

// A host that runs, and reads one file after the other.
class Host {
 public:
  explicit Host(const std::string& start) : now_(config_of(start)), settled_(now_) {}

  void reads(const std::string& text) {
    file_ = config_of(text);
    ReloadPlan plan = plan_reload(settled_, file_);
    now_ = std::move(plan.now);
    settled_ = std::move(plan.settled);
  }
  const Config& now() const { return now_; }
  // "deny t, allow s", as rules are in effect.
  std::string rules() const { return words_of(now_.permission.rules); }
  std::string rules_of(const std::string& agent) const {
    return words_of(now_.agents.at(agent).rules);
  }
  bool waits(const std::string& key) const {
    const std::vector<Difference> found = differences(now_, file_);
    return std::any_of(found.begin(), found.end(),
                       [&](const Difference& one) { return one.key == key; });
  }

 private:
  static std::string words_of(const std::vector<Rule>& rules) {
    std::string out;
    for (const Rule& rule : rules) {
      out += out.empty() ? "" : ", ";
      out += rule.behavior == Behavior::Deny ? "deny " : "";
      out += rule.behavior == Behavior::Ask ? "ask " : "";
      out += rule.behavior == Behavior::Allow ? "allow " : "";
      out += rule.tool;
    }
    return out;
  }

  Config now_;
  Config settled_;
  Config file_;
};

std::string rule(const std::string& tool, const std::string& behavior) {
  return "[[rule]]\ntool = \"" + tool + "\"\nbehavior = \"" + behavior + "\"\n";
}

// Decides about calls, and needs a restart.
constexpr const char* kWaits = "[permission]\nmode = \"explore\"\n";

TEST(ReloadPlan, NewRestrictionsApplyAlsoWhileOtherKeysWait) {
  Host host(rule("read", "allow"));
  host.reads(kWaits + rule("read", "allow"));
  host.reads(kWaits + rule("run", "deny") + rule("read", "allow") + rule("write", "ask"));
  EXPECT_EQ(host.rules(), "deny run, allow read, ask write");
  EXPECT_FALSE(host.waits("rule"));
}

TEST(ReloadPlan, ARestrictionThatIsTakenBackBeforeTheRestartGoes) {
  Host host(rule("read", "allow"));
  host.reads(kWaits + rule("read", "allow") + rule("run", "deny"));
  host.reads(kWaits + rule("read", "allow"));
  EXPECT_EQ(host.rules(), "allow read");
  EXPECT_FALSE(host.waits("rule"));
}

TEST(ReloadPlan, ARestrictionOfTheStartStaysUntilTheRestart) {
  Host host(rule("run", "deny") + rule("write", "ask"));
  host.reads(kWaits + rule("other", "deny"));
  host.reads(kWaits + rule("run", "allow"));
  EXPECT_EQ(host.rules(), "deny run, ask write");
  EXPECT_TRUE(host.waits("rule"));
  host.reads(rule("run", "allow"));  // nothing waits any more
  EXPECT_EQ(host.rules(), "allow run");
  host.reads(kWaits + rule("read", "allow"));
  EXPECT_EQ(host.rules(), "");
  host.reads(kWaits + rule("run", "allow"));
  EXPECT_EQ(host.rules(), "allow run");
}

TEST(ReloadPlan, AnAllowRuleThatIsNotInTheFileGoesInAnyCase) {
  Host host(rule("run", "allow") + rule("read", "allow"));
  host.reads(kWaits + rule("read", "allow") + rule("write", "allow"));
  EXPECT_EQ(host.rules(), "allow read");
}

TEST(ReloadPlan, RestrictionsOfAnAgentApplyAlsoWhileOtherKeysWait) {
  const auto of_agent = [](const std::string& tool, const std::string& behavior) {
    return "[[agent.a.rule]]\ntool = \"" + tool + "\"\nbehavior = \"" + behavior + "\"\n";
  };
  Host host("[agent.a]\n" + of_agent("read", "allow"));
  host.reads(kWaits + ("[agent.a]\n" + of_agent("run", "deny")) + of_agent("write", "allow"));
  EXPECT_EQ(host.rules_of("a"), "deny run");
  host.reads(kWaits + ("[agent.a]\n" + of_agent("read", "allow")));
  EXPECT_EQ(host.rules_of("a"), "allow read");
}

TEST(ReloadPlan, RestrictionsOfAnUpstreamApplyAlsoWhileOtherKeysWait) {
  const std::string section = kUpstream;
  const std::string start = "tools_denied = [\"a\"]\nagents = [\"x\", \"y\"]\n";
  const std::string agents = "[agent.x]\n[agent.y]\n[agent.z]\n";
  Host host(section + start + agents);
  host.reads(section +
             "tools_denied = [\"b\"]\nresources_denied = [\"r:*\"]\nprompts_denied = [\"p\"]\n"
             "questions = [\"roots\"]\nagents = [\"y\", \"z\"]\nauto_approve = true\n" +
             agents + kWaits);
  const Upstream& now = host.now().upstream.front();
  using Words = std::vector<std::string>;
  EXPECT_EQ(now.tools_denied, (Words{"b", "a"}));
  EXPECT_EQ(now.resources_denied, Words{"r:*"});
  EXPECT_EQ(now.prompts_denied, Words{"p"});
  EXPECT_EQ(now.questions, Words{"roots"});
  EXPECT_EQ(now.agents, Words{"y"});
  EXPECT_EQ(now.auto_approve, std::nullopt);
  host.reads(section + start + agents + kWaits);
  EXPECT_EQ(host.now().upstream, config_of(section + start + agents).upstream);
}

TEST(ReloadPlan, AnUpstreamThatIsNotInTheFileGoesInAnyCase) {
  Host host(kUpstream);
  host.reads(kWaits);
  EXPECT_TRUE(host.now().upstream.empty());
  EXPECT_NE(host.now().permission.mode, PermissionMode::Explore);
  host.reads(std::string(kUpstream) + kWaits);  // with what waits, it is a new one
  EXPECT_TRUE(host.now().upstream.empty());
}

}  // namespace
}  // namespace host::config
