#include "protocol/versions.h"

#include <gtest/gtest.h>

namespace host::protocol {
namespace {

TEST(Versions, EachNameLeadsToItselfAndNoOtherNameDoes) {
  for (const Version version : {Version::v2024_11_05, Version::v2025_03_26, Version::v2025_06_18,
                                Version::v2025_11_25, Version::v2026_07_28}) {
    EXPECT_EQ(version_from(to_string(version)), version);
  }
  EXPECT_FALSE(version_from("2024-10-07"));
  EXPECT_FALSE(version_from("v999.0.0"));
  EXPECT_FALSE(version_from(""));
}

TEST(Versions, InitializeCannotReachTheStatelessVersion) {
  EXPECT_FALSE(legacy_version_from("2026-07-28"));
  EXPECT_FALSE(features(kLatestLegacy).stateless);
  EXPECT_TRUE(is_modern_name("2026-07-28"));
  EXPECT_FALSE(is_modern_name("2025-11-25"));
}

TEST(Versions, OnlyOneVersionHasBatches) {
  EXPECT_TRUE(features(Version::v2025_03_26).batches);
  EXPECT_FALSE(features(Version::v2024_11_05).batches);
  EXPECT_FALSE(features(Version::v2025_06_18).batches);
}

}  // namespace
}  // namespace host::protocol
