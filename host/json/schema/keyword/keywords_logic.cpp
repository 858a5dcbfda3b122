// allOf, anyOf, oneOf, not, if/then/else
#include "json/schema/keyword/keywords.h"
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

// The forms of anyOf and oneOf. Values with a description each are written as forms of a `const`.
struct Forms {
  std::vector<NodeId> nodes;
  std::vector<const Value*> values;  // of `const`, if each form has one

  std::string none_fits(Run& run, const Place& place) const {
    if (!values.empty())
      return "expected one of " + listed(values) + "; got " + describe_value(place.value);
    return "fits none of " + std::to_string(nodes.size()) +
           " forms: " + problems(run, nodes, place);
  }
};

class AllOf : public Rule {
 public:
  explicit AllOf(Forms forms) : nodes_(std::move(forms.nodes)) {}

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
  explicit AnyOf(Forms forms) : forms_(std::move(forms)) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    bool good = false;
    for (const NodeId node : forms_.nodes) {
      good = fits(run, node, place, evaluated) || good;
      if (good && evaluated == nullptr) return true;
    }
    return good || run.fail(*this, place, "anyOf", [&] { return forms_.none_fits(run, place); });
  }

 private:
  Forms forms_;
};

class OneOf : public Rule {
 public:
  explicit OneOf(Forms forms) : forms_(std::move(forms)) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    const std::size_t none = forms_.nodes.size();
    std::size_t first = none;
    for (std::size_t i = 0; i < none; ++i) {
      if (!fits(run, forms_.nodes[i], place, evaluated)) continue;
      if (first != none) return two(run, place, first, i);
      first = i;
    }
    return first != none ||
           run.fail(*this, place, "oneOf", [&] { return forms_.none_fits(run, place); });
  }

 private:
  bool two(Run& run, const Place& place, std::size_t first, std::size_t second) const {
    return run.fail(*this, place, "oneOf", [&] {
      return "fits form " + std::to_string(first + 1) + " and form " + std::to_string(second + 1) +
             " of " + std::to_string(forms_.nodes.size()) + ", and must fit one alone";
    });
  }

  Forms forms_;
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

Result<Forms> read_list(Builder& builder, std::string_view name, const Value& list) {
  if (!list.IsArray() || list.Empty()) {
    return builder.wrong(
        name, "must be an array of schemas with one or more, got " + describe_value(list));
  }
  Forms forms;
  for (const Value& schema : list.GetArray()) {
    if (!is_schema(schema)) {
      return builder.wrong(name, "must hold schemas, got " + describe_value(schema));
    }
    forms.nodes.push_back(builder.same_instance(schema));
    const Value* const value = schema.IsObject() ? find(schema, "const") : nullptr;
    if (value) forms.values.push_back(value);
  }
  if (forms.values.size() != forms.nodes.size()) forms.values.clear();
  return forms;
}

template <class R>
Result<void> add_list_rule(Builder& builder, std::string_view name) {
  const Value* const list = builder.keyword(name, Vocabulary::Applicator);
  if (list == nullptr) return {};
  HOST_TRY_ASSIGN(auto forms, read_list(builder, name, *list));
  builder.add(kAnyType, std::make_unique<R>(std::move(forms)));
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
