// Compiles schemas into nodes without recursion. When a schema refers to a subschema, the
// subschema's node gets its number immediately and its rules later.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "json/schema/program.h"
#include "json/schema/regex/pattern.h"
#include "json/schema/resources.h"
#include "json/schema/time_budget.h"

namespace host::json::schema {

class Compiler {
 public:
  Compiler(Program& program, const Options& options)
      : program_(program), time_(kMaxCompileTime, options.clock), resources_(options, time_) {}

  Result<void> compile();

  NodeId node_for(const Value& schema);
  Result<std::shared_ptr<const Pattern>> pattern(std::string_view text);
  std::uint32_t name_id(const std::string& dynamic_anchor);
  // Records that the schema `to` is applied to the same instance as the schema `from`. If schemas
  // that apply to the same instance form a cycle, the compiler refuses the schema, because its
  // validation would never end.
  void note_same_instance(NodeId from, NodeId to) { same_instance_[from].push_back(to); }

  Program& program() { return program_; }
  Resources& resources() { return resources_; }

 private:
  struct Pending {
    const Value* schema;
    NodeId node;
  };

  Result<void> compile_pending();
  Result<void> compile_node(const Value& schema, NodeId id);
  void add_dynamic_anchors();
  Result<void> refuse_circles() const;

  Program& program_;
  TimeBudget time_;
  Resources resources_;
  std::unordered_map<const Value*, NodeId> nodes_;
  std::vector<Pending> pending_;
  std::map<std::string, std::shared_ptr<const Pattern>, std::less<>> patterns_;
  std::size_t pattern_bytes_ = 0;
  std::map<std::string, std::uint32_t> dynamic_names_;
  std::unordered_map<NodeId, std::vector<NodeId>> same_instance_;
};

// A Builder compiles the keywords of one schema object to rules.
class Builder {
 public:
  Builder(Compiler& compiler, const Value& schema, NodeId node)
      : compiler_(compiler),
        schema_(schema),
        node_(node),
        resource_(compiler.resources().location(schema)->resource),
        dialect_(compiler.resources().resource(resource_).dialect) {}

  // Returns nullptr if the schema has no keyword of this name, or if the schema's dialect does not
  // use the keyword's vocabulary.
  const Value* keyword(std::string_view name, Vocabulary vocabulary) const;
  Result<std::uint64_t> count(std::string_view name, const Value& value) const;
  Result<void> require_strings(std::string_view name, const Value& value) const;
  Error wrong(std::string_view name, std::string_view message) const;

  // child() is for a subschema that applies to parts of the instance. same_instance() is for a
  // subschema that applies to the instance itself.
  NodeId child(const Value& schema) { return compiler_.node_for(schema); }
  NodeId same_instance(const Value& schema);

  template <class R>
  R& add(Types applies, std::unique_ptr<R> rule) {
    R& added = *rule;
    added.set_owner(node_);
    node().steps.push_back(Step{applies, std::move(rule)});
    return added;
  }

  Node& node() { return compiler_.program().nodes[node_]; }
  Compiler& compiler() { return compiler_; }
  ResourceId resource() const { return resource_; }
  const Dialect& dialect() const { return dialect_; }
  bool draft7() const { return dialect_.draft == Draft::Draft7; }

 private:
  Compiler& compiler_;
  const Value& schema_;
  NodeId node_;
  ResourceId resource_;
  Dialect dialect_;
};

}  // namespace host::json::schema
