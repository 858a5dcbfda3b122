// Who is let in, by what they show.
#include "identity/authenticator.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "identity/oauth/subject.h"
#include "identity/secret.h"
#include "oauth/token_maker.h"
#include "support/fake_http.h"
#include "support/manual_clock.h"

namespace host::identity {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using transport::HttpRefusal;
using Strangers = Authenticator::Strangers;

class AuthenticatorTest : public ::testing::Test {
 protected:
  AuthenticatorTest() {
    std::string name = (fs::temp_directory_path() / "identity-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    others_ = open();
    caller_ = create_key(others_->keys(), "caller", Scope::Call, "", clock_.wall()).value();
    boss_ = create_key(others_->keys(), "boss", kEveryScope, "", clock_.wall()).value();
    const auto desk = std::make_shared<store::Desk>(
        io_.get_executor(), [this]() -> Result<std::unique_ptr<store::Store>> { return open(); });
    identities_ = Identities::open(io_.get_executor(), desk, clock_, {12h, 3, 5}).value();
    authenticator_.emplace(identities_, Strangers::Served, clock_);
  }
  ~AuthenticatorTest() override {
    authenticator_.reset();
    identities_.reset();
    others_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<store::Store> open() {
    return store::open_sqlite_store(folder_ / "toolpost.db", clock_).value();
  }

  template <class T>
  T run(asio::awaitable<T> work) {
    std::optional<T> result;
    const auto keep = [&result](asio::awaitable<T> awaited) -> asio::awaitable<void> {
      result.emplace(co_await std::move(awaited));
    };
    asio::co_spawn(io_, keep(std::move(work)), asio::detached);
    io_.restart();
    io_.run();
    return *std::move(result);
  }

  test::FakeExchange request(const std::string& verb = "GET") const {
    test::FakeExchange made;
    made.verb = verb;
    made.fields["host"] = "localhost:8808";
    return made;
  }
  test::FakeExchange with_key(const std::string& key) const {
    test::FakeExchange made = request();
    made.fields["authorization"] = "Bearer " + key;
    return made;
  }
  test::FakeExchange with_cookie(const std::string& cookie, const std::string& verb = "GET") const {
    test::FakeExchange made = request(verb);
    made.fields["cookie"] = "a=b; " + login_cookie_name(made) + "=" + cookie + "; c=d";
    return made;
  }
  test::FakeExchange with_login(const Login& login, const std::string& verb = "GET") const {
    test::FakeExchange made = with_cookie(login.cookie, verb);
    made.fields["x-toolpost-login"] = login.page_secret;
    return made;
  }

  // The principal's name, or the status of the refusal.
  std::string answer(const test::FakeExchange& asked, Scope needed = Scope::Call) {
    const auto found = authenticator_->admit(asked, needed);
    if (const auto* const visitor = std::get_if<Visitor>(&found)) return visitor->principal.name;
    return std::to_string(transport::type_of(std::get<HttpRefusal>(found).problem).status);
  }
  std::string challenge(const test::FakeExchange& asked, Scope needed = Scope::Call) {
    const auto found = authenticator_->admit(asked, needed);
    for (const auto& [name, value] : std::get<HttpRefusal>(found).headers) {
      if (name == "WWW-Authenticate") return value;
    }
    return "";
  }

  test::ManualClock clock_;
  fs::path folder_;
  asio::io_context io_;
  std::unique_ptr<store::Store> others_;  // as the command line has it
  ApiKey caller_;
  ApiKey boss_;
  std::shared_ptr<Identities> identities_;
  std::optional<Authenticator> authenticator_;
};

TEST_F(AuthenticatorTest, WhoShowsNothingMayCallAndNothingElse) {
  EXPECT_EQ(answer(request()), "local");
  EXPECT_EQ(answer(request(), Scope::Approve), "401");
  EXPECT_EQ(challenge(request(), Scope::Approve), R"(Bearer realm="toolpost", scope="approve")");
  authenticator_.emplace(identities_, Strangers::Refused, clock_);
  EXPECT_EQ(answer(request()), "401");
  EXPECT_EQ(challenge(request()), R"(Bearer realm="toolpost")");
}

TEST_F(AuthenticatorTest, TheScopeContextNeedsCallAndIsPossibleForAgents) {
  const auto made = [&](Scopes scopes, const std::string& agent) {
    return create_key(others_->keys(), "caller", scopes, agent, clock_.wall()).has_value();
  };
  EXPECT_TRUE(made(Scopes(Scope::Call).with(Scope::Context), ""));
  EXPECT_TRUE(made(Scopes(Scope::Call).with(Scope::Context), "coder"));
  EXPECT_FALSE(made(Scope::Context, ""));
  EXPECT_FALSE(made(Scopes(Scope::Approve).with(Scope::Context), ""));
  EXPECT_FALSE(made(kEveryScope, "coder"));
}

TEST_F(AuthenticatorTest, AKeyIsItsPrincipalWithItsScopes) {
  EXPECT_EQ(answer(with_key(caller_.text)), "caller");
  EXPECT_EQ(answer(with_key(caller_.text), Scope::Approve), "403");
  EXPECT_NE(challenge(with_key(caller_.text), Scope::Admin).find(R"(scope="admin")"),
            std::string::npos);
  EXPECT_EQ(answer(with_key(boss_.text), Scope::Admin), "boss");
  test::FakeExchange agent = request();
  agent.fields["x-agent-api-key"] = caller_.text;
  EXPECT_EQ(answer(agent), "caller");
}

// Shown and wrong is never the same as not shown.
TEST_F(AuthenticatorTest, WhatDoesNotHoldIsRefusedThoughStrangersAreServed) {
  EXPECT_EQ(answer(with_key("")), "401");
  EXPECT_EQ(answer(with_key("tpk_guess")), "401");
  std::string wrong = caller_.text;
  wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(answer(with_key(wrong)), "401");
  EXPECT_EQ(answer(with_login({"guess", "guess", {}})), "401");
  test::FakeExchange basic = request();
  basic.fields["authorization"] = "Basic " + boss_.text;
  EXPECT_EQ(answer(basic), "401");
  EXPECT_NE(challenge(basic).find("invalid_token"), std::string::npos);
}

TEST_F(AuthenticatorTest, WhatAnotherProcessRevokesEndsHere) {
  identities_->watch();
  ASSERT_TRUE(others_->keys().revoke(caller_.id).value());
  asio::steady_timer giving_up(io_, 10s);
  giving_up.async_wait([&](auto) { identities_->stop(); });
  asio::steady_timer pause(io_);
  std::function<void()> look = [&] {
    pause.expires_after(10ms);
    pause.async_wait([&](auto) {
      if (answer(with_key(caller_.text)) == "caller") return look();
      identities_->stop();
      giving_up.cancel();
    });
  };
  look();
  io_.run();
  EXPECT_EQ(answer(with_key(caller_.text)), "401");
  EXPECT_EQ(answer(with_key(boss_.text)), "boss");
}

TEST_F(AuthenticatorTest, ALinkLogsInOnceAndALogoutEndsIt) {
  const std::string link = run(identities_->make_link(15min)).value();
  const Login login = run(identities_->log_in_by_link(link)).value();
  EXPECT_EQ(login.principal.name, kOperator);
  EXPECT_EQ(run(identities_->log_in_by_link(link)).error().kind, ErrorKind::Denied);
  EXPECT_EQ(answer(with_login(login), Scope::Admin), "operator");
  const auto found = std::get<Visitor>(authenticator_->identify(with_login(login)));
  ASSERT_TRUE(run(identities_->end_login(found.login)).value());
  EXPECT_EQ(answer(with_login(login)), "401");
  EXPECT_TRUE(others_->keys().logins().value().empty());
}

// Strangers guess links: the keys of others show whether the store was read.
TEST_F(AuthenticatorTest, AWrongLinkDoesNotReadTheKeys) {
  const std::string link = run(identities_->make_link(15min)).value();
  const auto fresh = create_key(others_->keys(), "fresh", Scope::Call, "", clock_.wall()).value();
  EXPECT_EQ(run(identities_->log_in_by_link("guess")).error().kind, ErrorKind::Denied);
  EXPECT_EQ(answer(with_key(fresh.text)), "401");
  EXPECT_TRUE(run(identities_->log_in_by_link(link)));
  EXPECT_EQ(answer(with_key(fresh.text)), "fresh");
}

TEST_F(AuthenticatorTest, ALoginByKeyHasItsScopesAndATerm) {
  EXPECT_FALSE(run(identities_->log_in_by_key("tpk_guess")));
  const Login login = run(identities_->log_in_by_key(caller_.text)).value();
  EXPECT_EQ(answer(with_login(login)), "caller");
  EXPECT_EQ(answer(with_login(login), Scope::Approve), "403");
  clock_.advance(12h);
  EXPECT_EQ(answer(with_login(login)), "401");
}

// Browsers send it to every port of a host, by themselves.
TEST_F(AuthenticatorTest, ACookieAloneOpensNothing) {
  const Login login = run(identities_->log_in_by_key(boss_.text)).value();
  const Login other = run(identities_->log_in_by_key(boss_.text)).value();
  for (const char* const verb : {"GET", "HEAD", "POST", "DELETE"}) {
    test::FakeExchange asked = with_cookie(login.cookie, verb);
    EXPECT_EQ(answer(asked), "401") << verb;
    for (const std::string& wrong : {std::string(), login.cookie, other.page_secret,
                                     login.page_secret + "A", login.page_secret.substr(1)}) {
      asked.fields["x-toolpost-login"] = wrong;
      EXPECT_EQ(answer(asked), "401") << verb << wrong;
    }
    asked.fields["x-toolpost-login"] = login.page_secret;
    EXPECT_EQ(answer(asked), "boss") << verb;
    asked.fields.erase("cookie");
    EXPECT_EQ(answer(asked), "401") << verb;
  }
}

TEST_F(AuthenticatorTest, ACookieAloneIsNoGuess) {
  const Login login = run(identities_->log_in_by_key(boss_.text)).value();
  for (int i = 0; i < 30; ++i) EXPECT_EQ(answer(with_cookie(login.cookie)), "401");
}

TEST_F(AuthenticatorTest, NoOtherOriginIsALogin) {
  const Login login = run(identities_->log_in_by_key(boss_.text)).value();
  for (const char* const verb : {"GET", "POST"}) {
    test::FakeExchange asked = with_login(login, verb);
    asked.fields["sec-fetch-site"] = "same-origin";
    EXPECT_EQ(answer(asked), "boss");
    for (const char* const site : {"same-site", "cross-site", "none", "", "Same-Origin"}) {
      asked.fields["sec-fetch-site"] = site;
      EXPECT_EQ(answer(asked), "403") << verb << site;
    }
  }
}

// Browsers keep one jar of cookies for all ports of a host.
TEST_F(AuthenticatorTest, TheCookieOfAHostOnAnotherPortIsAnother) {
  const Login login = run(identities_->log_in_by_key(boss_.text)).value();
  test::FakeExchange asked = with_login(login);
  EXPECT_EQ(login_cookie_name(asked), "__Host-toolpost-8808");
  asked.fields["cookie"] += "; __Host-toolpost-8809=of-another-host; __Host-toolpost=older";
  EXPECT_EQ(answer(asked), "boss");
  for (const auto& [host, name] :
       std::map<std::string, std::string>{{"[::1]:80", "__Host-toolpost-80"},
                                          {"[::1]", "__Host-toolpost"},
                                          {"tools.example", "__Host-toolpost"},
                                          {"localhost:", "__Host-toolpost"},
                                          {"localhost:8a", "__Host-toolpost"},
                                          {"localhost:123456", "__Host-toolpost"}}) {
    asked.fields["host"] = host;
    EXPECT_EQ(login_cookie_name(asked), name) << host;
  }
  asked.fields["host"] = "localhost:8809";
  EXPECT_EQ(answer(asked), "401");
}

// The host has not heard of it yet: the store is asked, in the transaction that makes the login.
TEST_F(AuthenticatorTest, AKeyThatAnotherProcessRevokedMakesNoLogin) {
  ASSERT_TRUE(others_->keys().revoke(boss_.id).value());
  ASSERT_EQ(answer(with_key(boss_.text)), "boss") << "the host has heard of it";
  EXPECT_EQ(run(identities_->log_in_by_key(boss_.text)).error().kind, ErrorKind::Denied);
  EXPECT_TRUE(others_->keys().logins().value().empty());
  EXPECT_EQ(answer(with_key(boss_.text)), "401") << "now it has";
}

TEST_F(AuthenticatorTest, ALoginEndsWithItsKey) {
  const auto soon = clock_.wall() + 1h;
  const ApiKey key =
      create_key(others_->keys(), "anna", kEveryScope, "", clock_.wall(), soon).value();
  const Login by_boss = run(identities_->log_in_by_key(boss_.text)).value();  // reads the new key
  const Login login = run(identities_->log_in_by_key(key.text)).value();
  const auto found = std::get<Visitor>(authenticator_->identify(with_login(login)));
  EXPECT_EQ(found.key, key.id);
  EXPECT_TRUE(authenticator_->still_admits(found));
  clock_.advance(1h);
  EXPECT_EQ(answer(with_login(login)), "401");
  EXPECT_EQ(answer(with_key(key.text)), "401");
  EXPECT_FALSE(authenticator_->still_admits(found));
  EXPECT_EQ(answer(with_login(by_boss)), "boss");
}

// Also in a keyring that still has the login: the key decides.
TEST(Keyring, ALoginOfAKeyThatIsGoneIsNone) {
  test::ManualClock clock;
  Keyring keyring(clock);
  store::LoginRecord login;
  login.secret = digest_of_secret("cookie");
  login.page_secret = digest_of_secret("page");
  login.key = "k1";
  login.expires = clock.wall() + 1h;
  keyring.set({{"k1", "anna", 7, {}, clock.wall(), false}}, {login});
  EXPECT_NE(keyring.find_login({"cookie", "page"}), nullptr);
  keyring.set({{"k1", "anna", 7, {}, clock.wall(), true}}, {login});
  EXPECT_EQ(keyring.find_login({"cookie", "page"}), nullptr);
  EXPECT_TRUE(keyring.logins().empty());
  keyring.set({}, {login});
  EXPECT_EQ(keyring.find_login({"cookie", "page"}), nullptr);
}

// What a principal runs goes on only by a key that could begin it.
TEST(Keyring, OnlyAKeyWithTheScopeCallLetsCall) {
  test::ManualClock clock;
  Keyring keyring(clock);
  const auto key = [&](const char* id, Scopes scopes, const char* agent = "") {
    store::KeyRecord record{id, "anna", scopes.bits(), {}, clock.wall(), false};
    record.agent = agent;
    return record;
  };
  const store::KeyRecord console = key("k1", Scopes(Scope::Approve).with(Scope::Admin));
  keyring.set({console}, {});
  EXPECT_TRUE(keyring.has_known("anna"));
  EXPECT_FALSE(keyring.lets_call("anna", ""));
  keyring.set({console, key("k2", Scope::Call, "night")}, {});
  EXPECT_TRUE(keyring.lets_call("anna", "night"));
  EXPECT_FALSE(keyring.lets_call("anna", ""));
  keyring.set({console, key("k3", Scope::Call)}, {});
  EXPECT_TRUE(keyring.lets_call("anna", "night"));
  EXPECT_TRUE(keyring.lets_call("anna", ""));
  EXPECT_FALSE(keyring.lets_call("ben", ""));
}

TEST_F(AuthenticatorTest, AKeyHasABoundOfLoginsAndARate) {
  std::vector<Login> logins;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(identities_->too_soon_for(boss_.text)) << i;
    clock_.advance(1ms);
    logins.push_back(run(identities_->log_in_by_key(boss_.text)).value());
  }
  EXPECT_EQ(identities_->too_soon_for(boss_.text), 60s);
  EXPECT_FALSE(identities_->too_soon_for(caller_.text));
  EXPECT_FALSE(identities_->too_soon_for("tpk_guess"));
  EXPECT_EQ(identities_->keyring().logins().size(), 3u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(answer(with_login(logins[i])), i < 2 ? "401" : "boss") << i;
  clock_.advance(60s);
  EXPECT_FALSE(identities_->too_soon_for(boss_.text));
}

// Revoked, expired or of another host: who shows one is never taken for who shows none.
TEST_F(AuthenticatorTest, AKeyIsLookedAtOnceThereEverWasOne) {
  ASSERT_TRUE(others_->keys().revoke(boss_.id).value());
  ASSERT_TRUE(others_->keys().revoke(caller_.id).value());
  EXPECT_FALSE(run(identities_->log_in_by_key(boss_.text)));  // reads that
  EXPECT_EQ(answer(with_key(boss_.text)), "401");
  EXPECT_EQ(answer(with_key("tpk_guess")), "401");
  EXPECT_EQ(answer(request()), "local");
}

TEST_F(AuthenticatorTest, TheLastUseOfAKeyIsStoredNowAndThen) {
  const auto used = [this](const std::string& id) {
    const auto keys = others_->keys().keys().value();
    for (const store::KeyRecord& key : keys)
      if (key.id == id) return key.used;
    return std::optional<WallTime>();
  };
  clock_.advance(5s);
  const WallTime then = clock_.wall();
  EXPECT_EQ(answer(with_key(caller_.text)), "caller");
  EXPECT_FALSE(used(caller_.id));
  ASSERT_TRUE(run(identities_->tidy()));
  EXPECT_EQ(used(caller_.id), then);
  EXPECT_FALSE(used(boss_.id));
  // What was not stored yet is when the host stops.
  const Login login = run(identities_->log_in_by_key(boss_.text)).value();
  clock_.advance(5s);
  EXPECT_EQ(answer(with_login(login)), "boss");
  identities_->stop();
  authenticator_.reset();
  identities_.reset();  // and with it the store's desk, which does first what it was given
  EXPECT_EQ(used(boss_.id), then + 5s);
}

TEST_F(AuthenticatorTest, GuessingIsSlowedAndLocksNobodyOut) {
  std::string last;
  for (int i = 0; i < 30; ++i) last = answer(with_key("tpk_guess"));
  EXPECT_EQ(last, "429");
  EXPECT_EQ(answer(with_key(boss_.text), Scope::Admin), "boss");
  EXPECT_EQ(answer(request()), "local");
  clock_.advance(60s);
  EXPECT_EQ(answer(with_key("tpk_guess")), "401");
}

class TokensTest : public AuthenticatorTest {
 protected:
  TokensTest() {
    check_.set_keys(KeySet::read(test::key_set_of(key_.jwk(R"("kid":"k",)"))).value());
    authenticator_->take_tokens(check_, resource_);
  }

  static TokenRules rules() {
    TokenRules made;
    made.issuer = "https://login.example";
    made.audiences = {"https://tools.example/mcp"};
    made.algorithms = {Algorithm::Es256};
    made.scopes = {"toolpost:call", "", ""};
    return made;
  }
  std::string token(const std::string& scope, const std::string& kid = "k",
                    const std::string& sub = "anna") const {
    return test::signed_by(key_, "ES256", R"({"alg":"ES256","kid":")" + kid + "\"}",
                           R"({"iss":"https://login.example","aud":"https://tools.example/mcp",)"
                           R"("exp":3700,"sub":")" +
                               sub + R"(","scope":")" + scope + "\"}");
  }

  test::IssuerKey key_ = test::IssuerKey::ec();
  std::optional<std::chrono::seconds> more_keys_;
  TokenCheck check_{rules(), clock_, [this] { return more_keys_; }};
  ProtectedResource resource_{
      "https://tools.example/mcp", "https://login.example", {"toolpost:call", "", ""}};
};

constexpr const char* kWhereToGetOne =
    R"(resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp")";

TEST_F(TokensTest, ATokenIsItsSubjectWithItsScopes) {
  EXPECT_EQ(answer(with_key(token("toolpost:call"))), "oauth:anna");
  EXPECT_EQ(answer(with_key(token("toolpost:call")), Scope::Approve), "403");
  EXPECT_EQ(answer(with_key(token("toolpost:call")), Scope::Admin), "403");
  EXPECT_EQ(answer(with_key(token("call approve admin"))), "403");
  EXPECT_EQ(challenge(with_key(token("openid"))),
            std::string(R"(Bearer realm="toolpost", error="insufficient_scope", )"
                        R"(scope="toolpost:call", )") +
                kWhereToGetOne);
  EXPECT_EQ(answer(with_key(caller_.text)), "caller");
}

TEST_F(TokensTest, NoNameOfAKeyIsTheNameOfASubject) {
  EXPECT_EQ(answer(with_key(token("toolpost:call", "k", "boss"))), "oauth:boss");
  EXPECT_FALSE(check_principal("oauth:boss"));
  EXPECT_TRUE(is_principal_of_subject("oauth:boss"));
  for (const char* const other : {"boss", "oauth:", "oauth:a b", "local"})
    EXPECT_FALSE(is_principal_of_subject(other)) << other;
}

TEST_F(TokensTest, AChallengeSaysWhereToGetOne) {
  authenticator_.emplace(identities_, Strangers::Refused, clock_);
  authenticator_->take_tokens(check_, resource_);
  EXPECT_EQ(answer(request()), "401");
  EXPECT_EQ(challenge(request()),
            std::string(R"(Bearer realm="toolpost", scope="toolpost:call", )") + kWhereToGetOne);
  // No token has this scope, so none is named.
  EXPECT_EQ(challenge(request(), Scope::Approve),
            std::string(R"(Bearer realm="toolpost", )") + kWhereToGetOne);
}

TEST_F(TokensTest, WhatDoesNotHoldIsRefusedThoughStrangersAreServed) {
  EXPECT_EQ(answer(request()), "local");
  std::string bent = token("toolpost:call");
  bent[bent.rfind('.') + 3] = bent[bent.rfind('.') + 3] == 'A' ? 'B' : 'A';
  EXPECT_EQ(answer(with_key(bent)), "401");
  const std::string said = challenge(with_key(bent));
  EXPECT_NE(said.find(R"(error="invalid_token")"), std::string::npos) << said;
  EXPECT_NE(said.find(R"(error_description="the token's signature is wrong")"), std::string::npos);
  EXPECT_NE(said.find(kWhereToGetOne), std::string::npos);
  // An opaque token, and a key where nobody has one.
  EXPECT_EQ(answer(with_key("opaque")), "401");
  Authenticator keyless(nullptr, Strangers::Served, clock_);
  keyless.take_tokens(check_, resource_);
  EXPECT_TRUE(std::holds_alternative<HttpRefusal>(keyless.identify(with_key("opaque"))));
}

TEST_F(TokensTest, ATokenComesAsABearerAndInNoOtherWay) {
  test::FakeExchange agent = request();
  agent.fields["x-agent-api-key"] = token("toolpost:call");
  EXPECT_EQ(answer(agent), "401");
  test::FakeExchange basic = request();
  basic.fields["authorization"] = "Basic " + token("toolpost:call");
  EXPECT_EQ(answer(basic), "401");
  test::FakeExchange small = request();
  small.fields["authorization"] = "bearer " + token("toolpost:call");
  EXPECT_EQ(answer(small), "oauth:anna");
}

TEST_F(TokensTest, WhatNobodyCanTellYetIsToComeAgain) {
  more_keys_ = 7s;
  const auto found = authenticator_->identify(with_key(token("toolpost:call", "next")));
  const auto& refusal = std::get<HttpRefusal>(found);
  EXPECT_EQ(refusal.problem, transport::Problem::Unavailable);
  EXPECT_EQ(refusal.headers.back(), (std::pair<std::string, std::string>("Retry-After", "7")));
  more_keys_ = std::nullopt;
  EXPECT_EQ(answer(with_key(token("toolpost:call", "next"))), "401");
}

TEST_F(TokensTest, WrongTokensCountAsWrongKeysDo) {
  std::string last;
  for (int i = 0; i < 30; ++i) last = answer(with_key("a.b.c"));
  EXPECT_EQ(last, "429");
  EXPECT_EQ(answer(with_key("tpk_guess")), "429");
  EXPECT_EQ(answer(with_key(token("toolpost:call"))), "oauth:anna");
}

}  // namespace
}  // namespace host::identity
