// The table of all keys has each key of config.toml once, with its struct field, type, range and
// form. The reader, show(), the code for environment variables, and the test of the shipped file
// use the table of all keys.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

namespace host::config {

// The value of an enum, as an index in the key's list of words.
struct EnumSlot {
  static constexpr std::size_t kUnset = static_cast<std::size_t>(-1);

  void* target;
  std::size_t (*get)(const void*);
  void (*set)(void*, std::size_t);
};

// A TOML table that the configuration stores as JSON text.
struct JsonSlot {
  std::string* target;
};

// A Slot is the field to which the reader writes the value of a key. The type of the value in a
// Slot determines the type of the key.
using Slot = std::variant<bool*, std::optional<bool>*, std::uint32_t*, std::uint64_t*, Seconds*,
                          std::optional<Seconds>*, std::string*, std::optional<std::string>*,
                          std::vector<std::string>*, std::optional<std::vector<std::string>>*,
                          std::filesystem::path*, std::vector<std::filesystem::path>*,
                          std::vector<sandbox::FsGrant>*, EnumSlot, JsonSlot>;

// The allowed range of a number, in the unit that config.toml uses.
struct Range {
  double low = 0;
  double high = 0;
  std::string_view unit;  // "bytes"; may be empty
};

// Checks the form of a text. Returns nullptr if the text has the right form, otherwise the expected
// form as words.
using Form = const char* (*)(std::string_view text);

struct Key {
  std::string_view name;
  Slot slot;
  Range range{};                              // for numbers
  std::span<const std::string_view> words{};  // the allowed words, if the value is a text
  Form form = nullptr;  // checks other texts, and each member of a list of texts
  bool required = false;
  bool repeats = false;  // true: a list of texts may have the same text twice
  bool live = false;     // true: a reload applies the key; false: it needs a restart
};

// Returns the value of a key as TOML. The returned text is empty if the key has no value.
std::string toml_value(const Key& key);

struct Section {
  std::string_view name;
  std::vector<Key> keys;
};

// Returns the sections that occur only once, in the order of the shipped file.
std::vector<Section> sections(Config& config);

std::vector<Key> plugin_keys(Plugin& plugin);                 // [plugin.NAME]
std::vector<Key> tool_keys(ToolOverride& tool_override);      // [plugin.NAME.tool.TOOL]
std::vector<Key> rule_keys(Rule& rule);                       // [[rule]]
std::vector<Key> group_keys(Group& group);                    // [[group]]
std::vector<Key> interceptor_keys(Interceptor& interceptor);  // [[interceptor]]
std::vector<Key> agent_keys(Agent& agent);                    // [agent.NAME]
std::vector<Key> upstream_keys(Upstream& upstream);           // [[upstream]]
std::vector<Key> upstream_sandbox_keys(UpstreamSandbox& it);  // [upstream.sandbox]
std::vector<Key> webhook_keys(Webhook& webhook);              // [[webhook]]
std::vector<Key> skill_repository_keys(SkillRepository& it);  // [[skill_repository]]

}  // namespace host::config
