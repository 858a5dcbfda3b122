// minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
#include <array>

#include "json/schema/keyword/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

struct Bound {
  std::string_view keyword;
  std::string_view words;
  bool upper;
  bool exclusive;
};

constexpr std::array<Bound, 4> kBounds = {{{"minimum", "at least", false, false},
                                           {"maximum", "at most", true, false},
                                           {"exclusiveMinimum", "more than", false, true},
                                           {"exclusiveMaximum", "less than", true, true}}};

class Limit : public Rule {
 public:
  Limit(const Bound& bound, const Value& limit) : bound_(bound), limit_(limit) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    const std::partial_ordering order = compare_numbers(place.value, limit_);
    if (bound_.upper ? order < 0 : order > 0) return true;
    if (!bound_.exclusive && order == 0) return true;
    return run.fail(*this, place, bound_.keyword, [&] {
      return "expected " + std::string(bound_.words) + ' ' + shown(limit_) + ", got " +
             shown(place.value);
    });
  }

 private:
  const Bound& bound_;
  const Value& limit_;
};

class MultipleOf : public Rule {
 public:
  explicit MultipleOf(const Value& divisor) : divisor_(divisor) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    if (is_multiple(place.value, divisor_)) return true;
    return run.fail(*this, place, "multipleOf", [&] {
      return "expected a multiple of " + shown(divisor_) + ", got " + shown(place.value);
    });
  }

 private:
  const Value& divisor_;
};

}  // namespace

Result<void> add_number_rules(Builder& builder) {
  for (const Bound& bound : kBounds) {
    const Value* const limit = builder.keyword(bound.keyword, Vocabulary::Validation);
    if (limit == nullptr) continue;
    if (!limit->IsNumber()) {
      return builder.wrong(bound.keyword, "must be a number, got " + describe_value(*limit));
    }
    builder.add(kNumber, std::make_unique<Limit>(bound, *limit));
  }
  if (const Value* const divisor = builder.keyword("multipleOf", Vocabulary::Validation)) {
    const bool positive = divisor->IsNumber() && compare_numbers(*divisor, Value(0)) > 0;
    if (!positive) {
      return builder.wrong("multipleOf",
                           "must be a number above 0, got " + describe_value(*divisor));
    }
    builder.add(kNumber, std::make_unique<MultipleOf>(*divisor));
  }
  return {};
}

}  // namespace host::json::schema
