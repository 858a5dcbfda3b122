#include "config/change/reload_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "config/change/difference.h"

namespace host::config {
namespace {

// Sections and keys that need a restart and decide nothing about what callers may do. A text with a
// dot at its end is a whole section. Whatever is missing here decides, so that a new key is safe.
constexpr std::string_view kUndecisive[] = {"audit.file",
                                            "audit.rotate_bytes",
                                            "audit.rotate_s",
                                            "audit.table_rows",
                                            "call.",
                                            "files.",
                                            "groups.search_above",
                                            "idempotency.",
                                            "limits.",
                                            "log.",
                                            "mcp.",
                                            "metrics.",
                                            "outbound.concurrent",
                                            "outbound.response_bytes",
                                            "outbound.timeout_s",
                                            "plugins.cache_dir",
                                            "plugins.expected",
                                            "plugins.manifest_cache",
                                            "plugins.poison_crashes",
                                            "plugins.quarantine_crashes",
                                            "plugins.rollback_faults",
                                            "server.instructions",
                                            "server.name",
                                            "server.page_dir",
                                            "server.stop_timeout_s",
                                            "server.title",
                                            "skill_repository",
                                            "skills.",
                                            "store.kv_bytes",
                                            "store.kv_keys",
                                            "store.kv_session_ttl_s",
                                            "upstreams.login_port",
                                            "webhook.",
                                            "webhooks."};

// What a worker may use, and the times of plugins and upstreams, decide how fast or how often the
// host does something.
bool is_pace(std::string_view key) {
  const std::string_view name = key.substr(key.rfind('.') + 1);
  const bool is_time = name.ends_with("_s");
  if (key.starts_with("plugins.") || key.starts_with("upstreams.")) return is_time;
  return key.starts_with("plugin.") &&
         (is_time || name == "workers" || name == "max_inflight" || name == "memory_mib" ||
          name == "file_mib" || name == "state");
}

bool is_undecisive(std::string_view key) {
  return std::any_of(std::begin(kUndecisive), std::end(kUndecisive), [key](std::string_view one) {
    return one.ends_with('.') ? key.starts_with(one) : key == one;
  });
}

bool waits_and_decides(const Difference& one) {
  return !one.live && !is_undecisive(one.key) && !is_pace(one.key);
}

// The place of a rule in the file is no difference.
bool has(const std::vector<Rule>& rules, const Rule& wanted) {
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& one) {
    return one.tool == wanted.tool && one.content == wanted.content &&
           one.behavior == wanted.behavior;
  });
}

// Allow rules of both, and the deny and ask rules of either. Rules of the file come first, because
// decisions report their lines.
std::vector<Rule> stricter(const std::vector<Rule>& settled, const std::vector<Rule>& file) {
  std::vector<Rule> out;
  for (const Rule& rule : file) {
    if (rule.behavior != Behavior::Allow || has(settled, rule)) out.push_back(rule);
  }
  for (const Rule& rule : settled) {
    if (rule.behavior != Behavior::Allow && !has(file, rule)) out.push_back(rule);
  }
  return out;
}

bool has(const std::vector<std::string>& words, const std::string& wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

std::vector<std::string> of_either(const std::vector<std::string>& settled,
                                   std::vector<std::string> file) {
  for (const std::string& one : settled) {
    if (!has(file, one)) file.push_back(one);
  }
  return file;
}

std::vector<std::string> of_both(const std::vector<std::string>& settled,
                                 std::vector<std::string> file) {
  std::erase_if(file, [&](const std::string& one) { return !has(settled, one); });
  return file;
}

// The settled section, without what the file's section takes away. A list of agents can show the
// upstream to an agent that did not see it before, so such a list waits if there was none.
Upstream stricter(Upstream settled, const Upstream& file) {
  settled.tools_denied = of_either(settled.tools_denied, file.tools_denied);
  settled.resources_denied = of_either(settled.resources_denied, file.resources_denied);
  settled.prompts_denied = of_either(settled.prompts_denied, file.prompts_denied);
  settled.questions = of_both(settled.questions, file.questions);
  if (settled.agents && file.agents) settled.agents = of_both(*settled.agents, *file.agents);
  return settled;
}

// Upstreams that go are gone all the same.
std::vector<Upstream> stricter(const std::vector<Upstream>& settled,
                               const std::vector<Upstream>& file) {
  std::vector<Upstream> out;
  for (const Upstream& one : settled) {
    const auto same = std::find_if(file.begin(), file.end(),
                                   [&](const Upstream& other) { return other.name == one.name; });
    if (same != file.end()) out.push_back(stricter(one, *same));
  }
  return out;
}

// `now` has the live keys of the file.
void keep_guarded(const Config& settled, Config& now) {
  now.upstream = stricter(settled.upstream, now.upstream);
  now.permission.rules = stricter(settled.permission.rules, now.permission.rules);
  for (auto& [name, agent] : now.agents) {
    const auto was = settled.agents.find(name);
    if (was != settled.agents.end()) agent.rules = stricter(was->second.rules, agent.rules);
  }
}

// One that went and comes back is a new upstream.
Config without_gone(Config settled, const Config& now) {
  std::erase_if(settled.upstream, [&](const Upstream& one) {
    return std::none_of(now.upstream.begin(), now.upstream.end(),
                        [&](const Upstream& other) { return other.name == one.name; });
  });
  return settled;
}

}  // namespace

ReloadPlan plan_reload(const Config& settled, const Config& file) {
  ReloadPlan plan{with_live_keys(settled, file), {}};
  const std::vector<Difference> found = differences(settled, file);
  if (std::none_of(found.begin(), found.end(), waits_and_decides)) {
    plan.settled = plan.now;
  } else {
    keep_guarded(settled, plan.now);
    plan.settled = without_gone(settled, plan.now);
  }
  return plan;
}

}  // namespace host::config
