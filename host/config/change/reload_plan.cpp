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
                                            "outbound.timeout_s",
                                            "plugins.cache_dir",
                                            "plugins.expected",
                                            "plugins.manifest_cache",
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
                                            "webhook.",
                                            "webhooks."};

// Times and counts of plugins and upstreams decide how fast or how often the host does something.
bool is_pace(std::string_view key) {
  const std::string_view name = key.substr(key.rfind('.') + 1);
  const bool is_time = name.ends_with("_s");
  if (key.starts_with("plugins.") || key.starts_with("upstreams.")) return is_time;
  return key.starts_with("plugin.") && (is_time || name == "workers" || name == "max_inflight");
}

bool is_undecisive(std::string_view key) {
  return std::any_of(std::begin(kUndecisive), std::end(kUndecisive), [key](std::string_view one) {
    return one.ends_with('.') ? key.starts_with(one) : key == one;
  });
}

bool waits_and_decides(const Difference& one) {
  return !one.live && !is_undecisive(one.key) && !is_pace(one.key);
}

// Upstreams that go are gone all the same.
void keep_guarded(const Config& current, Config& now) {
  std::vector<Upstream> kept;
  for (const Upstream& one : current.upstream) {
    const bool stays = std::any_of(now.upstream.begin(), now.upstream.end(),
                                   [&](const Upstream& other) { return other.name == one.name; });
    if (stays) kept.push_back(one);
  }
  now.upstream = std::move(kept);
  now.permission.rules = current.permission.rules;
  now.agents = current.agents;
}

}  // namespace

Config after_reload(const Config& current, const Config& file) {
  Config now = with_live_keys(current, file);
  const std::vector<Difference> found = differences(current, file);
  if (std::any_of(found.begin(), found.end(), waits_and_decides)) keep_guarded(current, now);
  return now;
}

}  // namespace host::config
