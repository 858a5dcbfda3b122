#include <toml++/toml.h>

#include <cmath>
#include <sstream>

#include "config/document/node.h"
#include "json/json.h"

namespace host::config {
namespace {

Position position(const toml::source_region& region) {
  return {static_cast<std::uint32_t>(region.begin.line),
          static_cast<std::uint32_t>(region.begin.column)};
}

template <class T>
std::string as_text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

Node convert(const toml::node& from);

void convert_table(const toml::table& from, Node& to) {
  to.kind = Node::Kind::Table;
  for (const auto& [key, value] : from) {
    to.table.push_back({std::string(key.str()), position(key.source()), convert(value)});
  }
}

void convert_array(const toml::array& from, Node& to) {
  to.kind = Node::Kind::Array;
  for (const auto& value : from) to.array.push_back(convert(value));
}

void convert_date(const toml::node& from, Node& to) {
  to.kind = Node::Kind::Date;
  if (const auto* date = from.as_date()) to.text = as_text(date->get());
  if (const auto* time = from.as_time()) to.text = as_text(time->get());
  if (const auto* both = from.as_date_time()) to.text = as_text(both->get());
}

// Recursion is bounded: the library refuses a text that nests deeper than 256.
Node convert(const toml::node& from) {
  Node to;
  to.at = position(from.source());
  if (const auto* table = from.as_table()) {
    convert_table(*table, to);
  } else if (const auto* array = from.as_array()) {
    convert_array(*array, to);
  } else if (const auto* boolean = from.as_boolean()) {
    to.kind = Node::Kind::Boolean;
    to.boolean = boolean->get();
  } else if (const auto* integer = from.as_integer()) {
    to.kind = Node::Kind::Integer;
    to.integer = integer->get();
  } else if (const auto* real = from.as_floating_point()) {
    to.kind = Node::Kind::Float;
    to.real = real->get();
  } else if (const auto* text = from.as_string()) {
    to.kind = Node::Kind::Text;
    to.text = text->get();
  } else {
    convert_date(from, to);
  }
  return to;
}

void write_json(const Node& node, std::string& out);

bool fits_json(const Node& node, TomlError& error) {
  if (node.kind == Node::Kind::Float && !std::isfinite(node.real)) {
    error = {node.at, "JSON has no infinity and no NaN"};
    return false;
  }
  for (const Node& value : node.array) {
    if (!fits_json(value, error)) return false;
  }
  for (const Member& member : node.table) {
    if (!fits_json(member.value, error)) return false;
  }
  return true;
}

void write_members(const Node& node, std::string& out) {
  out += '{';
  for (const Member& member : node.table) {
    if (out.back() != '{') out += ',';
    json::write_string(member.key, out);
    out += ':';
    write_json(member.value, out);
  }
  out += '}';
}

void write_items(const Node& node, std::string& out) {
  out += '[';
  for (const Node& value : node.array) {
    if (&value != node.array.data()) out += ',';
    write_json(value, out);
  }
  out += ']';
}

void write_json(const Node& node, std::string& out) {
  switch (node.kind) {
    case Node::Kind::Boolean:
      out += node.boolean ? "true" : "false";
      return;
    case Node::Kind::Integer:
      out += std::to_string(node.integer);
      return;
    case Node::Kind::Float:
      out += json::write(json::Value(node.real));
      return;
    case Node::Kind::Text:
    case Node::Kind::Date:
      json::write_string(node.text, out);
      return;
    case Node::Kind::Array:
      write_items(node, out);
      return;
    case Node::Kind::Table:
      write_members(node, out);
      return;
  }
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Member& member : table) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string_view describe(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::Boolean:
      return "true or false";
    case Node::Kind::Integer:
      return "a whole number";
    case Node::Kind::Float:
      return "a number with a fraction";
    case Node::Kind::Text:
      return "a text";
    case Node::Kind::Date:
      return "a date or time";
    case Node::Kind::Array:
      return "a list";
    case Node::Kind::Table:
      return "a table";
  }
  return "";
}

std::optional<Node> parse_toml(std::string_view text, TomlError& error) {
  try {
    return convert(toml::parse(text));
  } catch (const toml::parse_error& fault) {
    error = {position(fault.source()), std::string(fault.description())};
  }
  return std::nullopt;
}

std::optional<Node> parse_toml_value(std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return std::nullopt;
  TomlError error;
  auto parsed = parse_toml("value = " + std::string(text), error);
  if (!parsed || parsed->table.size() != 1) return std::nullopt;
  Node value = std::move(parsed->table.front().value);
  value.at = {};
  return value;
}

std::optional<std::string> to_json(const Node& node, TomlError& error) {
  if (!fits_json(node, error)) return std::nullopt;
  std::string out;
  write_json(node, out);
  return out;
}

}  // namespace host::config
