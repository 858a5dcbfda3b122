// properties, patternProperties, additionalProperties, required, propertyNames, minProperties,
// maxProperties
#include <limits>

#include "json/schema/keyword/keywords.h"
#include "json/schema/keyword/property_table.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

struct PatternProperty {
  std::shared_ptr<const Pattern> pattern;
  NodeId node;
};

// These four are one rule, since one walk over the members answers them all.
class Members : public Rule {
 public:
  PropertyTable properties;  // of `properties` and `required`
  std::vector<PatternProperty> patterns;
  NodeId additional = kNoNode;
  bool refuses_additional = false;

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    const Value& object = place.value;
    if (!run.spend(object.MemberCount())) return false;
    bool good = true;
    std::size_t required_seen = 0;
    std::size_t expected = 0;
    std::size_t index = 0;
    for (auto member = object.MemberBegin(); member != object.MemberEnd(); ++member, ++index) {
      const Place at{member->value, &place, name_of(member->name)};
      const Property* const property = properties.find(at.name, expected);
      if (property != nullptr && property->required) ++required_seen;
      if (check_member(run, at, property, evaluated, index)) continue;
      good = false;
      if (!run.reporting()) return false;
    }
    if (required_seen < properties.required_count()) return missing(run, place);
    return good;
  }

 private:
  bool check_member(Run& run, const Place& at, const Property* property, Evaluated* evaluated,
                    std::size_t index) const {
    bool named = false;
    bool good = true;
    if (property != nullptr && property->node != kNoNode) {
      named = true;
      good = run.check(property->node, at, nullptr);
    }
    for (const PatternProperty& entry : patterns) {
      if (!entry.pattern->matches(at.name, run)) continue;
      named = true;
      good = run.check(entry.node, at, nullptr) && good;
    }
    if (!run.exhausted().empty()) return false;
    if (!named && additional == kNoNode) return good;
    if (evaluated != nullptr) evaluated->mark(index);
    if (named) return good;
    return refuses_additional ? unknown(run, at) : run.check(additional, at, nullptr);
  }

  bool unknown(Run& run, const Place& at) const {
    return run.fail(*this, *at.parent, "additionalProperties", [&] {
      std::string message = "property " + quoted(at.name) + " is not allowed";
      const std::string known = properties.list();
      const std::string near = properties.nearest_to(at.name);
      if (!near.empty()) message += ": did you mean " + quoted(near) + "?";
      if (known.empty()) return message;
      return message + (near.empty() ? "; known are " : " Known are ") + known;
    });
  }

  bool missing(Run& run, const Place& place) const {
    properties.for_each_required([&](std::string_view name) {
      if (find(place.value, name) != nullptr) return;
      run.fail(*this, place, "required",
               [&] { return "required property " + quoted(name) + " is missing"; });
    });
    return false;
  }
};

class PropertyNames : public Rule {
 public:
  explicit PropertyNames(NodeId node) : node_(node) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    bool good = true;
    for (const auto& member : place.value.GetObject()) {
      const Place name{member.name};
      if (run.check_quietly(node_, name, nullptr)) continue;
      good = run.fail(*this, place, "propertyNames", [&] {
        return "property name " + quoted(text(member.name)) +
               " is not allowed: " + run.first_problem(node_, name);
      });
      if (!run.reporting()) return false;
    }
    return good;
  }

 private:
  NodeId node_;
};

class MemberCount : public Rule {
 public:
  MemberCount(std::uint64_t least, std::uint64_t most) : least_(least), most_(most) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    const std::uint64_t count = place.value.MemberCount();
    if (count < least_) return too(run, place, "minProperties", "at least ", least_);
    if (count > most_) return too(run, place, "maxProperties", "at most ", most_);
    return true;
  }

 private:
  bool too(Run& run, const Place& place, std::string_view keyword, std::string_view words,
           std::uint64_t limit) const {
    return run.fail(*this, place, keyword, [&] {
      return "expected " + std::string(words) + std::to_string(limit) + " properties, got " +
             std::to_string(place.value.MemberCount());
    });
  }

  std::uint64_t least_;
  std::uint64_t most_;
};

Result<void> add_properties(Builder& builder, Members& rule) {
  const Value* const properties = builder.keyword("properties", Vocabulary::Applicator);
  if (properties == nullptr) return {};
  if (!properties->IsObject()) {
    return builder.wrong("properties", "must be an object, got " + describe_value(*properties));
  }
  for (const auto& member : properties->GetObject()) {
    if (!is_schema(member.value)) {
      return builder.wrong("properties", "must hold schemas, got " + describe_value(member.value) +
                                             " for " + quoted(text(member.name)));
    }
    rule.properties.add(text(member.name), builder.child(member.value));
  }
  return {};
}

Result<void> add_patterns(Builder& builder, Members& rule) {
  const Value* const patterns = builder.keyword("patternProperties", Vocabulary::Applicator);
  if (patterns == nullptr) return {};
  if (!patterns->IsObject()) {
    return builder.wrong("patternProperties",
                         "must be an object, got " + describe_value(*patterns));
  }
  for (const auto& member : patterns->GetObject()) {
    auto pattern = builder.compiler().pattern(text(member.name));
    if (!pattern) return builder.wrong("patternProperties", pattern.error().message);
    if (!is_schema(member.value)) {
      return builder.wrong("patternProperties",
                           "must hold schemas, got " + describe_value(member.value));
    }
    rule.patterns.push_back({*std::move(pattern), builder.child(member.value)});
  }
  return {};
}

Result<void> add_members(Builder& builder) {
  auto rule = std::make_unique<Members>();
  HOST_TRY(add_properties(builder, *rule));
  HOST_TRY(add_patterns(builder, *rule));
  if (const Value* const more = builder.keyword("additionalProperties", Vocabulary::Applicator)) {
    if (!is_schema(*more)) {
      return builder.wrong("additionalProperties",
                           "must be a schema, got " + describe_value(*more));
    }
    rule->additional = builder.child(*more);
    rule->refuses_additional = more->IsFalse();
  }
  if (const Value* const required = builder.keyword("required", Vocabulary::Validation)) {
    HOST_TRY(builder.require_strings("required", *required));
    for (const Value& name : required->GetArray()) rule->properties.require(text(name));
  }
  const bool needed =
      !rule->properties.empty() || !rule->patterns.empty() || rule->additional != kNoNode;
  if (needed) builder.add(kObject, std::move(rule)).properties.index();
  return {};
}

Result<void> add_count(Builder& builder) {
  const Value* const least = builder.keyword("minProperties", Vocabulary::Validation);
  const Value* const most = builder.keyword("maxProperties", Vocabulary::Validation);
  if (least == nullptr && most == nullptr) return {};
  std::uint64_t least_count = 0;
  std::uint64_t most_count = kNoLimit;
  if (least != nullptr) {
    HOST_TRY_ASSIGN(least_count, builder.count("minProperties", *least));
  }
  if (most != nullptr) {
    HOST_TRY_ASSIGN(most_count, builder.count("maxProperties", *most));
  }
  builder.add(kObject, std::make_unique<MemberCount>(least_count, most_count));
  return {};
}

}  // namespace

Result<void> add_object_rules(Builder& builder) {
  HOST_TRY(add_count(builder));
  HOST_TRY(add_members(builder));
  const Value* const names = builder.keyword("propertyNames", Vocabulary::Applicator);
  if (names == nullptr) return {};
  if (!is_schema(*names)) {
    return builder.wrong("propertyNames", "must be a schema, got " + describe_value(*names));
  }
  builder.add(kObject, std::make_unique<PropertyNames>(builder.child(*names)));
  return {};
}

}  // namespace host::json::schema
