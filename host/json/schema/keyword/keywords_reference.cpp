// $ref, $dynamicRef
#include "json/schema/keyword/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

class Reference : public Rule {
 public:
  explicit Reference(NodeId target) : target_(target) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    return run.check(target_, place, evaluated);
  }

 private:
  NodeId target_;
};

class DynamicReference : public Rule {
 public:
  DynamicReference(std::uint32_t name, NodeId fallback) : name_(name), fallback_(fallback) {}

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    return run.check(run.dynamic_target(name_, fallback_), place, evaluated);
  }

 private:
  std::uint32_t name_;
  NodeId fallback_;
};

Result<Target> find_target(Builder& builder, std::string_view name, const Value& reference) {
  if (!reference.IsString()) {
    return builder.wrong(name, "must be a string, got " + describe_value(reference));
  }
  auto target = builder.compiler().resources().resolve(text(reference), builder.resource());
  if (!target) return target.error();
  return target;
}

}  // namespace

Result<void> add_reference_rules(Builder& builder) {
  if (const Value* const reference = builder.keyword("$ref", Vocabulary::Core)) {
    HOST_TRY_ASSIGN(const Target target, find_target(builder, "$ref", *reference));
    builder.add(kAnyType, std::make_unique<Reference>(builder.same_instance(*target.schema)));
  }
  if (builder.draft7()) return {};
  const Value* const reference = builder.keyword("$dynamicRef", Vocabulary::Core);
  if (reference == nullptr) return {};
  HOST_TRY_ASSIGN(const Target target, find_target(builder, "$dynamicRef", *reference));
  if (target.dynamic_anchor.empty()) {  // then it is a `$ref`
    builder.add(kAnyType, std::make_unique<Reference>(builder.same_instance(*target.schema)));
    return {};
  }
  // Where it leads is known at run time only: a circle ends there by the depth limit.
  builder.add(kAnyType,
              std::make_unique<DynamicReference>(builder.compiler().name_id(target.dynamic_anchor),
                                                 builder.child(*target.schema)));
  return {};
}

}  // namespace host::json::schema
