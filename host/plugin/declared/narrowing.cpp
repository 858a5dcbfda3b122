#include "plugin/declared/narrowing.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/nearest.h"
#include "json/json.h"
#include "outbound/origin.h"
#include "tool/definition/extension.h"

namespace host::plugin {
namespace {

using config::Plugin;
using config::SideFile;
using config::ToolOverride;
using config::Trust;

constexpr const char* kRemedy =
    "remove the key, or, if you trust the folder, add it to plugins.trusted_dirs";

Error widening(const SideFile& side, std::string_view key, std::string why) {
  return side.fault(key, "C023", std::move(why) + ": a side file can only restrict", kRemedy);
}

// Lower is less; 0 is no limit.
bool is_within(std::uint32_t wanted, std::uint32_t given) {
  return given == 0 || (wanted != 0 && wanted <= given);
}

template <class T>
bool is_part(const std::vector<T>& wanted, const std::vector<T>& given) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const T& one) {
    return std::find(given.begin(), given.end(), one) != given.end();
  });
}

// Only the paths of the configuration itself: a path below one of them may be a link to anywhere by
// the time that a worker starts, and the plugin itself may have made it.
bool is_granted(const sandbox::FsGrant& wanted, const std::vector<sandbox::FsGrant>& given) {
  return std::any_of(given.begin(), given.end(), [&](const sandbox::FsGrant& one) {
    return one.path == wanted.path && (one.write || !wanted.write);
  });
}

bool all_granted(const Plugin& given, const Plugin& wanted) {
  return std::all_of(wanted.fs.begin(), wanted.fs.end(),
                     [&](const auto& grant) { return is_granted(grant, given.fs); });
}

bool reaches_no_more(const Plugin& given, const Plugin& wanted) {
  const outbound::AllowList allowed(given.net);
  return std::all_of(wanted.net.begin(), wanted.net.end(), [&](const std::string& origin) {
    if (std::find(given.net.begin(), given.net.end(), origin) != given.net.end()) return true;
    const auto one = outbound::origin_of(origin);  // a pattern is none
    return one && allowed.allows(*one);
  });
}

// The order of Trust is from most to least.
Trust trust_of(const Plugin& plugin) {
  return config::trust_of(plugin, {});
}

// A key of [plugin.NAME]: whether the side file's value allows no more than the configuration's,
// and how it is taken over.
struct Row {
  std::string_view key;
  bool (*narrows)(const Plugin& given, const Plugin& wanted);  // null: the host cannot know
  void (*take)(Plugin& into, const Plugin& wanted);
  const char* widens;  // what it would do otherwise
};

template <auto Member>
void take(Plugin& into, const Plugin& wanted) {
  into.*Member = wanted.*Member;
}
// Applied to each tool, see narrow(). Here only checked.
void leave_to_tools(Plugin&, const Plugin&) {}

template <auto Member>
bool lower(const Plugin& given, const Plugin& wanted) {
  return is_within(wanted.*Member, given.*Member);
}
template <auto Member>
bool only_off(const Plugin& given, const Plugin& wanted) {
  return given.*Member || !(wanted.*Member);
}
template <auto Member>
bool part(const Plugin& given, const Plugin& wanted) {
  return is_part(wanted.*Member, given.*Member);
}

constexpr const char* kHigher = "would raise the limit of the configuration";
constexpr const char* kNotGranted = "has entries that the configuration does not grant";
constexpr const char* kOn = "would grant what the configuration does not grant";
constexpr const char* kUnknown = "may allow more, which the host cannot judge";

const std::array<Row, 24> kRows{{
    {"enabled", only_off<&Plugin::enabled>, take<&Plugin::enabled>,
     "would enable a plugin that the configuration disables"},
    {"isolation",
     [](const Plugin& given, const Plugin& wanted) {
       return wanted.isolation == config::Isolation::Worker || given.isolation == wanted.isolation;
     },
     take<&Plugin::isolation>, "would load the plugin into the host's process"},
    {"settings", nullptr, take<&Plugin::settings>, kUnknown},
    {"auto_approve",
     [](const Plugin& given, const Plugin& wanted) {
       return wanted.auto_approve == false || given.auto_approve == true;
     },
     leave_to_tools, "would skip approvals that the configuration asks for"},
    {"trust",
     [](const Plugin& given, const Plugin& wanted) { return *wanted.trust >= trust_of(given); },
     leave_to_tools, "would trust the plugin more than the configuration does"},
    {"trust_read_only",
     [](const Plugin& given, const Plugin& wanted) {
       return wanted.trust_read_only == false || trust_of(given) == Trust::Full;
     },
     leave_to_tools, "would trust the plugin more than the configuration does"},
    {"group", nullptr, take<&Plugin::group>, kUnknown},
    {"timeout_s",
     [](const Plugin& given, const Plugin& wanted) {
       return !given.timeout || *wanted.timeout <= *given.timeout;
     },
     leave_to_tools, "is longer than the timeout of the configuration"},
    {"max_inflight", lower<&Plugin::max_inflight>, take<&Plugin::max_inflight>, kHigher},
    {"workers", lower<&Plugin::workers>, take<&Plugin::workers>, kHigher},
    {"split_read_only",
     [](const Plugin& given, const Plugin& wanted) {
       return wanted.split_read_only == true || given.split_read_only == false;
     },
     take<&Plugin::split_read_only>, "may give read-only calls a worker that can write"},
    {"idle_stop_s", nullptr, take<&Plugin::idle_stop>, kUnknown},
    {"state", nullptr, take<&Plugin::state>, kUnknown},
    {"fs", all_granted, take<&Plugin::fs>,
     "has paths that the configuration does not grant in the same words; "
     "\"ro:\" instead of \"rw:\" is possible"},
    {"sockets", only_off<&Plugin::sockets>, take<&Plugin::sockets>, kOn},
    {"exec", only_off<&Plugin::exec>, take<&Plugin::exec>, kOn},
    {"env", part<&Plugin::env>, take<&Plugin::env>, kNotGranted},
    {"memory_mib", lower<&Plugin::memory_mib>, take<&Plugin::memory_mib>, kHigher},
    {"file_mib", lower<&Plugin::file_mib>, take<&Plugin::file_mib>, kHigher},
    {"cpu_s", lower<&Plugin::cpu_s>, take<&Plugin::cpu_s>, kHigher},
    {"uid", nullptr, take<&Plugin::uid>, kUnknown},
    {"net", reaches_no_more, take<&Plugin::net>, kNotGranted},
    {"secrets", part<&Plugin::secrets>, take<&Plugin::secrets>, kNotGranted},
    {"history", only_off<&Plugin::history>, take<&Plugin::history>, kOn},
}};

// A key that the table does not have is one that the host cannot judge.
const Row* row_of(std::string_view key) {
  const auto at =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.key == key; });
  return at == kRows.end() ? nullptr : &*at;
}

Result<void> take_restrictions(Plugin& settings, const SideFile& side) {
  const Plugin given = settings;
  for (const std::string& key : side.plugin_keys()) {
    const Row* const row = row_of(key);
    const bool narrows = row && row->narrows && row->narrows(given, side.plugin);
    if (!narrows) {
      return widening(side, key, key + " " + (row ? row->widens : kUnknown));
    }
    row->take(settings, side.plugin);
  }
  return {};
}

void override_tool(ToolOverride& into, const ToolOverride& from) {
  const auto take = [](auto& to, const auto& value) {
    if (value) to = value;
  };
  take(into.enabled, from.enabled);
  take(into.timeout, from.timeout);
  take(into.read_only, from.read_only);
  take(into.concurrency_safe, from.concurrency_safe);
  take(into.idempotent, from.idempotent);
  take(into.destructive, from.destructive);
  take(into.open_world, from.open_world);
  take(into.auto_approve, from.auto_approve);
  take(into.trust, from.trust);
  if (!from.presets.empty()) into.presets = from.presets;
  if (!from.extend.empty()) into.extend = from.extend;
  if (!from.dangerous_paths.empty()) into.dangerous_paths = from.dangerous_paths;
}

// As if its keys stood in the configuration, in place of those that stand there.
void override_with(Plugin& settings, const SideFile& side) {
  for (const std::string& key : side.plugin_keys()) {
    if (const Row* const row = row_of(key)) row->take(settings, side.plugin);
  }
  if (side.has("auto_approve")) settings.auto_approve = side.plugin.auto_approve;
  if (side.has("timeout_s")) settings.timeout = side.plugin.timeout;
  if (side.has("trust") || side.has("trust_read_only")) {
    settings.trust = side.plugin.trust;
    settings.trust_read_only = side.plugin.trust_read_only;
  }
  for (const auto& [tool, values] : side.plugin.tools) override_tool(settings.tools[tool], values);
}

// ---- One tool ----

class OneTool {
 public:
  OneTool(tool::Declaration& tool, const Terms& terms)
      : tool_(tool), terms_(terms), side_(*terms.for_tools), section_("tool." + tool.name + ".") {
    const auto own = side_.plugin.tools.find(tool.name);
    if (own != side_.plugin.tools.end()) own_ = &own->second;
    given_ = timeout();
  }

  Result<void> apply(bool& enabled) {
    of_plugin();
    if (!own_) return {};
    if (own_->enabled == true && !enabled)
      return refuse("enabled", "would offer a tool that the configuration disables");
    if (own_->enabled == false) enabled = false;
    HOST_TRY(take_trust());
    HOST_TRY(take_timeout());
    HOST_TRY(take_presets());
    HOST_TRY(take_extension());
    if (own_->read_only) disbelieve_reading(tool_);
    if (own_->concurrency_safe) tool_.concurrency_safe = false;
    if (own_->idempotent) tool_.idempotent = false;
    HOST_TRY(take_destructive());
    if (own_->open_world) tool_.open_world = true;
    tool_.dangerous_paths.insert(tool_.dangerous_paths.end(), own_->dangerous_paths.begin(),
                                 own_->dangerous_paths.end());
    return {};
  }

 private:
  std::string here() const { return " in [tool." + tool_.name + "] "; }
  Error refuse(const std::string& key, const std::string& why) const {
    return widening(side_, section_ + key, key + here() + why);
  }
  Error clash(const std::string& key, const std::string& why) const {
    return side_.fault(section_ + key, "C020", key + here() + why, "correct the side file");
  }

  // The keys of the whole plugin: they were checked against the configuration's.
  void of_plugin() {
    const Plugin& plugin = side_.plugin;
    if (plugin.auto_approve == false) tool_.auto_approve = false;
    if (side_.has("trust") || side_.has("trust_read_only")) distrust(trust_of(plugin));
    if (plugin.timeout) tool_.timeout = std::min(*plugin.timeout, timeout());
  }

  void distrust(Trust trust) {
    tool_.trust = std::max(tool_.trust, trust);
    if (tool_.trust == Trust::None) disbelieve_reading(tool_);
  }

  Result<void> take_trust() {
    if (own_->trust) {
      if (*own_->trust < tool_.trust)
        return refuse("trust", "would trust the tool more than the configuration does");
      distrust(*own_->trust);
    }
    if (own_->auto_approve == true && tool_.auto_approve != true)
      return refuse("auto_approve", "would skip approvals that the configuration asks for");
    if (own_->auto_approve == false) tool_.auto_approve = false;
    return {};
  }

  std::chrono::milliseconds timeout() const {
    return tool_.timeout.count() > 0 ? tool_.timeout : terms_.call_timeout;
  }

  Result<void> take_timeout() {
    if (!own_->timeout) return {};
    if (*own_->timeout > given_) {
      return refuse("timeout_s", "is longer than the tool's timeout without it, which is " +
                                     std::to_string(given_.count()) + " ms");
    }
    tool_.timeout = std::min<std::chrono::milliseconds>(*own_->timeout, timeout());
    return {};
  }

  // The first preset of an argument that [plugin.NAME.tool.TOOL] adds to the tool.
  std::optional<std::string> added_by_configuration() const {
    const auto configured = terms_.settings.tools.find(tool_.name);
    if (configured == terms_.settings.tools.end() || configured->second.extend.empty())
      return std::nullopt;
    const auto presets = json::parse(own_->presets);
    const auto extend = json::parse(configured->second.extend);
    const json::Value* const properties =
        extend ? json::find(extend->root(), "properties") : nullptr;
    if (!presets || !properties) return std::nullopt;
    for (const auto& preset : presets->root().GetObject()) {
      const std::string_view name = json::text(preset.name);
      if (json::find(*properties, name)) return std::string(name);
    }
    return std::nullopt;
  }

  // What is fixed stays fixed.
  Result<void> take_presets() {
    if (own_->presets.empty()) return {};
    if (const auto added = added_by_configuration()) {
      return refuse("presets", "would fix \"" + *added +
                                   "\", an argument that the configuration demands of the model");
    }
    auto merged = tool::added_presets(tool_.presets, own_->presets);
    if (!merged) return refuse("presets", "would change a preset: " + merged.error().message);
    tool_.presets = *std::move(merged);
    return {};
  }

  Result<void> take_destructive() {
    if (!own_->destructive) return {};
    if (tool_.read_only)
      return clash("destructive",
                   "contradicts the tool, which says that it only reads: add "
                   "read_only = false");
    tool_.destructive = true;
    return {};
  }

  Result<void> take_extension() {
    if (own_->extend.empty()) return {};
    const auto extended = tool::extend(tool_, own_->extend);
    return extended ? extended : clash("extend", extended.error().message);
  }

  tool::Declaration& tool_;
  const Terms& terms_;
  const SideFile& side_;
  const std::string section_;
  std::chrono::milliseconds given_{0};  // the timeout without the side file
  const ToolOverride* own_ = nullptr;   // null: the side file has no section for the tool
};

}  // namespace

void disbelieve_reading(tool::Declaration& tool) {
  tool.may_only_read = false;
  tool.read_only = false;
  tool.has_check_read_only = false;
}

bool can_restrict(std::string_view plugin_key) {
  const Row* const row = row_of(plugin_key);
  return row && row->narrows;
}

Result<Terms> terms_of(const Plugin& configured, const SideFilePtr& side, SideFileMay may,
                       std::chrono::milliseconds call_timeout) {
  Terms terms(configured);
  terms.call_timeout = call_timeout;
  if (!side) return terms;
  if (may == SideFileMay::Override) {
    override_with(terms.settings, *side);
    terms.in_settings = side;
  } else {
    HOST_TRY(take_restrictions(terms.settings, *side));
    terms.for_tools = side;
  }
  if (const char* const key = config::key_of_workers(terms.settings); key && side->has(key)) {
    return side->fault(
        key, "C018", std::string(key) + ": an inline plugin has no workers, it is part of the host",
        "remove the key");
  }
  return terms;
}

Result<void> narrow(tool::Declaration& tool, bool& enabled, const Terms& terms) {
  if (!terms.for_tools) return {};
  return OneTool(tool, terms).apply(enabled);
}

Result<void> check_tool_names(const SideFile& side, const Manifest& manifest) {
  std::vector<std::string_view> names;
  for (const tool::Declaration& tool : manifest.tools) names.push_back(tool.name);
  for (const auto& [tool, values] : side.plugin.tools) {
    if (std::find(names.begin(), names.end(), tool) != names.end()) continue;
    return side.fault("tool." + tool, "C019",
                      "[tool." + tool +
                          "]: the plugin has no such tool, so the section would "
                          "have no effect",
                      suggest(tool, names));
  }
  return {};
}

}  // namespace host::plugin
