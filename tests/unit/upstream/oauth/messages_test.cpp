#include "upstream/oauth/messages.h"

#include <gtest/gtest.h>

#include "base/text/encoding.h"
#include "upstream/oauth/record.h"

namespace host::upstream::oauth {
namespace {

const WallTime kNow{std::chrono::hours(24 * 365 * 50)};

TEST(Form, IsReadAsItIsWritten) {
  const Form form = {{"a b", "c&d=e+f%"}, {"state", "~-._/"}, {"empty", ""}};
  const auto read = read_form(to_string(form));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, form);
  EXPECT_EQ(value_of(*read, "a b"), "c&d=e+f%");
  EXPECT_EQ(value_of(*read, "none"), "");
}

TEST(Form, IsRefusedIfItIsBrokenOrTwofold) {
  for (const char* const text : {"a=%", "a=%4", "a=%g0", "a=1&a=1", "code=1&state=2&code=3"})
    EXPECT_FALSE(read_form(text)) << text;
  EXPECT_EQ(value_of(*read_form("&&a&=b&"), "a"), "");
  std::string many;
  for (int i = 0; i < 33; ++i) many += "p" + std::to_string(i) + "=1&";
  EXPECT_FALSE(read_form(many));
}

TEST(Form, IsAddedToAQuery) {
  EXPECT_EQ(with_query("https://a/", {{"b", "c d"}}), "https://a/?b=c%20d");
  EXPECT_EQ(with_query("https://a/?x=1", {{"b", "c"}}), "https://a/?x=1&b=c");
  EXPECT_EQ(with_query("https://a/?", {{"b", "c"}}), "https://a/?b=c");
}

// The example of RFC 7636, appendix B.
TEST(Pkce, IsThatOfTheStandard) {
  EXPECT_EQ(code_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(Registration, IsOfANativePublicClientWhereThatIsOffered) {
  ServerMetadata server;
  const auto request = registration_request(server, "http://127.0.0.1:1/callback", {"a", "b"});
  EXPECT_NE(request.find(R"("application_type":"native")"), std::string::npos);
  EXPECT_NE(request.find(R"("token_endpoint_auth_method":"none")"), std::string::npos);
  EXPECT_NE(request.find(R"("scope":"a b")"), std::string::npos);
  server.auth_methods = {"client_secret_post"};
  EXPECT_NE(registration_request(server, "x", {}).find(R"("client_secret_post")"),
            std::string::npos);
}

TEST(Registration, IsReadWithItsBounds) {
  const auto read =
      read_registration(R"({"client_id":"c","client_secret":"s","client_secret_expires_at":7})",
                        "http://127.0.0.1:1/callback");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->method, "client_secret_basic");
  EXPECT_EQ(read->secret_expires, WallTime(std::chrono::seconds(7)));
  for (const char* const bad :
       {"", "[]", R"({"client_id":""})", R"({"client_id":"a b"})",
        R"({"client_id":"c","token_endpoint_auth_method":"private_key_jwt"})",
        R"({"client_id":"c","token_endpoint_auth_method":"client_secret_post"})"})
    EXPECT_FALSE(read_registration(bad, "r")) << bad;
}

TEST(Client, ProvesItselfByItsMethod) {
  Form form;
  outbound::Headers headers;
  add_client({"id:", "s&", "client_secret_basic", "", {}}, form, headers);
  EXPECT_TRUE(form.empty());
  EXPECT_EQ(headers, (outbound::Headers{{"Authorization", "Basic " + base64("id%3A:s%26")}}));
  headers.clear();
  add_client({"id", "s", "client_secret_post", "", {}}, form, headers);
  EXPECT_EQ(form, (Form{{"client_id", "id"}, {"client_secret", "s"}}));
  form.clear();
  add_client({"id", "", "none", "", {}}, form, headers);
  EXPECT_EQ(form, (Form{{"client_id", "id"}}));
  EXPECT_TRUE(headers.empty());
}

TEST(Tokens, AreReadWithTheirLife) {
  const auto read = read_tokens(
      R"({"access_token":"a","refresh_token":"r","token_type":"bearer","expires_in":60,"scope":"x y"})",
      kNow);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->expires, kNow + std::chrono::seconds(60));
  EXPECT_EQ(read->scopes, (std::vector<std::string>{"x", "y"}));
  const auto endless =
      read_tokens(R"({"access_token":"a","token_type":"Bearer","expires_in":-1})", kNow);
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->expires, WallTime());
  EXPECT_FALSE(endless->has_scopes);
  EXPECT_TRUE(
      read_tokens(R"({"access_token":"a","token_type":"Bearer","expires_in":1e300})", kNow));
}

TEST(Tokens, AreRefusedIfTheyFitNoHeader) {
  for (const std::string& token :
       {std::string("a b"), std::string("a\\nb"), std::string(7000, 'a'), std::string()}) {
    EXPECT_FALSE(read_tokens(R"({"access_token":")" + token + R"(","token_type":"Bearer"})", kNow))
        << token.size();
  }
  EXPECT_FALSE(read_tokens(R"({"access_token":"a","token_type":"DPoP"})", kNow));
  EXPECT_FALSE(read_tokens("no", kNow));
}

TEST(Refusals, AreNamedByAValidCodeAlone) {
  EXPECT_EQ(error_code_in(R"({"error":"invalid_grant"})"), "invalid_grant");
  for (const char* const bad :
       {"", "{}", R"({"error":1})", R"({"error":"a\nb"})", R"({"error":"a\"b"})"})
    EXPECT_EQ(error_code_in(bad), "") << bad;
  EXPECT_EQ(error_code_in(R"({"error":")" + std::string(65, 'a') + "\"}"), "");
}

TEST(Record, IsReadAsItIsWritten) {
  LoginRecord record;
  record.url = "https://a.example/mcp";
  record.issuer = "https://login.example";
  record.client = {"id", "secret", "client_secret_post", "http://127.0.0.1:1/callback", kNow};
  record.resource = "https://a.example";
  record.token_endpoint = "https://login.example/t";
  record.revocation_endpoint = "https://login.example/r";
  record.access_token = "access";
  record.refresh_token = "refresh";
  record.obtained = kNow;
  record.expires = kNow + std::chrono::milliseconds(1);
  record.scopes = {"a"};
  record.wanted = {"b", "c"};
  const auto read = read_record(to_json(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, record);
  EXPECT_FALSE(read_record("no"));
}

}  // namespace
}  // namespace host::upstream::oauth
