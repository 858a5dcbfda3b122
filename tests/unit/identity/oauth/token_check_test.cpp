// Which tokens count, and every reason for which one does not.
#include "identity/oauth/token_check.h"

#include <gtest/gtest.h>

#include "base/text/encoding.h"
#include "support/manual_clock.h"
#include "token_maker.h"

namespace host::identity {
namespace {

using namespace std::chrono_literals;
using test::IssuerKey;

const IssuerKey& rsa_key() {
  static const IssuerKey key = IssuerKey::rsa();
  return key;
}
const IssuerKey& ec_key() {
  static const IssuerKey key = IssuerKey::ec();
  return key;
}
const IssuerKey& ed_key() {
  static const IssuerKey key = IssuerKey::ed25519();
  return key;
}

class TokenCheckTest : public ::testing::Test {
 protected:
  TokenCheckTest() { check_.set_keys(all_keys()); }

  static KeySet all_keys() {
    return KeySet::read(test::key_set_of(rsa_key().jwk(R"("kid":"r",)") + "," +
                                         ec_key().jwk(R"("kid":"e",)") + "," +
                                         ed_key().jwk(R"("kid":"o",)")))
        .value();
  }
  static TokenRules rules() {
    TokenRules made;
    made.issuer = "https://login.example";
    made.audiences = {"https://tools.example/mcp"};
    made.algorithms = {Algorithm::Rs256, Algorithm::Ps256, Algorithm::Es256, Algorithm::EdDsa};
    made.scopes = {"toolpost:call", "", "toolpost:admin"};
    made.leeway = 30s;
    return made;
  }

  // The clock stands at 3600. What is given takes the place of a claim, "" takes it away.
  struct Change {
    std::string name;
    std::string json;
  };
  static std::string claims(const std::vector<Change>& changes = {}) {
    std::vector<Change> all = {{"iss", R"("https://login.example")"},
                               {"aud", R"("https://tools.example/mcp")"},
                               {"sub", R"("anna")"},
                               {"exp", "3900"},
                               {"iat", "3600"},
                               {"scope", R"("openid toolpost:call")"}};
    for (const Change& change : changes) {
      std::erase_if(all, [&](const Change& one) { return one.name == change.name; });
      if (!change.json.empty()) all.push_back(change);
    }
    std::string out = "{";
    for (const Change& one : all)
      out += (out.size() == 1 ? "\"" : ",\"") + one.name + "\":" + one.json;
    return out + "}";
  }
  static std::string token(const std::vector<Change>& changes = {}) {
    return with_header(R"({"alg":"ES256","kid":"e","typ":"at+jwt"})", changes);
  }
  static std::string with_header(std::string_view header, const std::vector<Change>& changes = {}) {
    return test::signed_by(ec_key(), "ES256", header, claims(changes));
  }

  // The principal with its scopes, or why not.
  std::string says(const std::string& text) {
    const auto verdict = check_.check(text);
    if (const auto* const accepted = std::get_if<Claims>(&verdict))
      return accepted->principal.name + " [" + to_text(accepted->principal.scopes) + "]";
    const auto& refusal = std::get<TokenRefusal>(verdict);
    for (const char c : refusal.why)  // it stands between quotes in a header
      EXPECT_TRUE(c >= ' ' && c < '\x7f' && c != '"' && c != '\\') << refusal.why;
    return refusal.why;
  }
  void expect_refused(const std::string& text, const std::string& words) {
    const std::string said = says(text);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  }

  test::ManualClock clock_;
  std::optional<std::chrono::seconds> more_keys_;  // what the issuer says to a wish for more
  int wishes_ = 0;
  TokenCheck check_{rules(), clock_, [this] {
                      ++wishes_;
                      return more_keys_;
                    }};
};

constexpr const char* kGood = "oauth:anna [call]";

TEST_F(TokenCheckTest, TakesEachAlgorithmWithAKeyOfItsType) {
  const auto by = [](const IssuerKey& key, const std::string& algorithm, const char* kid) {
    return test::signed_by(key, algorithm, R"({"alg":")" + algorithm + R"(","kid":")" + kid + "\"}",
                           claims());
  };
  EXPECT_EQ(says(by(rsa_key(), "RS256", "r")), kGood);
  EXPECT_EQ(says(by(rsa_key(), "PS256", "r")), kGood);
  EXPECT_EQ(says(by(ec_key(), "ES256", "e")), kGood);
  EXPECT_EQ(says(by(ed_key(), "EdDSA", "o")), kGood);
  EXPECT_EQ(says(test::signed_by(ed_key(), "EdDSA", R"({"alg":"Ed25519","kid":"o"})", claims())),
            kGood);
  EXPECT_EQ(wishes_, 0);
}

TEST_F(TokenCheckTest, NeverTakesAPublicKeyForASecretNorNoSignatureForOne) {
  const std::string hmac = test::unsigned_token(R"({"alg":"HS256","kid":"r"})", claims());
  const Sha256 mac = hmac_sha256(rsa_key().public_pem(), hmac);
  expect_refused(hmac + "." + base64url({reinterpret_cast<const char*>(mac.data()), mac.size()}),
                 "no algorithm that is taken");
  for (const char* const none : {"none", "None", "NONE", ""}) {
    const std::string header = R"({"alg":")" + std::string(none) + "\"}";
    expect_refused(test::unsigned_token(header, claims()) + ".", "no algorithm that is taken");
  }
  expect_refused(test::unsigned_token(R"({"kid":"e"})", claims()) + ".", "no algorithm");
  expect_refused(test::unsigned_token(R"({"alg":"ES256","kid":"e"})", claims()) + ".",
                 "signature is wrong");
}

TEST_F(TokenCheckTest, AKeySignsOnlyByWhatItsTypeDoes) {
  // Signed by the EC key, and said to be signed by the RSA key or by RSA.
  expect_refused(with_header(R"({"alg":"RS256","kid":"r"})"), "signature is wrong");
  expect_refused(with_header(R"({"alg":"RS256","kid":"e"})"), "by no key of its issuer");
  expect_refused(with_header(R"({"alg":"ES256","kid":"r"})"), "by no key of its issuer");
  // RS256 is not PS256, though the key is the same.
  expect_refused(test::signed_by(rsa_key(), "RS256", R"({"alg":"PS256","kid":"r"})", claims()),
                 "signature is wrong");
}

TEST_F(TokenCheckTest, OnlyWhatIsConfiguredSigns) {
  TokenRules narrow = rules();
  narrow.algorithms = {Algorithm::Ps256};
  TokenCheck check(narrow, clock_, [] { return std::nullopt; });
  check.set_keys(all_keys());
  EXPECT_TRUE(std::holds_alternative<TokenRefusal>(check.check(token())));
  EXPECT_TRUE(std::holds_alternative<Claims>(
      check.check(test::signed_by(rsa_key(), "PS256", R"({"alg":"PS256","kid":"r"})", claims()))));
}

TEST_F(TokenCheckTest, AKeyInTheTokenIsNoKey) {
  const IssuerKey mine = IssuerKey::ec();
  const std::string header = R"({"alg":"ES256","kid":"mine","jwk":)" + mine.jwk() +
                             R"(,"jku":"https://evil.example/keys","x5u":"https://evil.example"})";
  expect_refused(test::signed_by(mine, "ES256", header, claims()), "by no key of its issuer");
  expect_refused(test::signed_by(mine, "ES256", R"({"alg":"ES256","kid":"e"})", claims()),
                 "signature is wrong");
}

TEST_F(TokenCheckTest, IsMadeByThisIssuerForThisHost) {
  EXPECT_EQ(says(token()), kGood);
  expect_refused(token({{"iss", R"("https://login.example/")"}}), "another issuer");
  expect_refused(token({{"iss", ""}}), "another issuer");
  expect_refused(token({{"iss", R"(["https://login.example"])"}}), "another issuer");
  EXPECT_EQ(says(token({{"aud", R"(["x","https://tools.example/mcp"])"}})), kGood);
  for (const char* const other :
       {"", R"("https://tools.example")", R"("https://tools.example/mcp/")", "[]", "7", "[7]",
        R"({"x":"https://tools.example/mcp"})", R"("HTTPS://tools.example/mcp")"}) {
    expect_refused(token({{"aud", other}}), "another audience");
  }
}

TEST_F(TokenCheckTest, HoldsInItsTimeGiveOrTakeTheLeeway) {
  expect_refused(token({{"exp", ""}}), "has no exp");
  expect_refused(token({{"exp", "3570"}}), "has expired");
  EXPECT_EQ(says(token({{"exp", "3570.5"}})), kGood);
  EXPECT_EQ(says(token({{"exp", "253402300799"}})), kGood);  // the year 9999
  expect_refused(token({{"nbf", "253402300799"}}), "does not hold yet");
  expect_refused(token({{"exp", R"("3900")"}}), "exp is no time");
  expect_refused(token({{"exp", "1e300"}}), "exp is no time");
  expect_refused(token({{"exp", "-1"}}), "exp is no time");
  EXPECT_EQ(says(token({{"nbf", "3630"}})), kGood);
  expect_refused(token({{"nbf", "3631"}}), "does not hold yet");
  expect_refused(token({{"nbf", "null"}}), "nbf is no time");
  EXPECT_EQ(says(token({{"iat", ""}})), kGood);
  EXPECT_EQ(says(token({{"iat", "3630"}})), kGood);
  expect_refused(token({{"iat", "3631"}}), "made in the future");
}

TEST_F(TokenCheckTest, WhatHeldIsNotTakenBeyondItsTime) {
  const std::string text = token();
  EXPECT_EQ(says(text), kGood);
  clock_.advance(329s);
  EXPECT_EQ(says(text), kGood);
  clock_.advance(1s);
  expect_refused(text, "has expired");
}

TEST_F(TokenCheckTest, ItsSubjectIsAPrincipalOfItsOwnKind) {
  EXPECT_EQ(says(token({{"sub", R"("auth0|5f7c8ec7")"}})), "oauth:auth0|5f7c8ec7 [call]");
  EXPECT_EQ(says(token({{"sub", R"("local")"}})), "oauth:local [call]");
  for (const char* const bad : {"", R"("")", "7", R"("a b")", R"("a\u0000b")", R"("a\nb")",
                                R"("../x")", R"("ä")", R"("a\"b")"}) {
    expect_refused(token({{"sub", bad}}), "sub is missing");
  }
  EXPECT_EQ(says(token({{"sub", '"' + std::string(255, 's') + '"'}})),
            "oauth:" + std::string(255, 's') + " [call]");
  expect_refused(token({{"sub", '"' + std::string(256, 's') + '"'}}), "sub is missing");
}

TEST_F(TokenCheckTest, HasTheScopesThatItsIssuerNames) {
  const auto scopes = [this](const char* scope, const char* scp = "") {
    const std::string said = says(token({{"scope", scope}, {"scp", scp}}));
    return said.substr(said.find('['));
  };
  EXPECT_EQ(scopes(""), "[]");
  EXPECT_EQ(scopes(R"("toolpost:call toolpost:admin")"), "[call admin]");
  EXPECT_EQ(scopes(R"("toolpost:callx xtoolpost:call toolpost:approve approve  ")"), "[]");
  EXPECT_EQ(scopes("", R"(["toolpost:call"])"), "[call]");
  EXPECT_EQ(scopes("", R"("x toolpost:call")"), "[call]");
  EXPECT_EQ(scopes(R"("openid")", R"(["toolpost:call"])"), "[]");
  EXPECT_EQ(scopes("7", ""), "[]");
}

TEST_F(TokenCheckTest, ItsHeaderSaysNothingUnknown) {
  for (const char* const good : {"JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"}) {
    const std::string header = R"({"alg":"ES256","kid":"e","typ":")" + std::string(good) + "\"}";
    EXPECT_EQ(says(with_header(header)), kGood) << good;
  }
  EXPECT_EQ(says(with_header(R"({"alg":"ES256","kid":"e"})")), kGood);
  for (const char* const bad : {R"("logout+jwt")", R"("dpop+jwt")", R"("")", "7"})
    expect_refused(with_header(R"({"alg":"ES256","kid":"e","typ":)" + std::string(bad) + "}"),
                   "another type");
  expect_refused(with_header(R"({"alg":"ES256","kid":"e","crit":["b64"],"b64":false})"),
                 "an extension");
  expect_refused(with_header(R"({"alg":"ES256","kid":"e","crit":[]})"), "an extension");
  expect_refused(with_header(R"({"alg":"ES256","kid":7})"), "kid is no text");
  expect_refused(with_header(R"({"alg":"ES256","alg":"ES256","kid":"e"})"), "header cannot");
  expect_refused(token({{"cnf", R"({"jkt":"x"})"}}), "bound to a key of its sender");
}

TEST_F(TokenCheckTest, IsWrittenInOneWayOnly) {
  const std::string good = token();
  expect_refused(good + "=", "signature cannot be read");
  expect_refused(good + "\n", "signature cannot be read");
  expect_refused("." + good, "not three parts");
  expect_refused("..", "header cannot be read");
  expect_refused(good.substr(good.find('.')), "header cannot be read");
  expect_refused(std::string("e30") + good.substr(good.find('.')), "no algorithm");
  expect_refused(base64url("[]") + good.substr(good.find('.')), "header cannot be read");
  expect_refused(test::signed_by(ec_key(), "ES256", R"({"alg":"ES256","kid":"e"})", "[]"),
                 "claims cannot be read");
  expect_refused(test::signed_by(ec_key(), "ES256", R"({"alg":"ES256","kid":"e"})",
                                 R"({"iss":"https://evil.example",)" + claims().substr(1)),
                 "claims cannot be read");  // a claim twice: who reads the last sees another issuer
  expect_refused(token({{"pad", '"' + std::string(16u << 10u, 'x') + '"'}}), "longer than 16 KiB");
  std::string deep(40, '[');
  deep.append(40, ']');
  expect_refused(token({{"deep", deep}}), "claims cannot be read");
}

TEST_F(TokenCheckTest, AKeyThatIsNotKnownIsAskedForAndNothingElseIs) {
  const std::string unknown = with_header(R"({"alg":"ES256","kid":"new"})");
  expect_refused(unknown, "by no key of its issuer");
  EXPECT_EQ(wishes_, 1);
  more_keys_ = 1s;
  const auto verdict = check_.check(unknown);
  EXPECT_EQ(std::get<TokenRefusal>(verdict).retry_after, 1s);
  EXPECT_EQ(wishes_, 2);
  // What would be refused anyway has nobody look for keys.
  says(with_header(R"({"alg":"ES256","kid":"new"})", {{"iss", R"("https://x.example")"}}));
  says(with_header(R"({"alg":"ES256","kid":"new"})", {{"aud", R"("https://x.example")"}}));
  says(with_header(R"({"alg":"ES256","kid":"new"})", {{"exp", "1"}}));
  EXPECT_EQ(wishes_, 2);
  check_.set_keys(KeySet::read(test::key_set_of(ec_key().jwk(R"("kid":"new",)"))).value());
  EXPECT_EQ(says(unknown), kGood);
}

TEST_F(TokenCheckTest, WhatHeldByAKeyThatIsGoneDoesNotHold) {
  const std::string text = token();
  EXPECT_EQ(says(text), kGood);
  check_.set_keys(KeySet::read(test::key_set_of(rsa_key().jwk(R"("kid":"r",)"))).value());
  expect_refused(text, "by no key of its issuer");
}

TEST_F(TokenCheckTest, RemembersSoManyAndGoesOnToCheck) {
  for (int i = 0; i < 1100; ++i) ASSERT_EQ(says(token({{"jti", std::to_string(i)}})), kGood) << i;
  std::string bent = token();
  bent[bent.rfind('.') + 3] = bent[bent.rfind('.') + 3] == 'A' ? 'B' : 'A';
  expect_refused(bent, "signature is wrong");
}

}  // namespace
}  // namespace host::identity
