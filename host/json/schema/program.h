// A Program is a compiled schema, in which each subschema is a node with a list of rules. The nodes
// of a compiled schema refer to each other by number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::json::schema {

using NodeId = std::uint32_t;
using ResourceId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

// A value of Types is a set of JSON Schema instance types. A number without a fractional part has
// the bit kInteger. A number with a fractional part has the bit kFraction.
using Types = std::uint8_t;
inline constexpr Types kNull = 1, kBoolean = 2, kInteger = 4, kFraction = 8, kString = 16,
                       kArray = 32, kObject = 64;
inline constexpr Types kNumber = kInteger | kFraction;
inline constexpr Types kAnyType = 127;

class Run;
class Evaluated;
struct Place;

// A rule checks one keyword, or several keywords that depend on each other. A rule is immutable, so
// threads can share it.
class Rule {
 public:
  virtual ~Rule() = default;
  // Returns true if the value at `place` is valid. The function check() adds the members or
  // elements that it has evaluated to `evaluated`, which can be null.
  virtual bool check(Run& run, const Place& place, Evaluated* evaluated) const = 0;

  NodeId owner() const { return owner_; }
  void set_owner(NodeId owner) { owner_ = owner; }

 private:
  NodeId owner_ = kNoNode;
};

struct Step {
  Types applies;  // types that the rule checks; the rule accepts all other types
  std::unique_ptr<const Rule> rule;
};

struct Node {
  enum class Kind : std::uint8_t { AcceptAll, RefuseAll, Rules };

  Kind kind = Kind::AcceptAll;
  Types types = kAnyType;
  bool tracks = false;  // true: has unevaluatedItems or unevaluatedProperties
  ResourceId resource = 0;
  std::vector<Step> steps;
  // `pointer` is the node's position in the schema. The position begins with the URI of the node's
  // document, unless the node is in the schema's own document.
  std::string pointer;
};

struct DynamicAnchor {
  ResourceId resource;
  std::uint32_t name;  // the number of the anchor's name
  NodeId node;
};

struct Schema::Program {
  Document document;  // the program's own copy of the schema; rules point into it
  std::vector<Node> nodes;
  std::vector<DynamicAnchor> dynamic_anchors;
  NodeId root = kNoNode;
};

using Program = Schema::Program;

}  // namespace host::json::schema
