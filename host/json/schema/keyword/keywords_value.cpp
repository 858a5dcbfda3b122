// type, enum, const
#include <algorithm>
#include <array>
#include <utility>

#include "json/schema/keyword/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

Types type_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Types>, 7> kTypes = {{{"null", kNull},
                                                                         {"boolean", kBoolean},
                                                                         {"integer", kInteger},
                                                                         {"number", kNumber},
                                                                         {"string", kString},
                                                                         {"array", kArray},
                                                                         {"object", kObject}}};
  for (const auto& [known, types] : kTypes) {
    if (known == name) return types;
  }
  return 0;
}

Result<Types> read_types(Builder& builder, const Value& value) {
  Types types = 0;
  const auto add = [&](const Value& name) {
    const Types named = type_named(text(name));
    types |= named;
    return named != 0;
  };
  bool good = true;
  if (value.IsArray()) {
    for (const Value& name : value.GetArray()) good = add(name) && good;
  } else {
    good = add(value);
  }
  if (!good || types == 0) {
    return builder.wrong("type",
                         "must be one or more of null, boolean, integer, number, string, "
                         "array, object; got " +
                             shown(value));
  }
  return types;
}

class Const : public Rule {
 public:
  explicit Const(const Value& value) : value_(value) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    if (equal(value_, place.value, &run)) return true;
    return run.fail(*this, place, "const", [&] {
      return "expected " + shown(value_) + ", got " + describe_value(place.value);
    });
  }

 private:
  const Value& value_;
};

class Enum : public Rule {
 public:
  explicit Enum(const Value& values) : values_(values) {
    for (const Value& value : values.GetArray()) {
      if (value.IsString()) {
        strings_.push_back(text(value));
      } else {
        others_.push_back(&value);
      }
    }
    std::sort(strings_.begin(), strings_.end());
  }

  bool check(Run& run, const Place& place, Evaluated*) const override {
    if (place.value.IsString() ? has_string(name_of(place.value)) : has_other(run, place.value)) {
      return true;
    }
    return run.fail(*this, place, "enum", [&] {
      std::vector<const Value*> all;
      for (const Value& value : values_.GetArray()) all.push_back(&value);
      return "expected one of " + listed(all) + "; got " + describe_value(place.value);
    });
  }

 private:
  static constexpr std::size_t kFew = 8;

  bool has_string(std::string_view string) const {
    if (strings_.size() > kFew) {
      return std::binary_search(strings_.begin(), strings_.end(), string);
    }
    return std::find(strings_.begin(), strings_.end(), string) != strings_.end();
  }

  bool has_other(Run& run, const Value& value) const {
    for (const Value* const other : others_) {
      if (equal(*other, value, &run)) return true;
    }
    return false;
  }

  const Value& values_;
  std::vector<std::string_view> strings_;
  std::vector<const Value*> others_;
};

}  // namespace

Result<void> add_value_rules(Builder& builder) {
  if (const Value* const type = builder.keyword("type", Vocabulary::Validation)) {
    HOST_TRY_ASSIGN(builder.node().types, read_types(builder, *type));
  }
  if (const Value* const value = builder.keyword("const", Vocabulary::Validation)) {
    builder.add(kAnyType, std::make_unique<Const>(*value));
  }
  if (const Value* const values = builder.keyword("enum", Vocabulary::Validation)) {
    if (!values->IsArray()) {
      return builder.wrong("enum", "must be an array, got " + describe_value(*values));
    }
    builder.add(kAnyType, std::make_unique<Enum>(*values));
  }
  return {};
}

}  // namespace host::json::schema
