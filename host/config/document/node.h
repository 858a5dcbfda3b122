// A Node is a part of a TOML document as a tree. Each Node has its position in the document. Only
// toml.cpp uses the TOML library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

struct Position {
  std::uint32_t line = 0;  // counts from 1; 0: not in a file
  std::uint32_t column = 0;
};

struct Member;

struct Node {
  // For a date or time, the Node stores its text. No key of the host accepts a date. In the
  // settings of plugins, the host converts a date to a string.
  enum class Kind { Boolean, Integer, Float, Text, Date, Array, Table };

  Kind kind = Kind::Table;
  Position at;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Node> array;
  std::vector<Member> table;  // the members, ordered by key

  const Node* find(std::string_view key) const;
};

struct Member {
  std::string key;
  Position at;  // of the key
  Node value;
};

// Returns the name of a kind of Node for messages, such as "a text" or "a table".
std::string_view describe(Node::Kind kind);

// A fault that the parser has found in a TOML text. The caller of the parser knows the file and
// makes a Diagnostic from the fault.
struct TomlError {
  Position at;
  std::string message;
};

// Parses a document. Returns nullopt and sets `error` if `text` is not TOML 1.0.
std::optional<Node> parse_toml(std::string_view text, TomlError& error);
// Parses one value, which is the part to the right of `=`.
std::optional<Node> parse_toml_value(std::string_view text);

// Writes a table or value as JSON text. Returns nullopt and sets `error` if JSON cannot express the
// value.
std::optional<std::string> to_json(const Node& node, TomlError& error);

}  // namespace host::config
