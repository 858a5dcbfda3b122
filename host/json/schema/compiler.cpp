#include "json/schema/compiler.h"

#include <array>
#include <cmath>
#include <limits>

#include "json/schema/keyword/keywords.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

// All patterns of one schema, compiled. One pattern may take 64 KiB (PCRE2's own bound).
constexpr std::size_t kMaxPatternBytes = 4u << 20u;

// For TimeBudget::spend().
constexpr std::size_t kStepsOfNode = 10;
constexpr std::size_t kStepsOfPattern = 50;

constexpr std::array kGroups = {add_value_rules,     add_number_rules, add_string_rules,
                                add_array_rules,     add_object_rules, add_dependency_rules,
                                add_reference_rules, add_logic_rules,  add_unevaluated_rules};

}  // namespace

Result<void> Compiler::compile() {
  const Value& root = program_.document.root();
  HOST_TRY(resources_.add_root(root));
  program_.root = node_for(root);
  for (const Value* const schema : resources_.subschemas()) node_for(*schema);
  HOST_TRY(compile_pending());
  // Anchors that are first reached at run time need nodes too, and these may bring new resources.
  for (std::size_t before = 0; before != program_.nodes.size();) {
    before = program_.nodes.size();
    add_dynamic_anchors();
    HOST_TRY(compile_pending());
  }
  return refuse_circles();
}

Result<void> Compiler::compile_pending() {
  while (!pending_.empty()) {
    const Pending next = pending_.back();
    pending_.pop_back();
    if (program_.nodes.size() > kMaxSubschemas + 500) {
      return Error{ErrorKind::InvalidArgument,
                   "schema: more than " + std::to_string(kMaxSubschemas) + " subschemas"};
    }
    if (!time_.spend(kStepsOfNode + next.schema->MemberCount())) return takes_too_long();
    HOST_TRY(compile_node(*next.schema, next.node));
  }
  return {};
}

NodeId Compiler::node_for(const Value& schema) {
  const auto id = static_cast<NodeId>(program_.nodes.size());
  const auto [entry, added] = nodes_.emplace(&schema, id);
  if (!added) return entry->second;
  Node node;
  const Location& location = *resources_.location(schema);
  node.resource = location.resource;
  node.pointer = location.pointer;
  if (schema.IsBool()) {
    node.kind = schema.IsTrue() ? Node::Kind::AcceptAll : Node::Kind::RefuseAll;
  } else if (schema.ObjectEmpty()) {
    node.kind = Node::Kind::AcceptAll;
  } else {
    node.kind = Node::Kind::Rules;
    pending_.push_back({&schema, id});
  }
  program_.nodes.push_back(std::move(node));
  return id;
}

Result<void> Compiler::compile_node(const Value& schema, NodeId id) {
  Builder builder(*this, schema, id);
  if (builder.draft7() && find(schema, "$ref") != nullptr) {
    HOST_TRY(add_reference_rules(builder));  // all else beside it is void
  } else {
    for (const auto group : kGroups) HOST_TRY(group(builder));
  }
  Node& node = builder.node();
  if (node.steps.empty() && node.types == kAnyType) node.kind = Node::Kind::AcceptAll;
  return {};
}

Result<std::shared_ptr<const Pattern>> Compiler::pattern(std::string_view text) {
  if (const auto known = patterns_.find(text); known != patterns_.end()) return known->second;
  if (!time_.spend(kStepsOfPattern + text.size())) return takes_too_long();
  HOST_TRY_ASSIGN(auto compiled, Pattern::compile(text));
  pattern_bytes_ += compiled.memory_bytes();
  if (pattern_bytes_ > kMaxPatternBytes) {
    return Error{ErrorKind::InvalidArgument, "schema: its patterns are too large all together"};
  }
  auto shared = std::make_shared<const Pattern>(std::move(compiled));
  patterns_.emplace(text, shared);
  return shared;
}

std::uint32_t Compiler::name_id(const std::string& dynamic_anchor) {
  const auto next = static_cast<std::uint32_t>(dynamic_names_.size());
  return dynamic_names_.emplace(dynamic_anchor, next).first->second;
}

void Compiler::add_dynamic_anchors() {
  program_.dynamic_anchors.clear();
  for (ResourceId id = 0; id < resources_.resource_count(); ++id) {
    for (const auto& [name, schema] : resources_.resource(id).dynamic_anchors) {
      const auto used = dynamic_names_.find(name);
      if (used == dynamic_names_.end()) continue;
      program_.dynamic_anchors.push_back({id, used->second, node_for(*schema)});
    }
  }
}

// Depth first over "applied to the same instance", with an explicit stack.
Result<void> Compiler::refuse_circles() const {
  enum class Mark : std::uint8_t { New, Open, Done };
  std::vector<Mark> marks(program_.nodes.size(), Mark::New);
  struct Visit {
    NodeId node;
    std::size_t next;
  };
  for (const auto& [start, unused] : same_instance_) {
    std::vector<Visit> open;
    if (marks[start] == Mark::New) open.push_back({start, 0});
    while (!open.empty()) {
      Visit& visit = open.back();
      marks[visit.node] = Mark::Open;
      const auto edges = same_instance_.find(visit.node);
      if (edges == same_instance_.end() || visit.next == edges->second.size()) {
        marks[visit.node] = Mark::Done;
        open.pop_back();
        continue;
      }
      const NodeId to = edges->second[visit.next++];
      if (marks[to] == Mark::Open) {
        return Error{ErrorKind::InvalidArgument,
                     "schema at #" + program_.nodes[to].pointer +
                         ": its references lead back to itself for the same value, without end"};
      }
      if (marks[to] == Mark::New) open.push_back({to, 0});
    }
  }
  return {};
}

const Value* Builder::keyword(std::string_view name, Vocabulary vocabulary) const {
  return dialect_.has(vocabulary) ? find(schema_, name) : nullptr;
}

Result<std::uint64_t> Builder::count(std::string_view name, const Value& value) const {
  if (value.IsUint64()) return value.GetUint64();
  if (value.IsDouble() && value.GetDouble() >= 0 &&
      std::trunc(value.GetDouble()) == value.GetDouble()) {
    if (value.GetDouble() >= 0x1p63) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(value.GetDouble());
  }
  return wrong(name, "must be a whole number from 0 on, got " + describe_value(value));
}

Result<void> Builder::require_strings(std::string_view name, const Value& value) const {
  if (!value.IsArray()) return wrong(name, "must be an array, got " + describe_value(value));
  for (const Value& element : value.GetArray()) {
    if (!element.IsString())
      return wrong(name, "must hold strings, got " + describe_value(element));
  }
  return {};
}

Error Builder::wrong(std::string_view name, std::string_view message) const {
  const std::string& pointer = compiler_.resources().location(schema_)->pointer;
  return Error{ErrorKind::InvalidArgument, "schema at " + pointer + '/' + std::string(name) +
                                               ": `" + std::string(name) + "` " +
                                               std::string(message)};
}

NodeId Builder::same_instance(const Value& schema) {
  const NodeId id = compiler_.node_for(schema);
  compiler_.note_same_instance(node_, id);
  return id;
}

}  // namespace host::json::schema
