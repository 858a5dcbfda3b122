#include "json/schema/resources.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/schema/metaschemas.h"
#include "json/schema/uri.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

constexpr std::size_t kMaxPointerSteps = 20'000'000;

// For TimeBudget::spend().
constexpr std::size_t kStepsOfSubschema = 10;
constexpr std::size_t kStepsOfReference = 10;
constexpr std::size_t kMembersOfStep = 20;  // looked at on the way

enum class Holds : std::uint8_t { Schema, List, Map, SchemaOrList };

struct Applicator {
  std::string_view name;
  Holds holds;
};

// Where subschemas stand. Names of one draft alone do no harm in the other: there they hold nothing
// that is compiled, and a reference may still lead to it.
constexpr std::array<Applicator, 22> kApplicators = {{{"$defs", Holds::Map},
                                                      {"definitions", Holds::Map},
                                                      {"properties", Holds::Map},
                                                      {"patternProperties", Holds::Map},
                                                      {"additionalProperties", Holds::Schema},
                                                      {"propertyNames", Holds::Schema},
                                                      {"dependentSchemas", Holds::Map},
                                                      {"dependencies", Holds::Map},
                                                      {"items", Holds::SchemaOrList},
                                                      {"prefixItems", Holds::List},
                                                      {"additionalItems", Holds::Schema},
                                                      {"contains", Holds::Schema},
                                                      {"allOf", Holds::List},
                                                      {"anyOf", Holds::List},
                                                      {"oneOf", Holds::List},
                                                      {"not", Holds::Schema},
                                                      {"if", Holds::Schema},
                                                      {"then", Holds::Schema},
                                                      {"else", Holds::Schema},
                                                      {"unevaluatedItems", Holds::Schema},
                                                      {"unevaluatedProperties", Holds::Schema},
                                                      {"contentSchema", Holds::Schema}}};

const Applicator* find_applicator(std::string_view name) {
  for (const Applicator& applicator : kApplicators) {
    if (applicator.name == name) return &applicator;
  }
  return nullptr;
}

Error invalid(const std::string& pointer, std::string_view message) {
  return Error{ErrorKind::InvalidArgument,
               "schema" + (pointer.empty() ? "" : " at " + pointer) + ": " + std::string(message)};
}

Location child(const Location& of, std::string_view token) {
  return {of.resource, of.pointer + '/' + escape_pointer_token(token)};
}

}  // namespace

Error takes_too_long() {
  return invalid("", "compiling it takes longer than " + std::to_string(kMaxCompileTime.count()) +
                         " ms: make it smaller");
}

Result<void> Resources::add_root(const Value& root) {
  if (!is_schema(root)) {
    return invalid("", "expected an object or a boolean, got " + describe_value(root));
  }
  in_root_ = true;
  auto added = add_document(root, "", default_dialect(Draft::Draft2020, options_));
  in_root_ = false;
  return added;
}

Result<void> Resources::add_document(const Value& root, const std::string& uri,
                                     const Dialect& fallback) {
  HOST_TRY_ASSIGN(const Dialect dialect, dialect_for(root, fallback));
  const auto id = static_cast<ResourceId>(resources_.size());
  resources_.push_back(Resource{uri, &root, dialect, {}, {}});
  by_uri_.emplace(uri, id);
  return walk(root, Location{id, uri.empty() ? "" : uri + '#'}, 0);
}

Result<Dialect> Resources::dialect_for(const Value& schema, const Dialect& fallback) const {
  const Value* const named = schema.IsObject() ? find(schema, "$schema") : nullptr;
  if (named == nullptr) return fallback;
  if (!named->IsString()) return invalid("", "`$schema` must be a string");
  return dialect_of(text(*named), options_);
}

Result<void> Resources::walk(const Value& schema, Location location, std::uint32_t depth) {
  if (!is_schema(schema) || locations_.contains(&schema)) return {};
  if (!time_.spend(kStepsOfSubschema)) return takes_too_long();
  if (depth > kMaxSubschemaDepth) {
    return invalid(
        "", "subschemas are nested deeper than " + std::to_string(kMaxSubschemaDepth) + " levels");
  }
  if (locations_.size() >= kMaxSubschemas + 200) {  // the meta-schemas are not counted
    return invalid("", "more than " + std::to_string(kMaxSubschemas) + " subschemas");
  }
  if (schema.IsObject()) HOST_TRY(enter_resource(schema, location));
  if (in_root_) {
    if (subschemas_.size() == kMaxSubschemas) {
      return invalid("", "more than " + std::to_string(kMaxSubschemas) + " subschemas");
    }
    subschemas_.push_back(&schema);
  }
  const auto entry = locations_.emplace(&schema, location).first;
  by_pointer_.emplace(entry->second.pointer, &schema);
  if (!schema.IsObject()) return {};
  HOST_TRY(add_anchors(schema, location));
  return walk_children(schema, location, depth + 1);
}

// Draft-07: `$ref` makes its siblings void, `$id` too; and an `$id` that is but a fragment is what
// later became `$anchor`.
Result<void> Resources::enter_resource(const Value& schema, Location& location) {
  const Dialect& outer = resources_[location.resource].dialect;
  const Value* const id = find(schema, "$id");
  if (id == nullptr) return {};
  if (!id->IsString()) return invalid(location.pointer, "`$id` must be a string");
  const bool draft7 = outer.draft == Draft::Draft7;
  if (draft7 && find(schema, "$ref") != nullptr) return {};
  const SplitUri parts = split_fragment(text(*id));
  if (draft7 && parts.without_fragment.empty()) return {};
  if (!draft7 && !parts.fragment.empty()) {
    return invalid(location.pointer, "`$id` must not have a fragment: use `$anchor`");
  }
  HOST_TRY_ASSIGN(const Dialect dialect, dialect_for(schema, outer));
  Resource& here = resources_[location.resource];
  std::string uri = resolve_uri(here.uri, parts.without_fragment);
  if (here.root == &schema) {  // a document that names itself
    here.uri = uri;
    by_uri_.emplace(std::move(uri), location.resource);
    return {};
  }
  const auto own = static_cast<ResourceId>(resources_.size());
  if (!by_uri_.emplace(uri, own).second) {
    return invalid(location.pointer, "`$id` " + quoted(uri) + " stands twice");
  }
  resources_.push_back(Resource{std::move(uri), &schema, dialect, {}, {}});
  location.resource = own;
  return {};
}

Result<void> Resources::add_anchors(const Value& schema, const Location& location) {
  Resource& resource = resources_[location.resource];
  const auto add = [&](std::string_view keyword, bool dynamic) -> Result<void> {
    const Value* const name = find(schema, keyword);
    if (name == nullptr) return {};
    if (!name->IsString() || name->GetStringLength() == 0) {
      return invalid(location.pointer, '`' + std::string(keyword) + "` must be a name");
    }
    if (!resource.anchors.emplace(text(*name), &schema).second &&
        resource.anchors.find(text(*name))->second != &schema) {
      return invalid(location.pointer, "the anchor " + quoted(text(*name)) + " stands twice");
    }
    if (dynamic) resource.dynamic_anchors.emplace(text(*name), &schema);
    return {};
  };
  if (resource.dialect.draft == Draft::Draft2020) {
    HOST_TRY(add("$anchor", false));
    return add("$dynamicAnchor", true);
  }
  const SplitUri id = split_fragment(find_text(schema, "$id"));
  if (!id.fragment.empty() && find(schema, "$ref") == nullptr) {
    resource.anchors.emplace(id.fragment, &schema);
  }
  return {};
}

Result<void> Resources::walk_children(const Value& schema, const Location& location,
                                      std::uint32_t depth) {
  for (const auto& member : schema.GetObject()) {
    const Applicator* const applicator = find_applicator(text(member.name));
    if (applicator == nullptr) continue;
    const Location below = child(location, applicator->name);
    const bool list = applicator->holds == Holds::List || applicator->holds == Holds::SchemaOrList;
    if ((list && member.value.IsArray()) ||
        (applicator->holds == Holds::Map && member.value.IsObject())) {
      HOST_TRY(walk_all(member.value, below, depth));
    } else if (applicator->holds == Holds::Schema || applicator->holds == Holds::SchemaOrList) {
      HOST_TRY(walk(member.value, below, depth));
    }
  }
  return {};
}

Result<void> Resources::walk_all(const Value& children, const Location& location,
                                 std::uint32_t depth) {
  if (children.IsObject()) {
    for (const auto& member : children.GetObject()) {
      HOST_TRY(walk(member.value, child(location, text(member.name)), depth));
    }
    return {};
  }
  for (rapidjson::SizeType i = 0; i < children.Size(); ++i) {
    HOST_TRY(walk(children[i], child(location, std::to_string(i)), depth));
  }
  return {};
}

const Location* Resources::location(const Value& schema) const {
  const auto found = locations_.find(&schema);
  return found == locations_.end() ? nullptr : &found->second;
}

Result<Target> Resources::resolve(std::string_view reference, ResourceId from) {
  const std::string uri = resolve_uri(resources_[from].uri, reference);
  const SplitUri parts = split_fragment(uri);
  HOST_TRY_ASSIGN(const ResourceId id,
                  find_resource(std::string(parts.without_fragment), reference));
  const auto fragment = percent_decode(parts.fragment);
  if (!fragment) return invalid("", "`$ref` " + quoted(reference) + " has a broken % escape");
  const Resource& resource = resources_[id];
  if (fragment->empty()) return Target{resource.root, {}};
  if (fragment->starts_with('/')) {
    HOST_TRY_ASSIGN(const Value* const schema, follow_pointer(id, *fragment, reference));
    return Target{schema, {}};
  }
  const auto anchor = resource.anchors.find(*fragment);
  if (anchor == resource.anchors.end()) {
    return invalid("", "`$ref` " + quoted(reference) + " names an anchor that does not exist");
  }
  const bool dynamic = resource.dynamic_anchors.contains(*fragment);
  return Target{anchor->second, dynamic ? *fragment : std::string()};
}

Result<ResourceId> Resources::find_resource(const std::string& uri, std::string_view reference) {
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
  const Value* document = find_metaschema(uri);
  if (document == nullptr && options_.resolve) document = options_.resolve(uri);
  if (document == nullptr) {
    return invalid("", "`$ref` " + quoted(reference) + " leads out of the schema to " +
                           quoted(uri) + ": nothing is fetched, put it under `$defs`");
  }
  if (!is_schema(*document)) return invalid("", quoted(uri) + " is not a schema");
  HOST_TRY(add_document(*document, uri, resources_[0].dialect));
  return by_uri_.find(uri)->second;
}

// Goes token by token, and notes the last known subschema on the way.
const Value* Resources::descend(const Value& from, std::string_view pointer, std::size_t& covered,
                                Location& nearest) {
  const Value* value = &from;
  for (std::size_t start = 0; value != nullptr && start < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', start + 1), pointer.size());
    pointer_steps_ += value->IsObject() ? value->MemberCount() : 1;
    if (pointer_steps_ > kMaxPointerSteps) return nullptr;
    value = at(*value, pointer.substr(start, end - start));
    start = end;
    const auto known = value == nullptr ? locations_.end() : locations_.find(value);
    if (known == locations_.end()) continue;
    nearest = known->second;
    covered = end;
  }
  return value;
}

Result<const Value*> Resources::follow_pointer(ResourceId from, std::string_view pointer,
                                               std::string_view reference) {
  const Value& root = *resources_[from].root;
  Location nearest = locations_.at(&root);
  const auto known = by_pointer_.find(nearest.pointer + std::string(pointer));
  if (known != by_pointer_.end()) return known->second;
  std::size_t covered = 0;
  const std::size_t before = pointer_steps_;
  const Value* const target = descend(root, pointer, covered, nearest);
  if (pointer_steps_ > kMaxPointerSteps)
    return invalid("", "too many `$ref` in too large a schema");
  if (!time_.spend(kStepsOfReference + (pointer_steps_ - before) / kMembersOfStep)) {
    return takes_too_long();
  }
  if (target == nullptr || !is_schema(*target)) {
    return invalid("", "`$ref` " + quoted(reference) + " leads to " +
                           (target == nullptr ? "nothing" : describe_value(*target)));
  }
  if (locations_.contains(target)) return target;
  // Below a keyword that holds no subschemas: it belongs to the nearest schema above.
  nearest.pointer += pointer.substr(covered);
  HOST_TRY(walk(*target, nearest, 0));
  return target;
}

}  // namespace host::json::schema
