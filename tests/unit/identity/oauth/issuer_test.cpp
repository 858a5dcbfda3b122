// Finding an issuer's keys, keeping them, and asking again no more often than is right.
#include "identity/oauth/issuer.h"

#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <map>
#include <new>
#include <vector>

#include "identity/oauth/issuer_metadata.h"
#include "identity/oauth/protected_resource.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "token_maker.h"

namespace host::identity {
namespace {

using namespace std::chrono_literals;

TEST(IssuerMetadata, IsLookedForInTheOrderOfMcp) {
  EXPECT_EQ(metadata_urls("https://a.example"),
            (std::vector<std::string>{"https://a.example/.well-known/oauth-authorization-server",
                                      "https://a.example/.well-known/openid-configuration"}));
  EXPECT_EQ(metadata_urls("https://a.example/"), metadata_urls("https://a.example"));
  EXPECT_EQ(
      metadata_urls("https://a.example:8443/t/x"),
      (std::vector<std::string>{"https://a.example:8443/.well-known/oauth-authorization-server/t/x",
                                "https://a.example:8443/.well-known/openid-configuration/t/x",
                                "https://a.example:8443/t/x/.well-known/openid-configuration"}));
}

TEST(IssuerMetadata, IsOfThatIssuerByteByByte) {
  const auto url = [](const char* text) { return read_jwks_url(text, "https://a.example"); };
  EXPECT_EQ(url(R"({"issuer":"https://a.example","jwks_uri":"https://k"})").value(), "https://k");
  EXPECT_EQ(url(R"({"issuer":"https://a.example/","jwks_uri":"https://k"})").error().kind,
            ErrorKind::Denied);
  EXPECT_FALSE(url(R"({"jwks_uri":"https://k"})"));
  EXPECT_FALSE(url(R"({"issuer":"https://a.example"})"));
  EXPECT_FALSE(url("<html>"));
  EXPECT_FALSE(url("[]"));
}

class IssuerTest : public ::testing::Test {
 protected:
  void make(const std::string& jwks_url = {}) {
    issuer_ = std::make_shared<Issuer>(
        loop_.io.get_executor(), Issuer::Settings{"https://a.example", jwks_url, 600s}, clock_,
        [this](std::string url, std::shared_ptr<Cancel>, auto done) {
          asked_.push_back(url);
          boost::asio::post(loop_.io, [this, url, done] { done(answer_to(url)); });
        },
        [this](KeySet keys) {
          if (throws_) throw std::bad_alloc();
          sets_.push_back(keys.size());
        });
  }
  Result<Issuer::Answer> answer_to(const std::string& url) const {
    if (down_) return Error{ErrorKind::Io, "cannot connect"};
    const auto at = pages_.find(url);
    if (at == pages_.end()) return Issuer::Answer{404, ""};
    return Issuer::Answer{200, at->second};
  }
  // "" where it went well.
  std::string refresh() {
    const Result<void> done = loop_.get(issuer_->refresh());
    return done ? "" : done.error().message;
  }

  static constexpr const char* kOAuthPage =
      "https://a.example/.well-known/oauth-authorization-server";
  static constexpr const char* kOpenIdPage = "https://a.example/.well-known/openid-configuration";

  test::ManualClock clock_;
  test::RunLoop loop_;
  std::map<std::string, std::string> pages_ = {
      {kOpenIdPage, R"({"issuer":"https://a.example","jwks_uri":"https://a.example/keys"})"},
      {"https://a.example/keys", R"({"keys":[]})"}};
  bool down_ = false;
  bool throws_ = false;
  std::vector<std::string> asked_;
  std::vector<std::size_t> sets_;
  std::shared_ptr<Issuer> issuer_;
};

TEST_F(IssuerTest, FindsItsKeysByItsMetadata) {
  make();
  EXPECT_EQ(refresh(), "");
  EXPECT_EQ(asked_, (std::vector<std::string>{kOAuthPage, kOpenIdPage, "https://a.example/keys"}));
  EXPECT_EQ(sets_, std::vector<std::size_t>{0});
}

TEST_F(IssuerTest, ReadsKeysFromWhereItIsTold) {
  pages_["https://k.example/jwks"] = test::key_set_of(test::IssuerKey::ec().jwk());
  make("https://k.example/jwks");
  EXPECT_EQ(refresh(), "");
  EXPECT_EQ(asked_, std::vector<std::string>{"https://k.example/jwks"});
  EXPECT_EQ(refresh(), "");
  EXPECT_EQ(sets_, std::vector<std::size_t>{1});  // the same set is told once
}

TEST_F(IssuerTest, TrustsNoMetadataOfAnother) {
  pages_[kOAuthPage] = R"({"issuer":"https://b.example","jwks_uri":"https://a.example/keys"})";
  make();
  EXPECT_NE(refresh().find("names another issuer"), std::string::npos);
  EXPECT_EQ(asked_, std::vector<std::string>{kOAuthPage});
  EXPECT_TRUE(sets_.empty());
}

TEST_F(IssuerTest, SaysWhatItDidNotFind) {
  pages_.clear();
  make();
  const std::string said = refresh();
  EXPECT_NE(said.find(std::string(kOpenIdPage) + ": status 404"), std::string::npos) << said;
  pages_ = {{kOAuthPage, R"({"issuer":"https://a.example","jwks_uri":"https://a.example/keys"})"}};
  EXPECT_EQ(refresh(), "https://a.example/keys: status 404");
  pages_["https://a.example/keys"] = "<html>";
  EXPECT_NE(refresh().find("the key set is not JSON"), std::string::npos);
  EXPECT_TRUE(sets_.empty());
}

TEST_F(IssuerTest, KeysOfBeforeHoldOnWhileItIsGone) {
  make();
  EXPECT_EQ(refresh(), "");
  down_ = true;
  EXPECT_NE(refresh().find("cannot connect"), std::string::npos);
  EXPECT_EQ(sets_.size(), 1u);
}

TEST_F(IssuerTest, IsAskedAgainAtMostOnceInTenSeconds) {
  make();
  issuer_->start();
  EXPECT_EQ(issuer_->look_again(), 1s);  // that try is under way
  loop_.turn();
  const std::size_t once = asked_.size();
  ASSERT_EQ(sets_.size(), 1u);
  // The first wish is heard, however fresh the keys are: it may be for one that came since.
  for (std::size_t tries = 2; tries < 4; ++tries) {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(issuer_->look_again(), 1s);
    loop_.turn();
    EXPECT_EQ(asked_.size(), tries * once);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(issuer_->look_again(), std::nullopt);
    loop_.turn();
    EXPECT_EQ(asked_.size(), tries * once);
    clock_.advance(10s);
  }
  // Where that did not go well nobody knows that there are no other keys.
  down_ = true;
  EXPECT_EQ(issuer_->look_again(), 1s);
  loop_.turn();
  clock_.advance(4s);
  EXPECT_EQ(issuer_->look_again(), 6s);
  issuer_->stop();
  loop_.drain();
}

TEST_F(IssuerTest, IsAskedAgainAtOnceAfterItsTriesBrokeOff) {
  make();
  throws_ = true;
  issuer_->start();
  loop_.turn();
  const std::size_t once = asked_.size();
  ASSERT_GT(once, 0u);
  throws_ = false;
  EXPECT_EQ(issuer_->look_again(), 1s) << "a token has an unknown key";
  loop_.turn();
  EXPECT_EQ(asked_.size(), 2 * once);
  EXPECT_EQ(sets_.size(), 1u) << "the keys were not given on before";
  EXPECT_EQ(issuer_->look_again(), std::nullopt);
  issuer_->stop();
  loop_.drain();
}

TEST_F(IssuerTest, TheFirstTryIsWaitedForAndNoLongerThanThat) {
  make();
  issuer_->start();
  const auto waited =
      loop_.start([](std::shared_ptr<Issuer> issuer) -> boost::asio::awaitable<bool> {
        co_await issuer->wait_for_first_try(1h);
        co_return true;
      }(issuer_));
  loop_.turn();
  EXPECT_TRUE(waited->has_value());
  issuer_->stop();
  loop_.drain();
}

TEST(ProtectedResource, SaysWhereToGetATokenAndForWhat) {
  const ProtectedResource one("https://tools.example/mcp", "https://login.example",
                              {"toolpost:call", "", "toolpost:admin"});
  EXPECT_EQ(one.metadata(),
            R"({"resource":"https://tools.example/mcp",)"
            R"("authorization_servers":["https://login.example"],)"
            R"("scopes_supported":["toolpost:call"],"bearer_methods_supported":["header"]})");
  constexpr const char* kWhere =
      R"(, resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp")";
  EXPECT_EQ(one.hint(Scope::Call), std::string(R"(, scope="toolpost:call")") + kWhere);
  EXPECT_EQ(one.hint(Scope::Admin), std::string(R"(, scope="toolpost:admin")") + kWhere);
  EXPECT_EQ(one.hint(Scope::Approve), kWhere);
}

TEST(ProtectedResource, HasItsMetadataAtTheRootAndBehindItsPath) {
  constexpr const char* kRoot = "/.well-known/oauth-protected-resource";
  const auto at = [&](const char* url, const std::string& path) {
    return ProtectedResource(url, "https://login.example", {}).has_metadata_at(kRoot + path);
  };
  EXPECT_TRUE(at("https://t.example/mcp", ""));
  EXPECT_TRUE(at("https://t.example/mcp", "/mcp"));
  EXPECT_TRUE(at("https://t.example/a/mcp", "/a/mcp"));
  EXPECT_TRUE(at("https://t.example", "/mcp"));
  EXPECT_FALSE(at("https://t.example/mcp", "/"));
  EXPECT_FALSE(at("https://t.example/mcp", "/a"));
  EXPECT_FALSE(at("https://t.example/mcp", "x"));
  EXPECT_TRUE(ProtectedResource::is_metadata_path(std::string(kRoot) + "/a"));
  EXPECT_FALSE(ProtectedResource::is_metadata_path(std::string(kRoot) + "s"));
  EXPECT_FALSE(ProtectedResource::is_metadata_path("/mcp"));
}

}  // namespace
}  // namespace host::identity
