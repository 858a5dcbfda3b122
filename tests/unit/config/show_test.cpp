#include "loading.h"

namespace host::config {
namespace {

// A rule remembers its line, which is another in the shown text.
Config without_sources(Config config) {
  for (Rule& rule : config.permission.rules) rule.source.clear();
  for (auto& [name, agent] : config.agents) {
    for (Rule& rule : agent.rules) rule.source.clear();
  }
  return config;
}

TEST(Show, LoadsBackToTheSame) {
  const Config config = good(parse_text(R"(
[server]
name = "quote \" backslash \\ tab \t del \u007f line \n end"
allowed_hosts = ["a.example"]
[call]
timeout_s = 0.125
[permission]
working_dirs = ["here", "~/there"]
[plugin."odd.name"]
isolation = "inline"
auto_approve = false
fs = ["ro:/a b", "rw:~/c"]
sockets = true
exec = true
env = ["A_1"]
memory_mib = 0
uid = 4294967294
[plugin."odd.name".settings]
"a key" = [1, -2.5, 1e300, 3.0, true, {}, [], "x\u0000y"]
big = 9223372036854775807
[plugin.b.tool.t]
presets = { x = { y = 1 } }
timeout_s = 3
[[rule]]
tool = "t"
content = "*"
behavior = "deny"
[[group]]
name = "g"
description = "d"
active = true
tools = ["t"]
[agent.all]
[agent.coder]
plugins = []
groups = ["g"]
skills = ["a", "b"]
mode = "explore"
working_dirs = ["~/there"]
needs_key = false
running = 3
queued = 4
errors = "rpc-codes"
[[agent.coder.rule]]
tool = "t"
behavior = "allow"
)"));
  const Config again = good(parse_text(show(config)));
  EXPECT_EQ(without_sources(again), without_sources(config)) << show(config) << "\n---\n"
                                                             << show(again);
}

TEST(Show, OfTheDefaultsLoadsBackToTheDefaults) {
  const Config config = good(parse_text(""));
  EXPECT_EQ(good(parse_text(show(config))), config);
}

}  // namespace
}  // namespace host::config
