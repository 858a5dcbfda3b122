#include "plugin/serving/reading_workers.h"

#include <gtest/gtest.h>

#include "support/fake_provider.h"

namespace host::plugin {
namespace {

Offer offer_of(bool read_only) {
  tool::Declaration declared = test::declaration("t");
  declared.read_only = read_only;
  Offer offer;
  offer.tools.push_back(test::make_tool(std::move(declared)));
  return offer;
}

TEST(OnlyReads, APluginWhoseToolsAllReadIsHeldToIt) {
  EXPECT_TRUE(only_reads({}, offer_of(true)));
  EXPECT_FALSE(only_reads({}, offer_of(false)));
  Manifest also_intercepts;
  also_intercepts.intercepts.leave = true;
  EXPECT_TRUE(only_reads(also_intercepts, offer_of(true)));
}

TEST(OnlyReads, AnInterceptorWithoutToolsHasTheRightsThatItIsGranted) {
  Manifest intercepts;
  intercepts.intercepts.before = true;
  EXPECT_FALSE(only_reads(intercepts, {}));
  EXPECT_TRUE(only_reads({}, {})) << "resources and prompts are only read";
}

}  // namespace
}  // namespace host::plugin
