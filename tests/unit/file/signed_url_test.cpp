#include "file/signed_url.h"

#include <gtest/gtest.h>

#include <chrono>

namespace host::file {
namespace {

using namespace std::chrono_literals;

constexpr SealKey kKey{1, 2, 3};

Grant grant() {
  Grant made;
  made.id = "file_a";
  made.principal = "anna";
  made.agent = "writer";
  made.keyed = true;
  made.login = "l1";
  made.until = WallTime(7s);
  made.made = WallTime(5s);
  made.expires = WallTime(9s);
  made.name = "q3.pdf";
  made.content_type = "application/pdf";
  made.bytes = 12;
  made.sha256 = "ab";
  return made;
}

TEST(SignedUrl, BringsBackWhatItWasMadeFor) {
  const auto read = read_token(kKey, Use::Upload, "file_a", token_of(kKey, Use::Upload, grant()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, "file_a");
  EXPECT_EQ(read->principal, "anna");
  EXPECT_EQ(read->agent, "writer");
  EXPECT_TRUE(read->keyed);
  EXPECT_EQ(read->login, "l1");
  EXPECT_EQ(read->until, WallTime(7s));
  EXPECT_EQ(read->made, WallTime(5s));
  EXPECT_EQ(read->expires, WallTime(9s));
  EXPECT_EQ(read->name, "q3.pdf");
  EXPECT_EQ(read->content_type, "application/pdf");
  EXPECT_EQ(read->bytes, 12u);
  EXPECT_EQ(read->sha256, "ab");
}

TEST(SignedUrl, IsNotGoodForAnotherUseFileOrKey) {
  const std::string token = token_of(kKey, Use::Upload, grant());
  EXPECT_FALSE(read_token(kKey, Use::Download, "file_a", token));
  EXPECT_FALSE(read_token(kKey, Use::Upload, "file_b", token));
  EXPECT_FALSE(read_token(SealKey{9}, Use::Upload, "file_a", token));
}

TEST(SignedUrl, IsNotGoodOnceACharacterIsChanged) {
  const std::string token = token_of(kKey, Use::Upload, grant());
  for (std::size_t at = 0; at < token.size(); ++at) {
    std::string changed = token;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(read_token(kKey, Use::Upload, "file_a", changed)) << at;
  }
  EXPECT_FALSE(read_token(kKey, Use::Upload, "file_a", ""));
  EXPECT_FALSE(read_token(kKey, Use::Upload, "file_a", token.substr(1)));
}

}  // namespace
}  // namespace host::file
