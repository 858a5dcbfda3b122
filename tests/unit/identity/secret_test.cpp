#include "identity/secret.h"

#include <gtest/gtest.h>

#include "identity/scopes.h"

namespace host::identity {
namespace {

TEST(Secret, AKeyNamesItsIdAndNothingElseHasItsForm) {
  const ApiKey key = make_api_key();
  EXPECT_EQ(id_of(key.text), key.id);
  EXPECT_NE(make_api_key().text, key.text);
  EXPECT_EQ(id_of(""), std::nullopt);
  EXPECT_EQ(id_of(key.text + "x"), std::nullopt);
  EXPECT_EQ(id_of(key.text.substr(1)), std::nullopt);
  EXPECT_EQ(id_of("sk" + key.text.substr(2)), std::nullopt);
}

TEST(Secret, PrincipalsHaveNamesThatFitEverywhere) {
  for (const char* const good : {"anna", "agent-7", "a.b_C", "0", "operator", "hostess"}) {
    EXPECT_TRUE(check_principal(good)) << good;
  }
  for (const char* const bad : {"", "local", "a b", "a\n", "\xc3\xa4", "a/b", "?", "Local", "LOCAL",
                                "host", "Host", "oauth", "OAuth", "Operator", "OPERATOR", "cli"}) {
    EXPECT_FALSE(check_principal(bad)) << bad;
  }
  EXPECT_FALSE(check_principal(std::string(65, 'a')));
}

TEST(Scopes, AreWords) {
  EXPECT_EQ(to_text(kEveryScope), "call approve admin context");
  EXPECT_EQ(to_text(Scopes(Scope::Approve)), "approve");
  EXPECT_EQ(scope_from("admin"), Scope::Admin);
  EXPECT_EQ(scope_from("context"), Scope::Context);
  EXPECT_EQ(scope_from("root"), std::nullopt);
  EXPECT_FALSE(Scopes(Scope::Approve).has(Scope::Call));
}

}  // namespace
}  // namespace host::identity
