// The table of keys. The table has each key of config.toml once, with its struct field, type, range
// and form. The reader, show(), environment variables and the test of the shipped file use it.
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

// An enum's value, as the index of its word in Key::words, or kUnset if it has no value.
struct EnumSlot {
  static constexpr std::size_t kUnset = static_cast<std::size_t>(-1);

  void* target;
  std::size_t (*get)(const void*);
  void (*set)(void*, std::size_t);
};

// A TOML table that is stored as JSON text.
struct JsonSlot {
  std::string* target;
};

// The field that receives a key's value. Which alternative of the variant is set decides the type
// of the key.
using Slot = std::variant<bool*, std::optional<bool>*, std::uint32_t*, std::uint64_t*, Seconds*,
                          std::optional<Seconds>*, std::string*, std::optional<std::string>*,
                          std::vector<std::string>*, std::optional<std::vector<std::string>>*,
                          std::filesystem::path*, std::vector<std::filesystem::path>*,
                          std::vector<sandbox::FsGrant>*, EnumSlot, JsonSlot>;

// The range of a number, in the unit of the file.
struct Range {
  double low = 0;
  double high = 0;
  std::string_view unit;  // "bytes"; may be empty
};

// Checks a text. Returns nullptr if the text has the right form, otherwise the expected form as
// words.
using Form = const char* (*)(std::string_view text);

struct Key {
  std::string_view name;
  Slot slot;
  Range range{};                              // for numbers
  std::span<const std::string_view> words{};  // for texts: the allowed words
  Form form = nullptr;  // for other texts, and for each member of a list of texts
  bool required = false;
  bool repeats = false;  // lists of texts: a text may occur twice
  bool live = false;     // a reload of the file applies it; every other key needs a restart
};

// The value as TOML; empty: it has none.
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
std::vector<Key> webhook_keys(Webhook& webhook);              // [[webhook]]
std::vector<Key> skill_repository_keys(SkillRepository& it);  // [[skill_repository]]

// Checks of names that are not values of keys in the table, such as NAME in [plugin.NAME].
const char* tool_name_form(std::string_view text);
const char* plugin_name_form(std::string_view text);
const char* agent_name_form(std::string_view text);
const char* variable_form(std::string_view text);

}  // namespace host::config
