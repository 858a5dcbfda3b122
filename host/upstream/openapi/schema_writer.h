// Writes schemas of an OpenAPI document as JSON Schema 2020-12 for a tool's arguments. Each
// reference is replaced by what it names, so that a model sees one whole schema. Schemas of OpenAPI
// 3.0 are translated: `nullable`, `exclusiveMinimum` and `exclusiveMaximum` as booleans, `example`.
// Properties that are only in responses (`readOnly`) are left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "upstream/openapi/api_document.h"

namespace host::upstream::openapi {

class SchemaWriter {
 public:
  // `most_bytes`: the limit for all schemas of this writer together. `document` must outlive it.
  SchemaWriter(ApiDocument& document, std::size_t most_bytes)
      : document_(document), most_bytes_(most_bytes) {}

  // Returns the schema as JSON. `description` replaces that of the schema; empty: nothing is
  // replaced. Refuses (InvalidArgument) a schema that contains itself, refers to another document,
  // has a keyword whose meaning depends on its place ($id, $anchor, $dynamicRef), is nested too
  // deeply or too long.
  Result<std::string> write(const json::Value& schema, std::string_view description);

 private:
  Result<void> schema(const json::Value& value, std::string_view description);
  Result<void> reference(const json::Value& value, std::string_view description);
  Result<void> object(const json::Value& value, std::string_view description);
  Result<void> keyword(std::string_view key, const json::Value& value, const json::Value& whole,
                       bool nullable);
  Result<void> map(std::string_view key, const json::Value& value, bool leaves_out);
  Result<void> list(std::string_view key, const json::Value& value);
  Result<void> required(const json::Value& names, const json::Value& whole);
  void type(const json::Value& value, bool nullable);
  void enumeration(const json::Value& value, bool nullable);
  bool bound(std::string_view key, const json::Value& value, const json::Value& whole);
  bool is_read_only(const json::Value& property);
  void name(std::string_view key);
  void copied(std::string_view key, const json::Value& value);
  Result<void> check_size() const;
  Result<void> check_fits(const json::Value& value) const;
  Result<void> check_fits(std::string_view text) const;

  ApiDocument& document_;
  const std::size_t most_bytes_;
  std::size_t written_ = 0;  // by earlier calls of write()
  std::string out_;
  std::vector<std::string> open_;  // references that are being written
  int depth_ = 0;
};

}  // namespace host::upstream::openapi
