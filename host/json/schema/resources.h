// Finds the positions of a schema's subschemas, and the meaning of their names (`$id`, `$anchor`)
// and references.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "json/schema/dialect.h"
#include "json/schema/program.h"
#include "json/schema/time_budget.h"

namespace host::json::schema {

// The compiler refuses a schema with more than kMaxSubschemas subschemas, or with subschemas deeper
// than kMaxSubschemaDepth.
inline constexpr std::size_t kMaxSubschemas = 10'000;
inline constexpr std::uint32_t kMaxSubschemaDepth = 64;

inline bool is_schema(const Value& value) {
  return value.IsObject() || value.IsBool();
}

struct Location {
  ResourceId resource = 0;
  // `pointer` is the JSON Pointer from the document's root to the subschema. If the subschema is in
  // another document than the schema, `pointer` begins with the URI of that document.
  std::string pointer;
};

// A resource: a schema with its own URI, together with those of its subschemas that have no URI.
struct Resource {
  std::string uri;
  const Value* root = nullptr;
  Dialect dialect;
  std::map<std::string, const Value*, std::less<>> anchors;
  std::map<std::string, const Value*, std::less<>> dynamic_anchors;
};

struct Target {
  const Value* schema = nullptr;
  std::string dynamic_anchor;  // name of the `$dynamicAnchor` to which the reference led
};

Error takes_too_long();  // makes the error for an exceeded TimeBudget

class Resources {
 public:
  Resources(const Options& options, TimeBudget& time) : options_(options), time_(time) {}

  // Finds the subschemas, names and dialects of the schema to compile.
  Result<void> add_root(const Value& root);

  // Returns the subschema to which the URI reference `reference` leads from the resource `from`.
  // resolve() adds documents when it needs them: meta-schemas, and documents that Options::resolve
  // finds.
  Result<Target> resolve(std::string_view reference, ResourceId from);

  const Location* location(const Value& schema) const;
  const Resource& resource(ResourceId id) const { return resources_[id]; }
  std::size_t resource_count() const { return resources_.size(); }
  // Returns all subschemas of the schema to compile, in the order of its text.
  const std::vector<const Value*>& subschemas() const { return subschemas_; }

 private:
  Result<void> add_document(const Value& root, const std::string& uri, const Dialect& fallback);
  Result<void> walk(const Value& schema, Location location, std::uint32_t depth);
  Result<void> walk_children(const Value& schema, const Location& location, std::uint32_t depth);
  Result<void> walk_all(const Value& children, const Location& location, std::uint32_t depth);
  Result<void> enter_resource(const Value& schema, Location& location);
  Result<void> add_anchors(const Value& schema, const Location& location);
  Result<Dialect> dialect_for(const Value& schema, const Dialect& fallback) const;
  Result<ResourceId> find_resource(const std::string& uri, std::string_view reference);
  const Value* descend(const Value& from, std::string_view pointer, std::size_t& covered,
                       Location& nearest);
  Result<const Value*> follow_pointer(ResourceId from, std::string_view pointer,
                                      std::string_view reference);

  const Options& options_;
  TimeBudget& time_;
  std::vector<Resource> resources_;
  std::map<std::string, ResourceId, std::less<>> by_uri_;
  std::unordered_map<const Value*, Location> locations_;
  std::unordered_map<std::string_view, const Value*> by_pointer_;  // the keys point into locations_
  std::vector<const Value*> subschemas_;
  std::size_t pointer_steps_ = 0;  // members visited for `$ref`s that are not in by_pointer_
  bool in_root_ = false;
};

}  // namespace host::json::schema
