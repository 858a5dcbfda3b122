// The dialect of a schema is its draft and its vocabularies.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "json/json.h"
#include "json/schema/schema.h"

namespace host::json::schema {

enum class Draft : std::uint8_t { Draft7, Draft2020 };

enum class Vocabulary : std::uint8_t {
  Core = 1,
  Applicator = 2,
  Unevaluated = 4,
  Validation = 8,
  FormatAssertion = 16,
};

struct Dialect {
  Draft draft = Draft::Draft2020;
  std::uint8_t vocabularies = 0;

  bool has(Vocabulary vocabulary) const {
    return (vocabularies & static_cast<std::uint8_t>(vocabulary)) != 0;
  }
};

Dialect default_dialect(Draft draft, const Options& options);
// Returns the dialect for `$schema`: one of the two drafts, or a meta-schema that `options.resolve`
// knows and that lists its vocabularies. For an unknown `$schema` the function returns an error,
// because the host does not know its rules.
Result<Dialect> dialect_of(std::string_view schema_uri, const Options& options);

}  // namespace host::json::schema
