// Writes schemas of an OpenAPI document as JSON Schema 2020-12 for a tool's arguments and output.
// The SchemaWriter replaces each reference by the schema that it refers to, so that a model sees
// one complete schema. In schemas of OpenAPI 3.0, the SchemaWriter translates `nullable`,
// `example`, and the booleans `exclusiveMinimum` and `exclusiveMaximum`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "upstream/openapi/api_document.h"

namespace host::upstream::openapi {

enum class Purpose : std::uint8_t {
  // The schema of arguments keeps every keyword, but no properties that are only in responses
  // (`readOnly`).
  Arguments,
  // APIs often break the schemas of their own responses, so an output schema contains only names
  // and types. In an output schema, each value may also be null, no property is required, and
  // additional properties are allowed. `oneOf` becomes `anyOf`, and values of `enum` and `const`
  // become examples. If an output schema contains itself, every value is valid in place of the
  // inner schema. An output schema has no properties that are only in requests (`writeOnly`).
  Answer,
};

class SchemaWriter {
 public:
  // `most_bytes` is the limit for all schemas of this SchemaWriter together. `document` must
  // outlive the writer.
  SchemaWriter(ApiDocument& document, std::size_t most_bytes, Purpose purpose = Purpose::Arguments)
      : document_(document), most_bytes_(most_bytes), purpose_(purpose) {}

  // Returns the schema as JSON. If `description` is not empty, it replaces the schema's own
  // description. The Error InvalidArgument means that the schema refers to a different document, is
  // nested too deeply, or is too long. For arguments, the Error InvalidArgument has two more
  // meanings: the schema contains itself, or has a keyword whose meaning depends on the schema's
  // position in the document ($id, $anchor, $dynamicRef).
  Result<std::string> write(const json::Value& schema, std::string_view description);

 private:
  Result<void> schema(const json::Value& value, std::string_view description);
  Result<void> reference(const json::Value& value, std::string_view description);
  Result<void> object(const json::Value& value, std::string_view description);
  Result<void> keyword(std::string_view key, const json::Value& value, const json::Value& whole,
                       bool nullable);
  Result<void> answer_keyword(std::string_view key, const json::Value& value,
                              const json::Value& whole);
  void answer_type(const json::Value& value);
  void answer_examples(std::string_view key, const json::Value& value, const json::Value& whole);
  Result<void> map(std::string_view key, const json::Value& value, bool leaves_out);
  Result<void> list(std::string_view key, const json::Value& value);
  Result<void> required(const json::Value& names, const json::Value& whole);
  void type(const json::Value& value, bool nullable);
  void enumeration(const json::Value& value, bool nullable);
  bool bound(std::string_view key, const json::Value& value, const json::Value& whole);
  bool is_left_out(const json::Value& property);
  void name(std::string_view key);
  void copied(std::string_view key, const json::Value& value);
  Result<void> check_size() const;
  Result<void> check_fits(const json::Value& value) const;
  Result<void> check_fits(std::string_view text) const;

  ApiDocument& document_;
  const std::size_t most_bytes_;
  const Purpose purpose_;
  std::size_t written_ = 0;  // bytes written by earlier calls of write()
  std::string out_;
  std::vector<std::string> open_;  // references whose schemas are being written
  int depth_ = 0;
};

}  // namespace host::upstream::openapi
