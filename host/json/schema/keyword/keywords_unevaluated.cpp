// unevaluatedItems, unevaluatedProperties
#include "json/schema/keyword/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

class UnevaluatedItems : public Rule {
 public:
  explicit UnevaluatedItems(NodeId node) : node_(node) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    bool good = true;
    for (rapidjson::SizeType i = 0; i < place.value.Size(); ++i) {
      if (evaluated->has(i)) continue;
      const Place element{place.value[i], &place, {}, i};
      if (run.check_quietly(node_, element, nullptr)) continue;
      good = run.fail(*this, place, "unevaluatedItems", [&] {
        return "item " + std::to_string(i) +
               " is not allowed: " + run.first_problem(node_, element);
      });
      if (!run.reporting()) return false;
    }
    evaluated->mark_all();
    return good;
  }

 private:
  NodeId node_;
};

class UnevaluatedProperties : public Rule {
 public:
  explicit UnevaluatedProperties(NodeId node) : node_(node) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    bool good = true;
    std::size_t index = 0;
    for (const auto& member : place.value.GetObject()) {
      if (evaluated->has(index++)) continue;
      const Place at{member.value, &place, text(member.name)};
      if (run.check_quietly(node_, at, nullptr)) continue;
      good = run.fail(*this, place, "unevaluatedProperties", [&] {
        return "property " + quoted(at.name) + " is not allowed: " + run.first_problem(node_, at);
      });
      if (!run.reporting()) return false;
    }
    evaluated->mark_all();
    return good;
  }

 private:
  NodeId node_;
};

}  // namespace

Result<void> add_unevaluated_rules(Builder& builder) {
  if (builder.draft7()) return {};
  const Value* const items = builder.keyword("unevaluatedItems", Vocabulary::Unevaluated);
  if (items != nullptr) {
    if (!is_schema(*items)) {
      return builder.wrong("unevaluatedItems", "must be a schema, got " + describe_value(*items));
    }
    builder.add(kArray, std::make_unique<UnevaluatedItems>(builder.child(*items)));
    builder.node().tracks = true;
  }
  const Value* const properties = builder.keyword("unevaluatedProperties", Vocabulary::Unevaluated);
  if (properties != nullptr) {
    if (!is_schema(*properties)) {
      return builder.wrong("unevaluatedProperties",
                           "must be a schema, got " + describe_value(*properties));
    }
    builder.add(kObject, std::make_unique<UnevaluatedProperties>(builder.child(*properties)));
    builder.node().tracks = true;
  }
  return {};
}

}  // namespace host::json::schema
