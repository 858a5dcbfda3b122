// dependentRequired, dependentSchemas, and draft-07's dependencies, which was both
#include "json/schema/keyword/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

class DependentRequired : public Rule {
 public:
  DependentRequired(std::string_view keyword, std::string_view name, const Value& needed)
      : keyword_(keyword), name_(name), needed_(needed) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    if (find(place.value, name_) == nullptr) return true;
    bool good = true;
    for (const Value& needed : needed_.GetArray()) {
      if (!run.spend(1 + place.value.MemberCount() / 4)) return false;
      if (find(place.value, text(needed)) != nullptr) continue;
      good = run.fail(*this, place, keyword_, [&] {
        return "property " + quoted(text(needed)) + " is missing, which " + quoted(name_) +
               " requires";
      });
      if (!run.reporting()) return false;
    }
    return good;
  }

 private:
  std::string_view keyword_;
  std::string_view name_;
  const Value& needed_;
};

class DependentSchema : public Rule {
 public:
  DependentSchema(std::string_view name, NodeId node) : name_(name), node_(node) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    if (!run.spend(1 + place.value.MemberCount() / 4)) return false;
    return find(place.value, name_) == nullptr || run.check(node_, place, evaluated);
  }

 private:
  std::string_view name_;
  NodeId node_;
};

Result<void> add_dependency(Builder& builder, std::string_view keyword, std::string_view name,
                            const Value& needs) {
  if (needs.IsArray()) {
    HOST_TRY(builder.require_strings(keyword, needs));
    builder.add(kObject, std::make_unique<DependentRequired>(keyword, name, needs));
    return {};
  }
  if (!is_schema(needs)) {
    return builder.wrong(keyword, "must hold schemas, got " + describe_value(needs));
  }
  builder.add(kObject, std::make_unique<DependentSchema>(name, builder.same_instance(needs)));
  return {};
}

enum class Takes { Lists, Schemas, Both };

Result<void> add_dependencies(Builder& builder, std::string_view keyword, Vocabulary vocabulary,
                              Takes takes) {
  const Value* const map = builder.keyword(keyword, vocabulary);
  if (map == nullptr) return {};
  if (!map->IsObject()) {
    return builder.wrong(keyword, "must be an object, got " + describe_value(*map));
  }
  for (const auto& member : map->GetObject()) {
    if (takes != Takes::Both && member.value.IsArray() != (takes == Takes::Lists)) {
      return builder.wrong(keyword, "must not hold " + describe_value(member.value));
    }
    HOST_TRY(add_dependency(builder, keyword, text(member.name), member.value));
  }
  return {};
}

}  // namespace

// `dependencies` left the standard after draft-07, and schemas in the wild still carry it.
Result<void> add_dependency_rules(Builder& builder) {
  HOST_TRY(add_dependencies(builder, "dependencies", Vocabulary::Applicator, Takes::Both));
  if (builder.draft7()) return {};
  HOST_TRY(add_dependencies(builder, "dependentRequired", Vocabulary::Validation, Takes::Lists));
  return add_dependencies(builder, "dependentSchemas", Vocabulary::Applicator, Takes::Schemas);
}

}  // namespace host::json::schema
