// allOf, anyOf, oneOf, not, if/then/else
#include "json/schema/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

constexpr std::size_t kListedForms = 4;

// Runs an alternative: what it evaluated counts only when it fits.
bool fits(Run& run, NodeId node, const Place& place, Evaluated* evaluated) {
  if (evaluated == nullptr) return run.check_quietly(node, place, nullptr);
  Evaluated own;
  if (!run.check_quietly(node, place, &own)) return false;
  evaluated->merge(own);
  return true;
}

// `(1) expected string, got number 5; (2) ...`
std::string problems(Run& run, const std::vector<NodeId>& nodes, const Place& place) {
  std::string listed;
  for (std::size_t i = 0; i < nodes.size() && i < kListedForms; ++i) {
    listed.append(i == 0 ? "(" : "; (").append(std::to_string(i + 1)).append(") ");
    listed += run.first_problem(nodes[i], place);
  }
  if (nodes.size() > kListedForms) listed += "; ...";
  return listed;
}

class AllOf : public Rule {
 public:
  explicit AllOf(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    bool good = true;
    for (const NodeId node : nodes_) {
      if (run.check(node, place, evaluated)) continue;
      good = false;
      if (!run.reporting()) return false;
    }
    return good;
  }

 private:
  std::vector<NodeId> nodes_;
};

class AnyOf : public Rule {
 public:
  explicit AnyOf(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    bool good = false;
    for (const NodeId node : nodes_) {
      good = fits(run, node, place, evaluated) || good;
      if (good && evaluated == nullptr) return true;
    }
    return good || run.fail(*this, place, "anyOf", [&] {
      return "fits none of " + std::to_string(nodes_.size()) +
             " forms: " + problems(run, nodes_, place);
    });
  }

 private:
  std::vector<NodeId> nodes_;
};

class OneOf : public Rule {
 public:
  explicit OneOf(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    std::size_t first = nodes_.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!fits(run, nodes_[i], place, evaluated)) continue;
      if (first != nodes_.size()) return two(run, place, first, i);
      first = i;
    }
    return first != nodes_.size() || run.fail(*this, place, "oneOf", [&] {
      return "fits none of " + std::to_string(nodes_.size()) +
             " forms: " + problems(run, nodes_, place);
    });
  }

 private:
  bool two(Run& run, const Place& place, std::size_t first, std::size_t second) const {
    return run.fail(*this, place, "oneOf", [&] {
      return "fits form " + std::to_string(first + 1) + " and form " + std::to_string(second + 1) +
             " of " + std::to_string(nodes_.size()) + ", and must fit one alone";
    });
  }

  std::vector<NodeId> nodes_;
};

class Not : public Rule {
 public:
  explicit Not(NodeId node) : node_(node) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    if (!run.check_quietly(node_, place, nullptr)) return run.exhausted().empty();
    return run.fail(*this, place, "not",
                    [&] { return describe_value(place.value) + " is what `not` excludes"; });
  }

 private:
  NodeId node_;
};

class IfThenElse : public Rule {
 public:
  NodeId condition = kNoNode;
  NodeId then = kNoNode;
  NodeId otherwise = kNoNode;

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    const NodeId next = fits(run, condition, place, evaluated) ? then : otherwise;
    return next == kNoNode || run.check(next, place, evaluated);
  }
};

Result<std::vector<NodeId>> read_list(Builder& builder, std::string_view name, const Value& list) {
  if (!list.IsArray() || list.Empty()) {
    return builder.wrong(
        name, "must be an array of schemas with one or more, got " + describe_value(list));
  }
  std::vector<NodeId> nodes;
  for (const Value& schema : list.GetArray()) {
    if (!is_schema(schema)) {
      return builder.wrong(name, "must hold schemas, got " + describe_value(schema));
    }
    nodes.push_back(builder.same_instance(schema));
  }
  return nodes;
}

template <class R>
Result<void> add_list_rule(Builder& builder, std::string_view name) {
  const Value* const list = builder.keyword(name, Vocabulary::Applicator);
  if (list == nullptr) return {};
  HOST_TRY_ASSIGN(auto nodes, read_list(builder, name, *list));
  builder.add(kAnyType, std::make_unique<R>(std::move(nodes)));
  return {};
}

Result<NodeId> read_schema(Builder& builder, std::string_view name) {
  const Value* const schema = builder.keyword(name, Vocabulary::Applicator);
  if (schema == nullptr) return kNoNode;
  if (!is_schema(*schema)) {
    return builder.wrong(name, "must be a schema, got " + describe_value(*schema));
  }
  return builder.same_instance(*schema);
}

}  // namespace

Result<void> add_logic_rules(Builder& builder) {
  HOST_TRY(add_list_rule<AllOf>(builder, "allOf"));
  HOST_TRY(add_list_rule<AnyOf>(builder, "anyOf"));
  HOST_TRY(add_list_rule<OneOf>(builder, "oneOf"));
  HOST_TRY_ASSIGN(const NodeId excluded, read_schema(builder, "not"));
  if (excluded != kNoNode) builder.add(kAnyType, std::make_unique<Not>(excluded));
  auto conditional = std::make_unique<IfThenElse>();
  HOST_TRY_ASSIGN(conditional->condition, read_schema(builder, "if"));
  HOST_TRY_ASSIGN(conditional->then, read_schema(builder, "then"));
  HOST_TRY_ASSIGN(conditional->otherwise, read_schema(builder, "else"));
  if (conditional->condition != kNoNode) builder.add(kAnyType, std::move(conditional));
  return {};
}

}  // namespace host::json::schema
