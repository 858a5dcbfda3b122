// Which keys of a published set may check a token.
#include "identity/oauth/key_set.h"

#include <gtest/gtest.h>

#include "token_maker.h"

namespace host::identity {
namespace {

using test::IssuerKey;
using test::key_set_of;

KeySet good_set(const std::string& jwks) {
  return KeySet::read(key_set_of(jwks)).value();
}

// Empty: the key serves.
std::string reason_for(const std::string& jwk) {
  const KeySet set = good_set(jwk);
  EXPECT_EQ(set.size() + set.left_out().size(), 1u);
  return set.left_out().empty() ? "" : set.left_out().front();
}

bool leaves_out(const std::string& jwk, const std::string& words) {
  const std::string reason = reason_for(jwk);
  EXPECT_NE(reason.find(words), std::string::npos) << reason;
  return !reason.empty();
}

TEST(KeySet, FindsByIdAndByWhatAKeyOfThatTypeSigns) {
  const KeySet set = good_set(IssuerKey::rsa().jwk(R"("kid":"r","use":"sig","alg":"PS256",)") +
                              "," + IssuerKey::ec().jwk(R"("kid":"e","key_ops":["verify"],)") +
                              "," + IssuerKey::ed25519().jwk(R"("kid":"o","alg":"Ed25519",)"));
  EXPECT_EQ(set.size(), 3u);
  EXPECT_EQ(set.find("r", Algorithm::Ps256).size(), 1u);
  EXPECT_EQ(set.find("r", Algorithm::Rs256).size(), 0u);  // its `alg` says what it is for
  EXPECT_EQ(set.find("e", Algorithm::Es256).size(), 1u);
  EXPECT_EQ(set.find("e", Algorithm::EdDsa).size(), 0u);
  EXPECT_EQ(set.find("o", Algorithm::EdDsa).size(), 1u);
  EXPECT_EQ(set.find("x", Algorithm::Es256).size(), 0u);
}

TEST(KeySet, ATokenWithoutKidHasItsKeyWhereOneAloneCouldBeMeant) {
  const std::string one = IssuerKey::ec().jwk(R"("kid":"a",)");
  const std::string other = IssuerKey::ec().jwk();
  EXPECT_EQ(good_set(one).find(std::nullopt, Algorithm::Es256).size(), 1u);
  EXPECT_EQ(good_set(other).find(std::nullopt, Algorithm::Es256).size(), 1u);
  EXPECT_EQ(good_set(other).find("a", Algorithm::Es256).size(), 0u);
  const KeySet both = good_set(one + "," + other);
  EXPECT_EQ(both.find(std::nullopt, Algorithm::Es256).size(), 0u);
  EXPECT_EQ(both.find("a", Algorithm::Es256).size(), 1u);
}

TEST(KeySet, LeavesOutWhatMayNotCheckAToken) {
  const IssuerKey rsa = IssuerKey::rsa();
  EXPECT_EQ(reason_for(rsa.jwk()), "");
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("use":"enc",)"), "not for signatures"));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("use":7,)"), "not for signatures"));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("key_ops":["encrypt"],)"), "not for signatures"));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("key_ops":[],)"), "not for signatures"));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("key_ops":"verify",)"), "not for signatures"));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("alg":"RS512",)"), "\"alg\""));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("alg":"HS256",)"), "\"alg\""));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("alg":"none",)"), "\"alg\""));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("d":"AQAB",)"), "private part"));
  EXPECT_TRUE(leaves_out(rsa.jwk(R"("kid":1,)"), "\"kid\""));
  EXPECT_TRUE(leaves_out(R"({"kty":"oct","kid":"s","k":"c2VjcmV0"})", "key \"s\""));
  EXPECT_TRUE(leaves_out(R"({"kty":"oct"})", "its type or curve"));
  EXPECT_TRUE(leaves_out(R"({"kty":"RSA","e":"AQAB"})", "\"n\" is missing"));
  EXPECT_TRUE(leaves_out(R"({"kty":"RSA","n":"!!","e":"AQAB"})", "no base64url"));
  EXPECT_TRUE(leaves_out(IssuerKey::rsa(1024).jwk(), "2048"));
  EXPECT_TRUE(leaves_out(IssuerKey::rsa(2048, 3).jwk(), "exponent"));
  EXPECT_TRUE(leaves_out(IssuerKey::ec("P-384").jwk(), "its type or curve"));
  EXPECT_TRUE(leaves_out("7", "no object"));
}

TEST(KeySet, AKeyThatServesDoesSoBesideOthersThatDoNot) {
  const KeySet set = good_set(R"({"kty":"oct","k":"c2VjcmV0"},)" + IssuerKey::ec().jwk());
  EXPECT_EQ(set.size(), 1u);
  EXPECT_EQ(set.left_out().size(), 1u);
}

TEST(KeySet, IsRefusedWholeWhereItIsNone) {
  for (const char* const bad : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[],"keys":[]})", "x"})
    EXPECT_FALSE(KeySet::read(bad)) << bad;
  std::string many;
  for (int i = 0; i < 65; ++i) many += i ? ",{}" : "{}";
  EXPECT_FALSE(KeySet::read(key_set_of(many)));
  EXPECT_EQ(good_set("").size(), 0u);  // an issuer may take all its keys back
}

}  // namespace
}  // namespace host::identity
