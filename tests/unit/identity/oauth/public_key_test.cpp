// Signatures against the examples of their RFCs, and keys that are none.
#include "identity/oauth/public_key.h"

#include <gtest/gtest.h>

#include "base/text/encoding.h"
#include "token_maker.h"

namespace host::identity {
namespace {

std::string bytes(std::string_view base64) {
  return from_base64url(base64).value();
}

// The text that was signed, and the signature, of a token.
std::pair<std::string, std::string> halves(const std::string& token) {
  const std::size_t dot = token.rfind('.');
  return {token.substr(0, dot), bytes(std::string_view(token).substr(dot + 1))};
}

void expect_only(const PublicKey& key, Algorithm right, const std::string& token) {
  const auto [text, signature] = halves(token);
  for (const Algorithm one :
       {Algorithm::Rs256, Algorithm::Ps256, Algorithm::Es256, Algorithm::EdDsa}) {
    EXPECT_EQ(key.verifies(one, text, signature), one == right) << static_cast<int>(one);
  }
  EXPECT_FALSE(key.verifies(right, text + "A", signature));
  for (const std::size_t at : {std::size_t{0}, signature.size() / 2, signature.size() - 1}) {
    std::string bent = signature;
    bent[at] = static_cast<char>(bent[at] ^ 1);
    EXPECT_FALSE(key.verifies(right, text, bent)) << at;
  }
  EXPECT_FALSE(key.verifies(right, text, ""));
  EXPECT_FALSE(key.verifies(right, text, signature.substr(1)));
  EXPECT_FALSE(key.verifies(right, text, signature + '\0'));
}

const char* const kModulus =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4"
    "d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5re"
    "xMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxX"
    "FvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";

TEST(PublicKey, TakesTheRs256ExampleOfRfc7515A2) {
  expect_only(
      PublicKey::rsa(bytes(kModulus), bytes("AQAB")).value(), Algorithm::Rs256,
      "eyJhbGciOiJSUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
      "fQ."
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5"
      "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb"
      "1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QO"
      "YEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw");
}

TEST(PublicKey, TakesTheEs256ExampleOfRfc7515A3) {
  expect_only(
      PublicKey::p256(bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
                      bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
          .value(),
      Algorithm::Es256,
      "eyJhbGciOiJFUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
      "fQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
}

TEST(PublicKey, TakesTheEdDsaExampleOfRfc8037A4) {
  expect_only(
      PublicKey::ed25519(bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")).value(),
      Algorithm::EdDsa,
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
}

TEST(PublicKey, RefusesNumbersThatAreNoSoundKey) {
  const std::string modulus = bytes(kModulus);
  EXPECT_FALSE(PublicKey::rsa(modulus.substr(1), bytes("AQAB")));  // 2040 bits
  EXPECT_FALSE(PublicKey::rsa("", bytes("AQAB")));
  EXPECT_FALSE(PublicKey::rsa(std::string(1025, '\x7f'), bytes("AQAB")));
  EXPECT_FALSE(PublicKey::rsa(std::string(1u << 20u, '\x7f'), bytes("AQAB")));
  for (const std::string& exponent :
       {std::string(), std::string("\x01"), std::string("\x03"), std::string("\xff\xff"),
        std::string("\x01\x00\x00", 3), std::string(9, '\x7f')}) {
    EXPECT_FALSE(PublicKey::rsa(modulus, exponent)) << exponent.size();
  }
  const std::string x = bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU");
  EXPECT_FALSE(PublicKey::p256(x, x));  // off the curve
  EXPECT_FALSE(PublicKey::p256(x.substr(1), x));
  EXPECT_FALSE(PublicKey::p256(std::string(32, '\0'), std::string(32, '\0')));
  EXPECT_FALSE(PublicKey::ed25519(x.substr(1)));
  EXPECT_FALSE(PublicKey::ed25519(x + "x"));
}

}  // namespace
}  // namespace host::identity
