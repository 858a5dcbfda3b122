// A Schema is a JSON Schema, of draft 2020-12 by default, or of draft-07 if `$schema` says so. A
// schema is compiled once. Validation with a compiled schema allocates no memory if the instance is
// valid.
//
// Schemas are untrusted, so time, depth and memory are limited when a schema is compiled and used.
// A `$ref` cannot lead outside the schema, except to the built-in meta-schemas. The keyword
// `pattern` has match limits.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace host::json::schema {

// A violation is one broken rule. describe() returns a sentence that a model can act on:
// `/rows/0/amount: expected number, got string "12"`.
struct Violation {
  std::string instance;  // JSON pointer to the wrong value; empty for the root
  std::string schema;    // JSON pointer to the keyword in the schema
  std::string keyword;
  std::string message;

  std::string describe() const;
};

struct Options {
  bool assert_formats = false;  // false: the keyword `format` checks nothing, as in the standard
  // `resolve` finds documents outside of the schema by their absolute URI. `resolve` returns
  // nullptr if it finds no document. The host leaves `resolve` unset, so that schemas can refer
  // only to themselves and the meta-schemas. The returned values must outlive the Schema.
  std::function<const Value*(std::string_view uri)> resolve = nullptr;
  // `clock` is the clock that compile() uses for its time limit. The host leaves `clock` unset,
  // which means the CPU time of the current thread. After compile() has returned, `clock` is not
  // called any more.
  std::function<std::chrono::nanoseconds()> clock = nullptr;
};

// A Schema is immutable after it was compiled, so any thread can use it.
class Schema {
 public:
  // compile() refuses schemas that are not valid, and schemas that need more than 50 ms, 10,000
  // subschemas or 64 levels.
  static Result<Schema> compile(const Value& schema, const Options& options = {});
  static Result<Schema> compile(std::string_view schema_text, const Options& options = {});

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Returns true if `instance` is valid. If `instance` is not valid, the function appends the first
  // violations to `violations`, at most `kMaxViolations`. If the validation exceeds its step
  // budget, that is a violation too.
  bool validate(const Value& instance, std::vector<Violation>& violations) const;
  // Returns the same result as validate(), but collects no violations.
  bool accepts(const Value& instance) const;

  struct Program;

 private:
  explicit Schema(std::unique_ptr<const Program> program);
  std::unique_ptr<const Program> program_;
};

inline constexpr std::size_t kMaxViolations = 8;

// Returns all violations as text, one per line, for a tool's result.
std::string describe(const std::vector<Violation>& violations);

}  // namespace host::json::schema
