// With the table of keys (keys.h), the Reader reads a TOML tree into the structs of config.h, and
// reports everything that is not valid.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/node.h"
#include "config/document/report.h"
#include "config/key/keys.h"
#include "config/path.h"

namespace host::config {

// The message for a section for which trust_contradicts() returns true.
inline constexpr const char* kTrustContradiction = "trust_read_only says something else";

class Reader {
 public:
  Reader(Report& report, PathBase base) : report_(report), base_(std::move(base)) {}

  void read(const Node& root, Config& into);
  // Reads a side file, whose root has the keys of [plugin.NAME].
  void read_side_file(const Node& root, Plugin& into);
  // Stores `value` in the setting of `key`. `where` is a text for messages, like "[server]".
  void read_key(const Node& value, const Key& key, std::string_view where);

 private:
  void read_section(const Node& table, const std::vector<Key>& keys, const std::string& where,
                    std::string_view also_known = {});
  void read_plugins(const Node& table, Config& into);
  void read_plugin(const Member& member, Plugin& into);
  // `prefix` is the beginning of the names of the sections of the plugin's tools: "plugin.NAME." or
  // "".
  void read_plugin(const Node& table, const std::string& where, const std::string& prefix,
                   Plugin& into);
  void read_tools(const Node& table, const std::string& where, Plugin& into);
  void read_agents(const Node& table, Config& into);
  void check_agents(const Node& table, const Config& config);
  void read_rules(const Node& list, const std::string& where, std::vector<Rule>& into);
  void read_interceptors(const Node& list, Config& into);
  void check_named_agents(const Node& list, const std::string& where, const char* without_agents,
                          const Config& config);
  void refuse_empty(const Node& entry, const char* key, const std::string& message,
                    const std::string& help);
  void check_group_upstreams(const Node& list, const Config& config);
  void read_groups(const Node& list, Config& into);
  void read_upstreams(const Node& list, Config& into);
  void read_upstream(const Node& entry, Config& into);
  void check_reached(const Node& entry);
  void refuse_without(const Node& entry, const char* key, const char* needs);
  void check_api(const Node& entry, const Node& openapi, const Node* url);
  void check_login(const Node& entry, const Upstream& upstream);
  void check_headers(const Node& headers);
  void check_env(const Node& env, bool has_sandbox);
  void check_presets(const Node& presets, const std::string& where);
  void read_webhooks(const Node& list, Config& into);
  void read_skill_repositories(const Node& list, Config& into);
  void check_writable_folders(const Node& root, const Config& config);
  bool expect(const Node& value, Node::Kind kind, const std::string& where,
              std::string_view example);

  Report& report_;
  PathBase base_;
};

// Returns true for a table { env = "NAME" } or { file = "/path" }.
bool is_secret(const Node& value);

// Returns the values that the key accepts, as words for messages.
std::string expectation(const Key& key);

}  // namespace host::config
