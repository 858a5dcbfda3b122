// A compiled schema: subschemas as nodes that refer to each other by number, each a list of rules.
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

// Sets of instance types. An integral number has the bit Integer, any other the bit Fraction.
using Types = std::uint8_t;
inline constexpr Types kNull = 1, kBoolean = 2, kInteger = 4, kFraction = 8, kString = 16,
                       kArray = 32, kObject = 64;
inline constexpr Types kNumber = kInteger | kFraction;
inline constexpr Types kAnyType = 127;

class Run;
class Evaluated;
struct Place;

// One keyword, or several that only make sense together. Immutable, and the same for all threads.
class Rule {
 public:
  virtual ~Rule() = default;
  // True if the value at `place` is valid. Evaluated members are marked in `evaluated`, unless that
  // is null.
  virtual bool check(Run& run, const Place& place, Evaluated* evaluated) const = 0;

  NodeId owner() const { return owner_; }
  void set_owner(NodeId owner) { owner_ = owner; }

 private:
  NodeId owner_ = kNoNode;
};

struct Step {
  Types applies;  // instances of other types are valid without a check
  std::unique_ptr<const Rule> rule;
};

struct Node {
  enum class Kind : std::uint8_t { AcceptAll, RefuseAll, Rules };

  Kind kind = Kind::AcceptAll;
  Types types = kAnyType;
  bool tracks = false;  // has unevaluatedItems or unevaluatedProperties
  ResourceId resource = 0;
  std::vector<Step> steps;
  std::string pointer;  // its position; with its URI if it is not in the schema itself
};

struct DynamicAnchor {
  ResourceId resource;
  std::uint32_t name;  // number of the name
  NodeId node;
};

struct Schema::Program {
  Document document;  // the schema's own copy: rules point into it
  std::vector<Node> nodes;
  std::vector<DynamicAnchor> dynamic_anchors;
  NodeId root = kNoNode;
};

using Program = Schema::Program;

}  // namespace host::json::schema
