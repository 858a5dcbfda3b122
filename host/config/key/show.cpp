#include "config/key/show.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <initializer_list>

#include "base/text/visible.h"
#include "config/key/keys.h"
#include "json/json.h"

namespace host::config {
namespace {

// Adds a TOML basic string: as in JSON, except that DEL and all hidden characters are escaped.
void add_string(std::string_view text, std::string& out) {
  const std::size_t begin = out.size();
  json::write_string(text, out);
  const bool is_plain = std::all_of(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                                    [](char c) { return c >= ' ' && c <= '~'; });
  if (!is_plain) out.replace(begin, std::string::npos, marked(out.substr(begin), Marking::Toml));
}

std::string toml_string(std::string_view text) {
  std::string out;
  add_string(text, out);
  return out;
}

std::string real(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string out(text);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string seconds(Seconds value) {
  const auto whole = value.count() / 1000;
  const auto rest = value.count() % 1000;
  if (rest == 0) return std::to_string(whole);
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(whole),
                static_cast<long long>(rest));
  return text;
}

std::string inline_value(const json::Value& value);

std::string inline_table(const json::Value& value) {
  std::string out = "{";
  for (const auto& member : value.GetObject()) {
    out += out.size() == 1 ? " " : ", ";
    out += toml_string(json::text(member.name)) + " = " + inline_value(member.value);
  }
  return out + (out.size() == 1 ? "}" : " }");
}

std::string inline_list(const json::Value& value) {
  std::string out = "[";
  for (const auto& member : value.GetArray()) {
    if (out.size() > 1) out += ", ";
    out += inline_value(member);
  }
  return out + "]";
}

// Settings came from TOML, so there is no null among them.
std::string inline_value(const json::Value& value) {
  if (value.IsObject()) return inline_table(value);
  if (value.IsArray()) return inline_list(value);
  if (value.IsString()) return toml_string(json::text(value));
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  return real(value.GetDouble());
}

const std::string& text_of(const std::string& value) {
  return value;
}
const std::string& text_of(const std::filesystem::path& value) {
  return value.native();
}
std::string text_of(const sandbox::FsGrant& value) {
  return (value.write ? "rw:" : "ro:") + value.path;
}

// Adds a key's value as TOML, or nothing if it is not set.
struct Value {
  const Key& key;
  std::string& out;

  void operator()(const bool* value) const { out += *value ? "true" : "false"; }
  void operator()(const std::uint32_t* value) const { out += std::to_string(*value); }
  void operator()(const std::uint64_t* value) const { out += std::to_string(*value); }
  void operator()(const Seconds* value) const { out += seconds(*value); }
  void operator()(const std::string* value) const { add_string(*value, out); }
  void operator()(const std::filesystem::path* value) const { add_string(value->native(), out); }
  template <class T>
  void operator()(const std::optional<T>* value) const {
    if (*value) (*this)(&**value);
  }
  template <class T>
  void operator()(const std::vector<T>* values) const {
    out += '[';
    for (const T& value : *values) {
      if (&value != values->data()) out += ", ";
      add_string(text_of(value), out);
    }
    out += ']';
  }
  void operator()(const EnumSlot& slot) const {
    const std::size_t index = slot.get(slot.target);
    if (index != EnumSlot::kUnset) add_string(key.words[index], out);
  }
  void operator()(const JsonSlot& slot) const {
    if (slot.target->empty()) return;
    const auto parsed = json::parse(*slot.target);
    if (parsed) out += inline_value(parsed->root());
  }
};

}  // namespace

std::string toml_value(const Key& key) {
  std::string out;
  std::visit(Value{key, out}, key.slot);
  return out;
}

namespace {

void show_keys(const std::string& header, const std::vector<Key>& keys, std::string& out) {
  if (!out.empty()) out += '\n';
  out.append(header).append(1, '\n');
  for (const Key& key : keys) {
    const std::size_t line = out.size();
    out.append(key.name).append(" = ");
    const std::size_t value = out.size();
    std::visit(Value{key, out}, key.slot);
    if (out.size() == value) {
      out.resize(line);
    } else {
      out += '\n';
    }
  }
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a key of [[upstream]] belongs to.
struct Belongs {
  explicit Belongs(std::string_view key)
      : to_api(is_one_of(key, {"openapi", "origins", "credentials"})),
        to_mcp(no_effect_with_openapi(key)),
        to_login(key.starts_with("client_") || key == "scopes"),
        to_url(to_login || is_one_of(key, {"url", "headers", "transport", "auth"})),
        to_command(is_one_of(key, {"command", "args", "env", "cwd"})) {}

  bool to_api;
  bool to_mcp;
  bool to_login;
  bool to_url;
  bool to_command;
};

// Returns true for a key that a file may not have without a value, if the upstream has no value.
bool is_left_out_if_empty(std::string_view key, const Upstream& upstream) {
  if (key == "url") return upstream.url.empty();
  if (key == "origins") return upstream.origins.empty();
  if (key == "client_id") return upstream.client_id.empty();
  return key == "client_metadata_url" && upstream.client_metadata_url.empty();
}

// A section has the keys of a command or those of a URL. The others may not be written.
bool is_in_use(const Key& key, const Upstream& upstream) {
  const Belongs belongs(key.name);
  const bool is_api = !upstream.openapi.empty();
  const bool by_url = !upstream.url.empty() || is_api;
  if (is_api ? belongs.to_mcp : belongs.to_api) return false;
  if (belongs.to_login && upstream.auth == UpstreamAuth::None) return false;
  if (by_url ? belongs.to_command : belongs.to_url) return false;
  return !(belongs.to_url || belongs.to_api) || !is_left_out_if_empty(key.name, upstream);
}

std::vector<Key> keys_in_use(Upstream& upstream) {
  std::vector<Key> in_use;
  for (const Key& key : upstream_keys(upstream)) {
    if (is_in_use(key, upstream)) in_use.push_back(key);
  }
  return in_use;
}

}  // namespace

std::string section_of(const Upstream& upstream) {
  Upstream copy = upstream;  // the table of keys points into what can be written
  Upstream defaults;
  const std::vector<Key> keys = upstream_keys(copy);
  const std::vector<Key> plain = upstream_keys(defaults);
  std::string out = "[[upstream]]\n";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string value = toml_value(keys[i]);
    if (value != toml_value(plain[i])) out += std::string(keys[i].name) + " = " + value + "\n";
  }
  if (copy.sandbox) show_keys("[upstream.sandbox]", upstream_sandbox_keys(*copy.sandbox), out);
  return out + "\n";
}

std::string show(const Config& config) {
  // The table of keys points into what can be written. Nothing is written here.
  auto& shown = const_cast<Config&>(config);
  std::string out;
  for (const Section& section : sections(shown))
    show_keys("[" + std::string(section.name) + "]", section.keys, out);
  for (auto& [name, plugin] : shown.plugins.by_name) {
    const std::string header = "plugin." + toml_string(name);
    show_keys("[" + header + "]", plugin_keys(plugin), out);
    for (auto& [tool, values] : plugin.tools) {
      show_keys("[" + header + ".tool." + toml_string(tool) + "]", tool_keys(values), out);
    }
  }
  for (Group& group : shown.groups) show_keys("[[group]]", group_keys(group), out);
  for (Interceptor& interceptor : shown.interceptors)
    show_keys("[[interceptor]]", interceptor_keys(interceptor), out);
  for (Upstream& upstream : shown.upstream) {
    show_keys("[[upstream]]", keys_in_use(upstream), out);
    if (upstream.sandbox)
      show_keys("[upstream.sandbox]", upstream_sandbox_keys(*upstream.sandbox), out);
  }
  for (SkillRepository& one : shown.skill_repositories)
    show_keys("[[skill_repository]]", skill_repository_keys(one), out);
  for (Webhook& webhook : shown.webhook) show_keys("[[webhook]]", webhook_keys(webhook), out);
  for (Rule& rule : shown.permission.rules) show_keys("[[rule]]", rule_keys(rule), out);
  for (auto& [name, agent] : shown.agents) {
    const std::string header = "agent." + toml_string(name);
    show_keys("[" + header + "]", agent_keys(agent), out);
    for (Rule& rule : agent.rules) show_keys("[[" + header + ".rule]]", rule_keys(rule), out);
  }
  return out;
}

}  // namespace host::config
