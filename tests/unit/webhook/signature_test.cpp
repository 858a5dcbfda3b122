#include "webhook/signature.h"

#include <gtest/gtest.h>

namespace host::webhook {
namespace {

// The values of the specification's own example.
constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* kId = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr std::uint64_t kTimestamp = 1614265330;
constexpr const char* kBody = R"({"test": 2432232314})";
constexpr const char* kSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

TEST(Signature, IsThatOfStandardWebhooks) {
  EXPECT_EQ(signature_of(kId, kTimestamp, kBody, {read_secret(kSecret).value()}), kSignature);
}

TEST(Signature, CoversIdTimeAndBody) {
  const std::vector<std::string> secrets{read_secret(kSecret).value()};
  EXPECT_NE(signature_of("msg_2", kTimestamp, kBody, secrets), kSignature);
  EXPECT_NE(signature_of(kId, kTimestamp + 1, kBody, secrets), kSignature);
  EXPECT_NE(signature_of(kId, kTimestamp, "{}", secrets), kSignature);
}

TEST(Signature, IsMadeByEachSecretWhileOneIsReplaced) {
  const std::string fresh = make_secret();
  const std::string both =
      signature_of(kId, kTimestamp, kBody, {fresh, read_secret(kSecret).value()});
  EXPECT_EQ(both, signature_of(kId, kTimestamp, kBody, {fresh}) + " " + kSignature);
}

TEST(Secret, IsReadAsItIsWritten) {
  const std::string secret = make_secret();
  EXPECT_EQ(secret.size(), 32u);
  EXPECT_NE(secret, make_secret());
  EXPECT_EQ(read_secret(secret_text(secret)).value(), secret);
}

TEST(Secret, OfAnotherFormIsRefusedWithoutBeingRepeated) {
  const std::string short_one = "whsec_" + std::string(28, 'A');  // 21 bytes
  const std::string long_one = "whsec_" + std::string(88, 'A');   // 66 bytes
  const std::vector<std::string> texts = {"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_",
                                          "whsec_MfKQ9r8G*", short_one, long_one};
  for (const std::string& text : texts) {
    const auto read = read_secret(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message.find(text.size() > 10 ? text.substr(6) : "never"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace host::webhook
