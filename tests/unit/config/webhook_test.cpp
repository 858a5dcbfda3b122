// [[webhook]] and [webhooks].
#include "config/webhook.h"

#include <cstdlib>

#include "loading.h"

namespace host::config {
namespace {

constexpr const char* kOne =
    "[[webhook]]\nid = \"ops\"\nurl = \"https://hooks.example/\"\nsecret = { env = \"SECRET\" }\n";

TEST(Webhook, IsReadWithItsDefaults) {
  const Config config = good(parse_text(kOne));
  ASSERT_EQ(config.webhook.size(), 1u);
  EXPECT_EQ(config.webhook[0].principal, "local");
  EXPECT_EQ(config.webhook[0].covers, Covers::Principal);
  EXPECT_TRUE(config.webhook[0].events.empty());
}

TEST(Webhook, NeedsAnIdOfItsOwnAndASecretThatIsNotInTheFile) {
  const std::string one = kOne;
  EXPECT_NE(told(parse_text(one + one)).find("a second webhook \"ops\""), std::string::npos);
  EXPECT_NE(told(parse_text("[[webhook]]\nid = \"wh_1\"\nurl = \"https://a.example/\"\n"
                            "secret = { env = \"S\" }\n"))
                .find("do not begin with wh_"),
            std::string::npos);
  EXPECT_NE(told(parse_text("[[webhook]]\nid = \"ops\"\nurl = \"https://a.example/\"\n"))
                .find("secret is missing"),
            std::string::npos);
  for (const char* const secret : {"{}", "{ env = \"9\" }", "{ file = \"relative\" }",
                                   "{ env = \"A\", file = \"/b\" }", "{ text = \"whsec_A\" }"}) {
    EXPECT_NE(told(parse_text("[[webhook]]\nid = \"ops\"\nurl = \"https://a.example/\"\nsecret = " +
                              std::string(secret) + "\n"))
                  .find("secret in [[webhook]]: expected"),
              std::string::npos)
        << secret;
  }
  EXPECT_NE(told(parse_text(one + "old_secret = { file = \"x\" }\n")).find("old_secret in"),
            std::string::npos);
}

TEST(Webhook, NeedsAStore) {
  EXPECT_NE(told(parse_text(std::string(kOne) + "[store]\nfile = \"\"\n"))
                .find("there is a [[webhook]], and file in [store] is empty"),
            std::string::npos);
}

TEST(Webhook, IsShownSoThatItLoadsTheSame) {
  const Config config =
      good(parse_text(std::string(kOne) +
                      "old_secret = { file = \"/run/old\" }\nevents = [\"call.finished\"]\n"
                      "covers = \"all\"\n[webhooks]\nretry_first_s = 0.5\n"
                      "loopback = [\"http://127.0.0.1:9000\"]\n"));
  Config again = good(parse_text(show(config)));
  again.file = config.file;
  EXPECT_EQ(again.webhook, config.webhook);
  EXPECT_EQ(again.webhooks, config.webhooks);
}

TEST(Webhook, OriginsOnPrivateNetworksAreHttps) {
  EXPECT_NE(
      told(parse_text("[webhooks]\ninternal = [\"http://10.0.0.1\"]\n")).find("an https origin"),
      std::string::npos);
  EXPECT_EQ(told(parse_text("[webhooks]\ninternal = [\"https://10.0.0.1:8443\"]\n")), "");
}

TEST(Webhook, ASecretIsReadWhenItIsNeeded) {
  ::setenv("TOOLPOST_TEST_SECRET", "whsec_x", 1);
  EXPECT_EQ(secret_value(R"({"env":"TOOLPOST_TEST_SECRET"})").value(), "whsec_x");
  EXPECT_EQ(secret_value(R"({"env":"TOOLPOST_TEST_NONE"})").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(secret_value(R"({"file":"/nowhere"})").error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace host::config
