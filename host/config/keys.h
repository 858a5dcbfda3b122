// The table of keys: each key of config.toml stands once, with its place in the structs, type,
// range and form. Reading, showing, environment variables and the test of the shipped file all walk
// it.
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

// An enum's value as the index of its word among Key::words; as kUnset where it has none.
struct EnumSlot {
  static constexpr std::size_t kUnset = static_cast<std::size_t>(-1);

  void* target;
  std::size_t (*get)(const void*);
  void (*set)(void*, std::size_t);
};

// A table that is kept as JSON text.
struct JsonSlot {
  std::string* target;
};

// Where a key's value goes; the alternative is its type.
using Slot = std::variant<bool*, std::optional<bool>*, std::uint32_t*, std::uint64_t*, Seconds*,
                          std::optional<Seconds>*, std::string*, std::optional<std::string>*,
                          std::vector<std::string>*, std::optional<std::vector<std::string>>*,
                          std::filesystem::path*, std::vector<std::filesystem::path>*,
                          std::vector<sandbox::FsGrant>*, EnumSlot, JsonSlot>;

// In the unit that the file uses.
struct Range {
  double low = 0;
  double high = 0;
  std::string_view unit;  // "bytes"; may be empty
};

// What a text has to look like; nullptr where it does, else the form in words.
using Form = const char* (*)(std::string_view text);

struct Key {
  std::string_view name;
  Slot slot;
  Range range{};                              // numbers
  std::span<const std::string_view> words{};  // texts that are one of few
  Form form = nullptr;                        // other texts, and each member of a list of them
  bool required = false;
};

struct Section {
  std::string_view name;
  std::vector<Key> keys;
};

// The sections that stand once, in the order of the shipped file.
std::vector<Section> sections(Config& config);

std::vector<Key> plugin_keys(Plugin& plugin);             // [plugin.NAME]
std::vector<Key> tool_keys(ToolOverride& tool_override);  // [plugin.NAME.tool.TOOL]
std::vector<Key> rule_keys(Rule& rule);                   // [[rule]]
std::vector<Key> group_keys(Group& group);                // [[group]]
std::vector<Key> agent_keys(Agent& agent);                // [agent.NAME]

// Forms that names outside the table have to have.
const char* tool_name_form(std::string_view text);
const char* plugin_name_form(std::string_view text);
const char* agent_name_form(std::string_view text);

}  // namespace host::config
