#include "protocol/mirrored_headers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text/encoding.h"
#include "base/text/letters.h"
#include "json/own_text.h"

namespace host::protocol {
namespace {

constexpr std::string_view kPrefix = "=?base64?";
constexpr std::string_view kSuffix = "?=";
constexpr double kMaxInteger = 9007199254740991.0;  // 2^53 - 1

bool is_plain(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](unsigned char c) { return c == '\t' || (c >= 0x20 && c <= 0x7e); });
}

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// A JSON number's text, or nothing: "42", "42.0", "-7".
std::optional<double> number_of(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto tree = json::parse(text);
  if (!tree || !tree->root().IsNumber()) return std::nullopt;
  return tree->root().GetDouble();
}

bool agrees(const std::string& header, const json::Value& value) {
  if (value.IsString()) return header == json::text(value);
  if (value.IsBool()) return header == (value.GetBool() ? "true" : "false");
  if (!value.IsNumber()) return false;
  const auto sent = number_of(header);
  return sent && std::abs(*sent) <= kMaxInteger && *sent == value.GetDouble();
}

std::optional<std::string> one_param_fault(std::string_view name, const json::Value* value,
                                           const HeaderLookup& header) {
  const std::string field = "Mcp-Param-" + std::string(name);
  const std::string_view sent = header(field);
  if (!value || value->IsNull()) {
    if (!sent.data()) return std::nullopt;
    return field + " is sent, but the body has no such argument";
  }
  if (!sent.data()) return field + " is missing";
  const auto decoded = decode_header(sent);
  if (!decoded) return field + " is not validly encoded";
  if (!agrees(*decoded, *value)) return field + " differs from the body";
  return std::nullopt;
}

constexpr std::string_view kAnnotation = "x-mcp-header";

bool can_be_mirrored(const json::Value& property) {
  const std::string_view type = json::find_text(property, "type");
  return type == "string" || type == "integer" || type == "boolean";
}

// The header that a property is mirrored in; empty: none.
std::string_view header_of(const json::Value& property) {
  const std::string_view name = json::find_text(property, kAnnotation);
  return is_token(name) && can_be_mirrored(property) ? name : std::string_view();
}

// Looks for annotations in all places of a schema that are schemas. Values, like those of `default`
// and `const`, are none.
class Annotations {
 public:
  std::optional<std::string> fault_in(const json::Value& schema) {
    look_at(schema, "", Place::Elsewhere);
    for (const auto& property : properties_of(schema))
      look_at_property(*property.schema, property.at);
    return std::move(fault_);
  }

 private:
  enum class Place { Property, Elsewhere };
  struct Named {
    const json::Value* schema;
    std::string at;
  };

  static std::vector<Named> properties_of(const json::Value& schema, const std::string& at = {}) {
    std::vector<Named> out;
    const json::Value* const all = json::find(schema, "properties");
    if (!all || !all->IsObject()) return out;
    for (const auto& property : all->GetObject()) {
      out.push_back(
          {&property.value, at + "/properties/" + std::string(json::text(property.name))});
    }
    return out;
  }

  // A property of the root, or of a property of the root, and so on.
  void look_at_property(const json::Value& schema, const std::string& at) {
    if (!schema.IsObject()) return;
    look_at(schema, at, Place::Property);
    for (const auto& inner : properties_of(schema, at)) look_at_property(*inner.schema, inner.at);
  }

  // One schema, and those in it that no chain of properties leads to.
  void look_at(const json::Value& schema, const std::string& at, Place place) {
    if (fault_ || !schema.IsObject()) return;
    if (const json::Value* const name = json::find(schema, kAnnotation))
      judge(*name, schema, at, place);
    for (const auto& member : schema.GetObject()) {
      const std::string_view key = json::text(member.name);
      const std::string below = at + "/" + std::string(key);
      if (is_one_of(key, {"patternProperties", "$defs", "definitions", "dependentSchemas"})) {
        if (member.value.IsObject()) look_at_members(member.value, below);
      } else if (is_one_of(key,
                           {"allOf", "anyOf", "oneOf", "prefixItems", "items", "not", "if", "then",
                            "else", "contains", "additionalItems", "propertyNames",
                            "additionalProperties", "unevaluatedItems", "unevaluatedProperties"})) {
        look_below(member.value, below);
      } else if (key == "properties" && place == Place::Elsewhere && !at.empty()) {
        if (member.value.IsObject()) look_at_members(member.value, below);
      }
    }
  }

  void look_at_members(const json::Value& schemas, const std::string& at) {
    for (const auto& member : schemas.GetObject())
      look_at(member.value, at + "/" + std::string(json::text(member.name)), Place::Elsewhere);
  }

  void look_below(const json::Value& value, const std::string& at) {
    if (value.IsObject()) return look_at(value, at, Place::Elsewhere);
    if (!value.IsArray()) return;
    std::size_t i = 0;
    for (const json::Value& one : value.GetArray())
      look_at(one, at + "/" + std::to_string(i++), Place::Elsewhere);
  }

  void judge(const json::Value& name, const json::Value& schema, const std::string& at,
             Place place) {
    const auto say = [&](const char* why) {
      fault_ = at + "/" + std::string(kAnnotation) + " " + why;
    };
    if (place == Place::Elsewhere)
      return say("is not on a property that a chain of `properties` leads to");
    if (!name.IsString() || !is_token(json::text(name))) return say("is not the name of a header");
    if (!can_be_mirrored(schema)) return say("is on a type other than string, integer and boolean");
    if (!names_.insert(lower(json::text(name))).second) return say("names a header a second time");
  }

  static bool is_one_of(std::string_view key, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  }

  std::set<std::string> names_;  // in lower case
  std::optional<std::string> fault_;
};

void gather_headers(const json::Value& schema, const json::Value& arguments,
                    std::vector<std::pair<std::string, std::string>>& out) {
  const json::Value* const properties = json::find(schema, "properties");
  if (!properties || !properties->IsObject() || !arguments.IsObject()) return;
  for (const auto& property : properties->GetObject()) {
    const json::Value* const value = json::find(arguments, json::text(property.name));
    if (!value || value->IsNull() || !property.value.IsObject()) continue;
    const std::string_view name = header_of(property.value);
    if (!name.empty()) {
      const std::string text =
          value->IsString() ? std::string(json::text(*value)) : json::write(*value);
      out.emplace_back(name, encode_header(text));
    }
    gather_headers(property.value, *value, out);
  }
}

// Only chains of `properties` are followed, as the annotation may stand nowhere else.
std::optional<std::string> check_properties(const json::Value& schema, const json::Value* arguments,
                                            const HeaderLookup& header) {
  const json::Value* const properties = json::find(schema, "properties");
  if (!properties || !properties->IsObject()) return std::nullopt;
  for (const auto& property : properties->GetObject()) {
    const json::Value* const value = arguments && arguments->IsObject()
                                         ? json::find(*arguments, json::text(property.name))
                                         : nullptr;
    const std::string_view name = header_of(property.value);
    if (!name.empty()) {
      if (auto fault = one_param_fault(name, value, header)) return fault;
    }
    if (property.value.IsObject()) {
      if (auto fault = check_properties(property.value, value, header)) return fault;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> decode_header(std::string_view value) {
  const bool encoded = value.size() >= kPrefix.size() + kSuffix.size() &&
                       value.starts_with(kPrefix) && value.ends_with(kSuffix);
  if (!encoded) return is_plain(value) ? std::optional<std::string>(value) : std::nullopt;
  value.remove_prefix(kPrefix.size());
  value.remove_suffix(kSuffix.size());
  auto text = from_base64(value);
  if (!text || !is_utf8(*text)) return std::nullopt;
  return text;
}

std::string encode_header(std::string_view value) {
  const bool is_padded = !value.empty() && (value.front() == ' ' || value.front() == '\t' ||
                                            value.back() == ' ' || value.back() == '\t');
  const bool looks_encoded = value.starts_with(kPrefix) && value.ends_with(kSuffix);
  if (is_plain(value) && !is_padded && !looks_encoded) return std::string(value);
  std::string out(kPrefix);
  base64(value, out);
  return out.append(kSuffix);
}

std::optional<std::string> method_header_fault(std::string_view header, std::string_view method) {
  if (!header.data()) return "Mcp-Method is missing";
  if (header != method) return "Mcp-Method differs from the body's method";
  return std::nullopt;
}

std::optional<std::string> name_header_fault(std::string_view header, std::string_view name) {
  if (!header.data()) return "Mcp-Name is missing";
  const auto decoded = decode_header(header);
  if (!decoded) return "Mcp-Name is not validly encoded";
  if (*decoded != name) return "Mcp-Name differs from the body";
  return std::nullopt;
}

std::optional<std::string> param_headers_fault(const tool::Tool& tool, const json::Value* arguments,
                                               const HeaderLookup& header) {
  // Most tools annotate nothing, and a search of the text is cheaper than a walk.
  if (tool.declared().input_schema.find(kAnnotation) == std::string::npos) return std::nullopt;
  return check_properties(tool.input_tree(), arguments, header);
}

std::optional<std::string> annotation_fault(const json::Value& input_schema) {
  return Annotations().fault_in(input_schema);
}

std::vector<std::pair<std::string, std::string>> param_headers(const tool::Tool& tool,
                                                               std::string_view arguments) {
  std::vector<std::pair<std::string, std::string>> out;
  if (tool.declared().input_schema.find(kAnnotation) == std::string::npos) return out;
  const auto tree = json::parse_own(arguments);
  if (tree) gather_headers(tool.input_tree(), tree->root(), out);
  return out;
}

}  // namespace host::protocol
