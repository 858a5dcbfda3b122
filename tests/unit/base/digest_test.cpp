#include "base/digest.h"

#include <gtest/gtest.h>

#include <set>

namespace host {
namespace {

// FIPS 180-4, appendix; RFC 4231, cases 2 and 6.
TEST(Digest, MatchesThePublishedVectors) {
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'),
                               "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Digest, OfPiecesIsThatOfTheWhole) {
  Sha256Stream stream;
  stream.add("a");
  stream.add("");
  stream.add("bc");
  EXPECT_EQ(stream.finish(), sha256("abc"));
}

TEST(Digest, FastOnesTellTextsApart) {
  EXPECT_EQ(fast_digest("a"), fast_digest("a"));
  EXPECT_NE(fast_digest("a"), fast_digest("b"));
}

TEST(RandomId, IsLongAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_id());
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_EQ(random_id().size(), 24u);  // 18 bytes, more than 128 bits
}

TEST(RandomId, IsNoOptionOfACommandLine) {
  for (int i = 0; i < 2000; ++i) EXPECT_NE(random_id(9).front(), '-');
}

TEST(EqualConstantTime, ComparesWholeTexts) {
  EXPECT_TRUE(equal_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_constant_time("secret", "Secret"));
  EXPECT_FALSE(equal_constant_time("secret", "secre"));
}

}  // namespace
}  // namespace host
