// A TOML text as a tree with positions, so that only toml.cpp knows the TOML library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

struct Position {
  std::uint32_t line = 0;  // from 1; 0: nowhere in a file
  std::uint32_t column = 0;
};

struct Member;

struct Node {
  // Dates and times are kept as text: no key takes one, and settings hand them on as strings.
  enum class Kind { Boolean, Integer, Float, Text, Date, Array, Table };

  Kind kind = Kind::Table;
  Position at;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Node> array;
  std::vector<Member> table;  // in the order of their keys

  const Node* find(std::string_view key) const;
};

struct Member {
  std::string key;
  Position at;  // of the key
  Node value;
};

// "a text", "a table": for messages.
std::string_view describe(Node::Kind kind);

// A fault as a position and a sentence; who knows the file makes a Diagnostic of it.
struct TomlError {
  Position at;
  std::string message;
};

// Nothing where `text` is not TOML 1.0; then `error` says why.
std::optional<Node> parse_toml(std::string_view text, TomlError& error);
// One value as it stands right of `=`.
std::optional<Node> parse_toml_value(std::string_view text);

// JSON text of a table or value. Nothing, and `error`, for what JSON cannot say.
std::optional<std::string> to_json(const Node& node, TomlError& error);

}  // namespace host::config
