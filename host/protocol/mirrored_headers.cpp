#include "protocol/mirrored_headers.h"

#include <algorithm>
#include <cmath>

#include "base/encoding.h"

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

// The header that a property is mirrored in; empty: none.
std::string_view header_of(const json::Value& property) {
  const std::string_view type = json::find_text(property, "type");
  const std::string_view name = json::find_text(property, "x-mcp-header");
  const bool fits = is_token(name) && (type == "string" || type == "integer" || type == "boolean");
  return fits ? name : std::string_view();
}

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
  if (tool.declared().input_schema.find("x-mcp-header") == std::string::npos) return std::nullopt;
  return check_properties(tool.input_tree(), arguments, header);
}

std::vector<std::pair<std::string, std::string>> param_headers(const tool::Tool& tool,
                                                               std::string_view arguments) {
  std::vector<std::pair<std::string, std::string>> out;
  if (tool.declared().input_schema.find("x-mcp-header") == std::string::npos) return out;
  const auto tree = json::parse(arguments);
  if (tree) gather_headers(tool.input_tree(), tree->root(), out);
  return out;
}

}  // namespace host::protocol
