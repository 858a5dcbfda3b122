// items, prefixItems, additionalItems, contains, minContains, maxContains, minItems, maxItems,
// uniqueItems
#include <algorithm>
#include <limits>

#include "json/hash.h"
#include "json/schema/keyword/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

class Size : public Rule {
 public:
  Size(std::uint64_t least, std::uint64_t most) : least_(least), most_(most) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    const std::uint64_t size = place.value.Size();
    if (size < least_) return too(run, place, "minItems", "at least ", least_);
    if (size > most_) return too(run, place, "maxItems", "at most ", most_);
    return true;
  }

 private:
  bool too(Run& run, const Place& place, std::string_view keyword, std::string_view words,
           std::uint64_t limit) const {
    return run.fail(*this, place, keyword, [&] {
      return "expected " + std::string(words) + std::to_string(limit) + " items, got " +
             std::to_string(place.value.Size());
    });
  }

  std::uint64_t least_;
  std::uint64_t most_;
};

class Items : public Rule {
 public:
  std::vector<NodeId> first;  // one an element, in order
  NodeId rest = kNoNode;      // for the elements after those

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    const rapidjson::SizeType size = place.value.Size();
    const rapidjson::SizeType end =
        rest != kNoNode ? size : std::min(size, static_cast<rapidjson::SizeType>(first.size()));
    bool good = true;
    for (rapidjson::SizeType i = 0; i < end; ++i) {
      const Place element{place.value[i], &place, {}, i};
      if (run.check(i < first.size() ? first[i] : rest, element, nullptr)) continue;
      good = false;
      if (!run.reporting()) return false;
    }
    if (evaluated != nullptr) mark(*evaluated, size);
    return good;
  }

 private:
  void mark(Evaluated& evaluated, std::size_t size) const {
    if (rest != kNoNode) {
      evaluated.mark_all();
      return;
    }
    for (std::size_t i = 0; i < std::min(size, first.size()); ++i) evaluated.mark(i);
  }
};

class Contains : public Rule {
 public:
  NodeId node = kNoNode;
  std::uint64_t least = 1;
  std::uint64_t most = kNoLimit;
  bool marks = true;  // draft-07 has no such annotation

  bool check(Run& run, const Place& place, Evaluated* evaluated) const override {
    std::uint64_t found = 0;
    const bool all = (evaluated != nullptr && marks) || most != kNoLimit;
    for (rapidjson::SizeType i = 0; i < place.value.Size(); ++i) {
      if (!all && found >= least) break;
      const Place element{place.value[i], &place, {}, i};
      if (!run.check_quietly(node, element, nullptr)) continue;
      ++found;
      if (evaluated != nullptr && marks) evaluated->mark(i);
    }
    if (found < least) {
      return run.fail(*this, place, least == 1 ? "contains" : "minContains", [&] {
        return "expected at least " + std::to_string(least) + " items that match `contains`, got " +
               std::to_string(found);
      });
    }
    if (found > most) {
      return run.fail(*this, place, "maxContains", [&] {
        return "expected at most " + std::to_string(most) + " items that match `contains`, got " +
               std::to_string(found);
      });
    }
    return true;
  }
};

class UniqueItems : public Rule {
 public:
  bool check(Run& run, const Place& place, Evaluated*) const override {
    const Value& array = place.value;
    const auto twice = array.Size() <= kFew ? find_pairwise(run, array) : find_by_hash(run, array);
    if (twice.first == twice.second) return run.exhausted().empty();
    return run.fail(*this, place, "uniqueItems", [&] {
      return "expected items that all differ, but " + std::to_string(twice.first) + " and " +
             std::to_string(twice.second) + " are both " + shown(array[twice.first]);
    });
  }

 private:
  using Index = rapidjson::SizeType;
  using Pair = std::pair<Index, Index>;
  static constexpr Index kFew = 12;

  static Pair find_pairwise(Run& run, const Value& array) {
    for (Index later = 1; later < array.Size(); ++later) {
      for (Index earlier = 0; earlier < later; ++earlier) {
        if (equal(array[earlier], array[later], &run)) return {earlier, later};
      }
    }
    return {0, 0};
  }

  static Pair find_by_hash(Run& run, const Value& array) {
    const std::uint64_t secret = hash_secret();
    std::vector<std::pair<std::uint64_t, Index>> hashes;
    hashes.reserve(array.Size());
    for (Index i = 0; i < array.Size(); ++i) hashes.emplace_back(hash(array[i], secret, run), i);
    std::sort(hashes.begin(), hashes.end());
    for (std::size_t i = 1; i < hashes.size(); ++i) {
      if (hashes[i - 1].first != hashes[i].first) continue;
      const Pair pair{hashes[i - 1].second, hashes[i].second};
      if (equal(array[pair.first], array[pair.second], &run)) return pair;
    }
    return {0, 0};
  }
};

Result<void> add_size(Builder& builder) {
  const Value* const least = builder.keyword("minItems", Vocabulary::Validation);
  const Value* const most = builder.keyword("maxItems", Vocabulary::Validation);
  if (least == nullptr && most == nullptr) return {};
  std::uint64_t least_count = 0;
  std::uint64_t most_count = kNoLimit;
  if (least != nullptr) {
    HOST_TRY_ASSIGN(least_count, builder.count("minItems", *least));
  }
  if (most != nullptr) {
    HOST_TRY_ASSIGN(most_count, builder.count("maxItems", *most));
  }
  builder.add(kArray, std::make_unique<Size>(least_count, most_count));
  return {};
}

Result<void> add_list(Builder& builder, std::string_view name, const Value& list, Items& items) {
  if (!list.IsArray()) {
    return builder.wrong(name, "must be an array of schemas, got " + describe_value(list));
  }
  for (const Value& schema : list.GetArray()) {
    if (!is_schema(schema)) {
      return builder.wrong(name, "must hold schemas, got " + describe_value(schema));
    }
    items.first.push_back(builder.child(schema));
  }
  return {};
}

Result<void> add_rest(Builder& builder, std::string_view name, const Value& schema, Items& items) {
  if (!is_schema(schema)) {
    return builder.wrong(name, schema.IsArray() && !builder.draft7()
                                   ? "must be a schema: for a list, use `prefixItems`"
                                   : "must be a schema, got " + describe_value(schema));
  }
  items.rest = builder.child(schema);
  return {};
}

Result<void> add_items(Builder& builder) {
  const bool draft7 = builder.draft7();
  const Value* const items = builder.keyword("items", Vocabulary::Applicator);
  const Value* const prefix =
      draft7 ? nullptr : builder.keyword("prefixItems", Vocabulary::Applicator);
  auto rule = std::make_unique<Items>();
  if (prefix != nullptr) HOST_TRY(add_list(builder, "prefixItems", *prefix, *rule));
  if (items != nullptr && draft7 && items->IsArray()) {
    HOST_TRY(add_list(builder, "items", *items, *rule));
    const Value* const more = builder.keyword("additionalItems", Vocabulary::Applicator);
    if (more != nullptr) HOST_TRY(add_rest(builder, "additionalItems", *more, *rule));
  } else if (items != nullptr) {
    HOST_TRY(add_rest(builder, "items", *items, *rule));
  }
  if (!rule->first.empty() || rule->rest != kNoNode) builder.add(kArray, std::move(rule));
  return {};
}

Result<void> add_contains(Builder& builder) {
  const Value* const contains = builder.keyword("contains", Vocabulary::Applicator);
  if (contains == nullptr) return {};
  if (!is_schema(*contains)) {
    return builder.wrong("contains", "must be a schema, got " + describe_value(*contains));
  }
  auto rule = std::make_unique<Contains>();
  rule->node = builder.child(*contains);
  rule->marks = !builder.draft7();
  const Value* const least = builder.keyword("minContains", Vocabulary::Validation);
  const Value* const most = builder.keyword("maxContains", Vocabulary::Validation);
  if (least != nullptr && !builder.draft7()) {
    HOST_TRY_ASSIGN(rule->least, builder.count("minContains", *least));
  }
  if (most != nullptr && !builder.draft7()) {
    HOST_TRY_ASSIGN(rule->most, builder.count("maxContains", *most));
  }
  builder.add(kArray, std::move(rule));
  return {};
}

}  // namespace

Result<void> add_array_rules(Builder& builder) {
  HOST_TRY(add_size(builder));
  HOST_TRY(add_items(builder));
  HOST_TRY(add_contains(builder));
  const Value* const unique = builder.keyword("uniqueItems", Vocabulary::Validation);
  if (unique == nullptr) return {};
  if (!unique->IsBool()) {
    return builder.wrong("uniqueItems", "must be true or false, got " + describe_value(*unique));
  }
  if (unique->IsTrue()) builder.add(kArray, std::make_unique<UniqueItems>());
  return {};
}

}  // namespace host::json::schema
