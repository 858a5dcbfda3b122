#include "metrics/registry.h"

#include <gtest/gtest.h>

namespace host::metrics {
namespace {

TEST(Registry, CountsWhatHasTheSameLabelsTogether) {
  Registry registry;
  Family& family = registry.add({"calls", Kind::Counter, "", {"tool", "outcome"}, {}});
  family.ensure({"a", "ok"}).value += 1;
  family.ensure({"a", "ok"}).value += 1;
  family.ensure({"a", "denied"}).value += 1;
  EXPECT_EQ(family.series().size(), 2u);
  EXPECT_EQ(family.ensure({"a", "ok"}).value, 2);
  EXPECT_EQ(family.ensure({"", "aok"}).value, 0);  // values do not run into each other
}

TEST(Registry, HoldsNoMoreSeriesThanItMay) {
  Registry registry;
  Family& family = registry.add({"calls", Kind::Counter, "", {"tool"}, {}, 2});
  family.ensure({"a"}).value = 1;
  family.ensure({"b"}).value = 1;
  const std::string_view third[] = {"c"};
  EXPECT_EQ(family.find(third), nullptr);
  family.ensure({"c"}).value += 1;
  family.ensure({"d"}).value += 1;
  EXPECT_EQ(family.series().size(), 3u);
  const std::string_view other[] = {"other"};
  ASSERT_NE(family.find(other), nullptr);
  EXPECT_EQ(family.find(other)->value, 2);
  EXPECT_EQ(family.ensure({"a"}).value, 1);
}

TEST(Registry, AnObservationStandsInTheFirstBucketThatHoldsIt) {
  Registry registry;
  Family& family = registry.add({"s", Kind::Histogram, "", {}, {0.1, 1}});
  Series& series = family.ensure({});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) family.observe(series, value);
  EXPECT_EQ(series.below, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(series.count, 4u);
  EXPECT_DOUBLE_EQ(series.value, 7.65);
}

}  // namespace
}  // namespace host::metrics
