#include "json/schema/example.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace host::json::schema {
namespace {

constexpr int kMostDepth = 16;
constexpr std::uint64_t kMostItems = 64;
constexpr std::uint64_t kMostCharacters = 4096;

class Maker {
 public:
  explicit Maker(const Value& root) : root_(root) {}

  Value make(const Value& schema, int depth = 0) {
    if (!schema.IsObject() || depth > kMostDepth) return Value(rapidjson::kObjectType);
    if (const Value* given = given_by(schema)) return copy(*given, allocator());
    if (const Value* target = target_of(schema)) return make(*target, depth + 1);
    for (const char* keyword : {"oneOf", "anyOf"}) {
      const Value* choices = find(schema, keyword);
      if (choices && choices->IsArray() && !choices->Empty()) {
        Value chosen = make((*choices)[0], depth + 1);
        return schema.HasMember("properties") ? merged(std::move(chosen), object(schema, depth))
                                              : std::move(chosen);
      }
    }
    Value value = of_type(schema, type_of_schema(schema), depth);
    if (const Value* parts = find(schema, "allOf"); parts && parts->IsArray()) {
      for (const Value& part : parts->GetArray())
        value = merged(std::move(value), make(part, depth + 1));
    }
    return value;
  }

 private:
  Allocator& allocator() { return document_.allocator(); }

  static const Value* given_by(const Value& schema) {
    const Value* examples = find(schema, "examples");
    if (examples && examples->IsArray() && !examples->Empty()) return &(*examples)[0];
    if (const Value* value = find(schema, "const")) return value;
    if (const Value* value = find(schema, "default")) return value;
    const Value* values = find(schema, "enum");
    return values && values->IsArray() && !values->Empty() ? &(*values)[0] : nullptr;
  }

  // Of a reference within the same text.
  const Value* target_of(const Value& schema) const {
    const std::string_view reference = find_text(schema, "$ref");
    return reference.starts_with('#') ? at(root_, reference.substr(1)) : nullptr;
  }

  static std::string_view type_of_schema(const Value& schema) {
    const Value* type = find(schema, "type");
    if (type && type->IsString()) return text(*type);
    if (type && type->IsArray() && !type->Empty()) return text((*type)[0]);
    return schema.HasMember("items") ? "array" : schema.HasMember("pattern") ? "string" : "object";
  }

  Value of_type(const Value& schema, std::string_view type, int depth) {
    if (type == "object") return object(schema, depth);
    if (type == "array") return array(schema, depth);
    if (type == "string") return text_value(schema);
    if (type == "integer") return number(schema, true);
    if (type == "number") return number(schema, false);
    if (type == "boolean") return Value(false);
    return Value();
  }

  // What is required, and what brings an example of its own.
  Value object(const Value& schema, int depth) {
    Value made(rapidjson::kObjectType);
    const Value* properties = find(schema, "properties");
    if (const Value* required = find(schema, "required"); required && required->IsArray()) {
      for (const Value& name : required->GetArray()) {
        const Value* property = properties ? find(*properties, text(name)) : nullptr;
        set(made, text(name), property ? make(*property, depth + 1) : Value("example"),
            allocator());
      }
    }
    if (!properties || !properties->IsObject()) return made;
    for (const auto& member : properties->GetObject()) {
      const bool has_example = find(member.value, "examples") != nullptr;
      if (has_example && !find(made, text(member.name)))
        set(made, text(member.name), make(member.value, depth + 1), allocator());
    }
    return made;
  }

  Value array(const Value& schema, int depth) {
    Value made(rapidjson::kArrayType);
    const Value* items = find(schema, "items");
    const std::uint64_t count = std::min(whole(schema, "minItems"), kMostItems);
    for (std::uint64_t i = 0; i < count; ++i) {
      made.PushBack(items ? make(*items, depth + 1) : Value(static_cast<unsigned>(i)), allocator());
    }
    return made;
  }

  Value text_value(const Value& schema) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kFormats = {{
        {"date", "2024-01-15"},
        {"date-time", "2024-01-15T12:00:00Z"},
        {"time", "12:00:00Z"},
        {"email", "somebody@example.org"},
        {"hostname", "example.org"},
        {"uri", "https://example.org/"},
        {"uuid", "00000000-0000-4000-8000-000000000000"},
        {"ipv4", "192.0.2.1"},
        {"ipv6", "2001:db8::1"},
    }};
    std::string made = "example";
    const std::string_view format = find_text(schema, "format");
    for (const auto& [name, value] : kFormats) {
      if (name == format) made = value;
    }
    const std::uint64_t least = std::min(whole(schema, "minLength"), kMostCharacters);
    if (made.size() < least) made.resize(least, 'x');
    if (schema.HasMember("maxLength")) {
      const std::uint64_t most = whole(schema, "maxLength");
      if (made.size() > most) made.resize(most);
    }
    return string(made, allocator());
  }

  static Value number(const Value& schema, bool is_whole) {
    double low = 0;
    const double step = real(schema, "multipleOf").value_or(is_whole ? 1.0 : 0.0);
    const auto least = real(schema, "minimum");
    const auto above = real(schema, "exclusiveMinimum");
    const auto most = real(schema, "maximum");
    const auto below = real(schema, "exclusiveMaximum");
    if (least) low = std::max(low, *least);
    if (above && *above >= low) low = step > 0 ? *above + step : next_above(*above, below, most);
    if (most && low > *most) low = *most;
    if (below && low >= *below) low = step > 0 ? *below - step : *below - 1;
    if (step > 0) low = std::ceil(low / step) * step;
    const bool fits = is_whole && std::abs(low) < 9e15;
    return fits ? Value(static_cast<std::int64_t>(low)) : Value(low);
  }

  static double next_above(double above, std::optional<double> below, std::optional<double> most) {
    if (below) return (above + *below) / 2;
    return most ? *most : above + 1;
  }

  Value merged(Value into, Value from) {
    if (!into.IsObject() || !from.IsObject()) return into;
    for (auto& member : from.GetObject())
      set(into, text(member.name), std::move(member.value), allocator());
    return into;
  }

  static std::uint64_t whole(const Value& schema, std::string_view key) {
    const Value* value = find(schema, key);
    return value && value->IsUint64() ? value->GetUint64() : 0;
  }
  static std::optional<double> real(const Value& schema, std::string_view key) {
    const Value* value = find(schema, key);
    return value && value->IsNumber() ? std::optional(value->GetDouble()) : std::nullopt;
  }

  const Value& root_;
  Document document_;
};

}  // namespace

std::optional<std::string> example_of(const Value& schema, const Schema& compiled) {
  Maker maker(schema);
  const Value made = maker.make(schema);
  if (!compiled.accepts(made)) return std::nullopt;
  return write(made);
}

}  // namespace host::json::schema
