#include "config/reader/environment.h"

#include <strings.h>
#include <algorithm>

#include "base/text/letters.h"
#include "base/text/nearest.h"
#include "config/key/form.h"
#include "config/reader/reader.h"
#include "json/json.h"

namespace host::config {
namespace {

constexpr std::string_view kPrefix = "TOOLPOST_";

std::vector<std::string> split(std::string_view name) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = name.find("__");
    parts.push_back(lower(name.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    name.remove_prefix(end + 2);
  }
}

Node text_node(std::string_view text) {
  Node node;
  node.kind = Node::Kind::Text;
  node.text = text;
  return node;
}

// The value as the key's type reads it: texts as they are, a list also as its one member, the rest
// as TOML. What is no TOML stays text, and the reader says what it expected.
Node value_for(const Key& key, std::string_view text) {
  const bool plain = std::holds_alternative<std::string*>(key.slot) ||
                     std::holds_alternative<std::optional<std::string>*>(key.slot) ||
                     std::holds_alternative<std::filesystem::path*>(key.slot) ||
                     std::holds_alternative<EnumSlot>(key.slot);
  if (plain) return text_node(text);
  const bool list = std::holds_alternative<std::vector<std::string>*>(key.slot) ||
                    std::holds_alternative<std::optional<std::vector<std::string>>*>(key.slot) ||
                    std::holds_alternative<std::vector<std::filesystem::path>*>(key.slot) ||
                    std::holds_alternative<std::vector<sandbox::FsGrant>*>(key.slot);
  if (list && !text.starts_with('[')) {
    Node node;
    node.kind = Node::Kind::Array;
    if (!text.empty()) node.array.push_back(text_node(text));
    return node;
  }
  if (auto parsed = parse_toml_value(text)) return *std::move(parsed);
  return text_node(text);
}

class Variable {
 public:
  Variable(std::string_view name, std::string_view value, const PathBase& base, Config& config,
           std::vector<Diagnostic>& out)
      : value_(value),
        parts_(split(name.substr(kPrefix.size()))),
        config_(config),
        report_("environment variable " + std::string(name), {}, out),
        reader_(report_, base) {}

  void apply() {
    if (parts_[0] == "plugin") return apply_to_plugin();
    const std::vector<Section> known = sections(config_);
    const auto section = std::find_if(known.begin(), known.end(),
                                      [&](const Section& s) { return s.name == parts_[0]; });
    if (section == known.end()) {
      std::vector<std::string_view> names{"plugin"};
      for (const Section& candidate : known) names.push_back(candidate.name);
      return report_.error({}, "C014", "unknown section [" + parts_[0] + "]",
                           suggest(parts_[0], names));
    }
    if (parts_.size() != 2) return wrong_shape("TOOLPOST_SECTION__KEY");
    apply_to(section->keys, parts_[1], "[" + parts_[0] + "]");
  }

 private:
  void wrong_shape(const std::string& form) {
    report_.error({}, "C014", "names no key of the configuration", "the form is " + form);
  }

  void apply_to(const std::vector<Key>& keys, const std::string& name, const std::string& where) {
    std::vector<std::string_view> names;
    for (const Key& key : keys) {
      names.push_back(key.name);
      if (key.name == name) return reader_.read_key(value_for(key, value_), key, where);
    }
    report_.error({}, "C014", "unknown key \"" + name + "\" in " + where, suggest(name, names));
  }

  // A plugin's name keeps the letters that the file gives it; variables are upper case throughout.
  Plugin& plugin_named(const std::string& name) {
    for (auto& [known, plugin] : config_.plugins.by_name) {
      if (::strcasecmp(known.c_str(), name.c_str()) == 0) return plugin;
    }
    return config_.plugins.by_name[name];
  }

  void note_name() {
    NameUse use;
    use.what = Named::Plugin;
    use.where = "[plugin." + parts_[1] + "]";
    use.name = parts_[1];
    for (const auto& [known, plugin] : config_.plugins.by_name) {
      if (::strcasecmp(known.c_str(), use.name.c_str()) == 0) use.name = known;
    }
    use.forbids = parts_.size() == 3 && parts_[2] == "enabled" && value_ == "false";
    use.place = report_.place({});
    config_.names.all.push_back(use);
    if (parts_.size() != 3 || parts_[2] != "group" || value_.empty()) return;
    use.what = Named::Group;
    use.where = "group in " + use.where;
    use.name = value_;
    config_.names.all.push_back(std::move(use));
  }

  void apply_to_plugin() {
    if (parts_.size() < 3 || parts_.size() > 4 || (parts_.size() == 4 && parts_[2] != "settings") ||
        plugin_name_form(parts_[1]) != nullptr) {
      return wrong_shape("TOOLPOST_PLUGIN__NAME__KEY or TOOLPOST_PLUGIN__NAME__SETTINGS__KEY");
    }
    note_name();
    Plugin& plugin = plugin_named(parts_[1]);
    if (parts_.size() == 4) return apply_to_settings(plugin, parts_[3]);
    apply_to(plugin_keys(plugin), parts_[2], "[plugin." + parts_[1] + "]");
  }

  // Only the plugin knows its settings' types: a value stays of the kind that it has in the file,
  // and is otherwise what TOML would take it for, or text.
  void apply_to_settings(Plugin& plugin, const std::string& name) {
    auto settings = json::parse(plugin.settings);
    if (!settings) return;  // a bad file was reported
    const json::Value* before = json::find(settings->root(), name);
    Node node = text_node(value_);
    if (before == nullptr || !before->IsString()) {
      if (auto parsed = parse_toml_value(value_)) node = *std::move(parsed);
    }
    TomlError error;
    const auto text = to_json(node, error);
    if (!text) return report_.error({}, "C017", error.message);
    auto value = json::parse(*text);
    if (!value) return report_.error({}, "C017", value.error().message);
    json::set(settings->root(), name, json::copy(value->root(), settings->allocator()),
              settings->allocator());
    plugin.settings = json::write(settings->root());
  }

  std::string_view value_;
  std::vector<std::string> parts_;
  Config& config_;
  Report report_;
  Reader reader_;
};

}  // namespace

void override_from(const char* const* environment, const PathBase& base, Config& into,
                   std::vector<Diagnostic>& diagnostics) {
  for (const char* const* at = environment; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry(*at);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || !entry.starts_with(kPrefix)) continue;
    const std::string_view name = entry.substr(0, equals);
    if (name.substr(kPrefix.size()).find("__") == std::string_view::npos) continue;
    Variable(name, entry.substr(equals + 1), base, into, diagnostics).apply();
  }
}

}  // namespace host::config
