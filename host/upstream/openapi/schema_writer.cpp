#include "upstream/openapi/schema_writer.h"

#include <algorithm>
#include <utility>

#include "json/excerpt.h"
#include "tool/definition/declared_text.h"

namespace host::upstream::openapi {
namespace {

constexpr int kMostNesting = 48;
constexpr std::size_t kMostExampleBytes = 512;
constexpr std::size_t kMostKeywords = 1000;  // of one schema, extensions included

// They say nothing about a value, or mean nothing outside of the document.
constexpr std::string_view kLeftOut[] = {"$comment", "$defs",         "$schema",  "definitions",
                                         "$ref",     "discriminator", "nullable", "externalDocs",
                                         "readOnly", "writeOnly",     "xml"};
// Their meaning depends on the place of a schema, which changes.
constexpr std::string_view kRefused[] = {
    "$id",           "$anchor",          "$dynamicRef", "$dynamicAnchor",
    "$recursiveRef", "$recursiveAnchor", "$vocabulary"};
constexpr std::string_view kOneSchema[] = {"additionalProperties",
                                           "contains",
                                           "contentSchema",
                                           "else",
                                           "if",
                                           "items",
                                           "not",
                                           "propertyNames",
                                           "then",
                                           "unevaluatedItems",
                                           "unevaluatedProperties"};
constexpr std::string_view kSchemaList[] = {"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::string_view kSchemaMap[] = {"dependentSchemas", "patternProperties", "properties"};
// Of a response: shown as they are if they are text.
constexpr std::string_view kAnswerTexts[] = {"description", "format", "title"};
constexpr std::string_view kTypes[] = {"array",  "boolean", "integer", "null",
                                       "number", "object",  "string"};
constexpr std::string_view kBounds[] = {"exclusiveMaximum", "exclusiveMinimum", "maximum",
                                        "minimum"};
constexpr std::string_view kAnnotations[] = {
    "$comment",     "$ref",     "default", "deprecated", "description", "example", "examples",
    "externalDocs", "readOnly", "summary", "title",      "writeOnly",   "xml"};

template <std::size_t N>
bool is_in(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

Error cannot(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

bool is_true(const json::Value& object, std::string_view key) {
  const json::Value* const found = json::find(object, key);
  return found && found->IsBool() && found->GetBool();
}

bool has_null(const json::Value& list) {
  return std::any_of(list.Begin(), list.End(), [](const json::Value& one) { return one.IsNull(); });
}

// Also constrains a value. Extensions (x-...) do not.
bool has_siblings(const json::Value& value) {
  return std::any_of(value.MemberBegin(), value.MemberEnd(), [](const auto& member) {
    const std::string_view key = json::text(member.name);
    return !is_in(kAnnotations, key) && !key.starts_with("x-");
  });
}

// Counts the bytes that the value has at least as JSON, until none of `left` is left.
bool fits_in(const json::Value& value, std::size_t& left) {
  const auto take = [&left](std::size_t bytes) {
    const bool fits = bytes <= left;
    left -= fits ? bytes : left;
    return fits;
  };
  if (value.IsString()) return take(json::text(value).size() + 2);
  if (value.IsArray()) {
    return take(2) && std::all_of(value.Begin(), value.End(),
                                  [&](const json::Value& one) { return fits_in(one, left); });
  }
  if (!value.IsObject()) return take(1);
  return take(2) && std::all_of(value.MemberBegin(), value.MemberEnd(), [&](const auto& member) {
           return take(json::text(member.name).size() + 3) && fits_in(member.value, left);
         });
}

// An open object or array, as long as something is added to it.
class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

}  // namespace

Result<std::string> SchemaWriter::write(const json::Value& schema_value,
                                        std::string_view description) {
  out_.clear();
  open_.clear();
  HOST_TRY(schema(schema_value, description));
  written_ += out_.size();
  return std::move(out_);
}

Result<void> SchemaWriter::check_size() const {
  if (written_ + out_.size() <= most_bytes_) return {};
  return cannot("its schemas have more than " + std::to_string(most_bytes_) +
                " bytes once their references are written out");
}

// Before a value is copied, which may have megabytes.
Result<void> SchemaWriter::check_fits(const json::Value& value) const {
  HOST_TRY(check_size());
  std::size_t left = most_bytes_ - written_ - out_.size();
  if (fits_in(value, left)) return {};
  return cannot("its schemas have more than " + std::to_string(most_bytes_) + " bytes");
}

Result<void> SchemaWriter::check_fits(std::string_view text) const {
  HOST_TRY(check_size());
  if (text.size() <= most_bytes_ - written_ - out_.size()) return {};
  return cannot("its schemas have more than " + std::to_string(most_bytes_) + " bytes");
}

void SchemaWriter::name(std::string_view key) {
  if (out_.back() != '{') out_ += ',';
  json::write_string(key, out_);
  out_ += ':';
}

void SchemaWriter::copied(std::string_view key, const json::Value& value) {
  name(key);
  json::write(value, out_);
}

Result<void> SchemaWriter::schema(const json::Value& value, std::string_view description) {
  const Nesting nesting(depth_);
  if (depth_ > kMostNesting) {
    return cannot("a schema of it is nested more than " + std::to_string(kMostNesting) + " times");
  }
  HOST_TRY(document_.check_time());
  HOST_TRY(check_fits(description));
  if (value.IsBool()) {
    if (!value.GetBool() && purpose_ == Purpose::Arguments) {
      out_ += "false";
      return {};
    }
    out_ += '{';
    if (!description.empty()) {
      name("description");
      json::write_string(description, out_);
    }
    out_ += '}';
    return {};
  }
  if (!value.IsObject()) return cannot("a schema of it is no object");
  return json::find(value, "$ref") ? reference(value, description) : object(value, description);
}

// 3.0 ignores what stands beside a reference. In 3.1 both apply.
Result<void> SchemaWriter::reference(const json::Value& value, std::string_view description) {
  const std::string name_of_it(json::find_text(value, "$ref"));
  if (std::find(open_.begin(), open_.end(), name_of_it) != open_.end()) {
    if (purpose_ == Purpose::Answer) {
      out_ += "{}";
      return {};
    }
    return cannot("its schema " + tool::quoted_name(json::excerpt(name_of_it, 128)) +
                  " contains itself");
  }
  HOST_TRY_ASSIGN(const json::Value* const target, document_.find(name_of_it));
  if (description.empty() && !document_.is_3_0())
    description = json::find_text(value, "description");
  const bool has_both = !document_.is_3_0() && has_siblings(value);
  if (has_both) out_ += "{\"allOf\":[";
  open_.push_back(name_of_it);
  HOST_TRY(schema(*target, description));
  open_.pop_back();
  if (!has_both) return {};
  out_ += ',';
  HOST_TRY(object(value, {}));
  out_ += "]}";
  return {};
}

Result<void> SchemaWriter::object(const json::Value& value, std::string_view description) {
  const bool nullable = document_.is_3_0() && is_true(value, "nullable");
  const bool is_composed = json::find(value, "allOf") || json::find(value, "anyOf") ||
                           json::find(value, "oneOf") || json::find(value, "not");
  // Of a response, each part may be null by itself.
  const bool wraps =
      purpose_ == Purpose::Arguments && nullable && is_composed && !json::find(value, "type");
  if (wraps) out_ += "{\"anyOf\":[";
  out_ += '{';
  if (!description.empty()) {
    name("description");
    json::write_string(description, out_);
  }
  std::size_t looked_at = 0;
  for (const auto& member : value.GetObject()) {
    if (++looked_at > kMostKeywords) return cannot("a schema of it has too many keywords");
    const std::string_view key = json::text(member.name);
    if (key == "description" && !description.empty()) continue;
    HOST_TRY(purpose_ == Purpose::Arguments ? keyword(key, member.value, value, nullable)
                                            : answer_keyword(key, member.value, value));
    HOST_TRY(check_size());
  }
  out_ += '}';
  if (wraps) out_ += ",{\"type\":\"null\"}]}";
  return {};
}

Result<void> SchemaWriter::keyword(std::string_view key, const json::Value& value,
                                   const json::Value& whole, bool nullable) {
  if (is_in(kRefused, key))
    return cannot("a schema of it has \"" + std::string(key) + "\", which the host does not read");
  if (is_in(kLeftOut, key) || key.starts_with("x-")) return {};
  const bool is_walked =
      is_in(kOneSchema, key) || is_in(kSchemaList, key) || is_in(kSchemaMap, key);
  if (!is_walked && key != "example") HOST_TRY(check_fits(value));
  if (is_in(kOneSchema, key)) {
    name(key);
    return schema(value, {});
  }
  if (is_in(kSchemaList, key)) return list(key, value);
  if (is_in(kSchemaMap, key)) return map(key, value, key == "properties");
  if (key == "required") return required(value, whole);
  if (document_.is_3_0() && is_in(kBounds, key) && bound(key, value, whole)) return {};
  if (key == "type") {
    type(value, nullable);
  } else if (key == "enum") {
    enumeration(value, nullable);
  } else if (key != "example") {
    copied(key, value);
  } else if (std::size_t left = kMostExampleBytes;
             fits_in(value, left) && !json::find(whole, "examples")) {
    name("examples");
    out_ += "[" + json::write(value) + "]";
  }
  return {};
}

Result<void> SchemaWriter::answer_keyword(std::string_view key, const json::Value& value,
                                          const json::Value& whole) {
  if (key == "properties") return map(key, value, true);
  if (key == "items" || (key == "additionalProperties" && value.IsObject())) {
    name(key);
    return schema(value, {});
  }
  if (key == "allOf" || key == "anyOf" || key == "prefixItems") return list(key, value);
  if (key == "oneOf") return json::find(whole, "anyOf") ? Result<void>() : list("anyOf", value);
  const bool is_text = is_in(kAnswerTexts, key) && value.IsString();
  const bool is_example = key == "enum" || key == "const" || key == "example";
  if (key != "type" && !is_text && !is_example) return {};
  HOST_TRY(check_fits(value));
  if (key == "type") {
    answer_type(value);
  } else if (is_text) {
    copied(key, value);
  } else {
    answer_examples(key, value, whole);
  }
  return {};
}

// A word that is no type says nothing.
void SchemaWriter::answer_type(const json::Value& value) {
  std::vector<std::string_view> types;
  const auto add = [&types](const json::Value& one) {
    const std::string_view type = one.IsString() ? json::text(one) : std::string_view();
    if (is_in(kTypes, type) && std::find(types.begin(), types.end(), type) == types.end())
      types.push_back(type);
    return is_in(kTypes, type);
  };
  const bool is_known = value.IsArray() ? std::all_of(value.Begin(), value.End(), add) : add(value);
  if (!is_known || types.empty()) return;
  if (std::find(types.begin(), types.end(), "null") == types.end()) types.emplace_back("null");
  name("type");
  out_ += '[';
  for (const std::string_view type : types) {
    if (out_.back() != '[') out_ += ',';
    json::write_string(type, out_);
  }
  out_ += ']';
}

// Of `enum`, or else of `const`, or else of `example`.
void SchemaWriter::answer_examples(std::string_view key, const json::Value& value,
                                   const json::Value& whole) {
  const bool is_replaced = (key != "enum" && json::find(whole, "enum")) ||
                           (key == "example" && json::find(whole, "const"));
  std::size_t left = kMostExampleBytes;
  if (is_replaced || !fits_in(value, left) || (key == "enum" && !value.IsArray())) return;
  name("examples");
  out_ += key == "enum" ? json::write(value) : "[" + json::write(value) + "]";
}

Result<void> SchemaWriter::list(std::string_view key, const json::Value& value) {
  if (!value.IsArray()) return cannot("\"" + std::string(key) + "\" of a schema is no array");
  name(key);
  out_ += '[';
  for (const json::Value& one : value.GetArray()) {
    if (out_.back() != '[') out_ += ',';
    HOST_TRY(schema(one, {}));
  }
  out_ += ']';
  return {};
}

Result<void> SchemaWriter::map(std::string_view key, const json::Value& value, bool leaves_out) {
  if (!value.IsObject()) return cannot("\"" + std::string(key) + "\" of a schema is no object");
  name(key);
  out_ += '{';
  for (const auto& member : value.GetObject()) {
    HOST_TRY(document_.check_time());
    if (leaves_out && is_left_out(member.value)) continue;
    name(json::text(member.name));
    HOST_TRY(schema(member.value, {}));
  }
  out_ += '}';
  return {};
}

// `required` of a property that is only in responses is about responses.
Result<void> SchemaWriter::required(const json::Value& names, const json::Value& whole) {
  if (!names.IsArray()) return {};  // "required": true, as some documents have it in a property
  const json::Value* const properties = json::find(whole, "properties");
  std::string kept = "[";
  for (const json::Value& one : names.GetArray()) {
    HOST_TRY(document_.check_time());
    const json::Value* const property =
        properties && properties->IsObject() ? json::find(*properties, json::text(one)) : nullptr;
    if (property && is_left_out(*property)) continue;
    if (kept.size() > 1) kept += ',';
    json::write(one, kept);
  }
  name("required");
  out_ += kept + "]";
  return {};
}

bool SchemaWriter::is_left_out(const json::Value& property) {
  const char* const key = purpose_ == Purpose::Arguments ? "readOnly" : "writeOnly";
  if (!property.IsObject()) return false;
  if (is_true(property, key)) return true;
  const auto target = document_.resolve(property);
  return target && (*target)->IsObject() && is_true(**target, key);
}

void SchemaWriter::type(const json::Value& value, bool nullable) {
  if (!nullable || !value.IsString()) return copied("type", value);
  name("type");
  out_ += '[';
  json::write(value, out_);
  out_ += ",\"null\"]";
}

void SchemaWriter::enumeration(const json::Value& value, bool nullable) {
  if (!nullable || !value.IsArray() || has_null(value)) return copied("enum", value);
  name("enum");
  json::write(value, out_);
  out_.back() = value.Empty() ? '[' : ',';
  out_ += "null]";
}

// True: the keyword needs no copy of its own.
bool SchemaWriter::bound(std::string_view key, const json::Value& value, const json::Value& whole) {
  if (key.starts_with("exclusive")) {
    if (!value.IsBool()) return false;
    const json::Value* const limit =
        json::find(whole, key == "exclusiveMinimum" ? "minimum" : "maximum");
    if (value.GetBool() && limit) copied(key, *limit);
    return true;
  }
  return is_true(whole, key == "minimum" ? "exclusiveMinimum" : "exclusiveMaximum");
}

}  // namespace host::upstream::openapi
