// One-time codes: what is good, once, and what guessing costs.
#include "identity/totp.h"

#include "identity/qr.h"
#include "identity/totp_json.h"
#include "store/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/store.h"

namespace host::identity {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// RFC 6238, appendix B, SHA-1: its eight digits end in our six.
TEST(Totp, FollowsTheVectorsOfItsRfc) {
  const std::string secret = "12345678901234567890";
  const std::pair<std::uint64_t, const char*> vectors[] = {
      {59, "287082"},         {1111111109, "081804"}, {1111111111, "050471"},
      {1234567890, "005924"}, {2000000000, "279037"}, {20000000000, "353130"}};
  for (const auto& [time, code] : vectors) EXPECT_EQ(code_of(secret, time / 30), code) << time;
}

TEST(Totp, ItsPictureHasTwoRowsALineAndAMargin) {
  const std::string picture = qr_text("otpauth://totp/Toolpost:anna?secret=AAAA");
  EXPECT_GT(picture.size(), 500u);
  EXPECT_EQ(picture.find("\u2588\u2588"), 0u);  // nothing but margin first
}

TEST(Totp, APictureIsSquareAndBeginsWithItsMark) {
  const auto rows = qr_rows("otpauth://totp/Toolpost:anna?secret=AAAA");
  ASSERT_GE(rows.size(), 21u);
  for (const std::string& row : rows) EXPECT_EQ(row.size(), rows.size());
  EXPECT_EQ(rows[0].substr(0, 8), "11111110");
  EXPECT_EQ(rows[1].substr(0, 8), "10000010");
  EXPECT_TRUE(qr_rows(std::string(5000, 'x')).empty());
}

class CodesTest : public ::testing::Test {
 protected:
  CodesTest() {
    std::string name = (fs::temp_directory_path() / "codes-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
    made_ = enroll(*store_, "anna", now_).value();
    secret_ = store_->find("anna").value()->secret;
  }
  ~CodesTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::shared_ptr<store::TotpStore> open() {
    std::shared_ptr<store::Store> all =
        store::open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
    return {all, &all->codes()};
  }
  // Of a step so many from now.
  std::string code(int ahead = 0) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now_.time_since_epoch());
    return code_of(secret_, static_cast<std::uint64_t>(seconds.count() / 30 + ahead));
  }
  // Empty: it was good.
  std::string use(const std::string& what) {
    const auto used = use_code(*store_, "anna", what, now_);
    return used ? "" : used.error().message;
  }
  bool says(const std::string& what, const std::string& words) {
    const std::string said = use(what);
    return said.find(words) != std::string::npos && said.find(what) == std::string::npos;
  }
  void confirmed() { ASSERT_TRUE(confirm(*store_, "anna", code(-1), now_)); }

  WallTime now_{std::chrono::hours(24 * 365 * 50)};
  fs::path folder_;
  std::shared_ptr<store::TotpStore> store_;
  Enrolment made_;
  std::string secret_;
};

TEST_F(CodesTest, CountFromTheFirstOneOn) {
  EXPECT_TRUE(says(code(), "has no one-time codes"));
  EXPECT_FALSE(confirm(*store_, "anna", "000000", now_));
  confirmed();
  EXPECT_EQ(use(code()), "");
  EXPECT_FALSE(confirm(*store_, "anna", code(1), now_));  // that is done
  EXPECT_FALSE(use_code(*store_, "bert", code(1), now_));
  EXPECT_NE(made_.uri.find("otpauth://totp/Toolpost:anna?secret=" + made_.secret),
            std::string::npos);
  EXPECT_EQ(made_.secret.size(), 32u);  // 20 bytes
}

TEST_F(CodesTest, TheUriOfAnEnrolmentIsValidForEachPrincipal) {
  const Enrolment made = enroll(*store_, "oauth:auth0|x~1", now_).value();
  EXPECT_TRUE(made.uri.starts_with("otpauth://totp/Toolpost:oauth%3Aauth0%7Cx~1?secret="))
      << made.uri;
}

TEST_F(CodesTest, NoRecoveryCodeConfirmsAnEnrolment) {
  for (int tries = 0; tries < 6; ++tries) {
    EXPECT_FALSE(confirm(*store_, "anna", made_.recovery[0], now_));
  }
  EXPECT_FALSE(store_->find("anna").value()->confirmed);
  confirmed();  // nothing has locked it
  EXPECT_EQ(use(made_.recovery[0]), "");
}

TEST_F(CodesTest, WorkOnceAndNoOlderOneAfter) {
  confirmed();
  EXPECT_EQ(use(code()), "");
  EXPECT_TRUE(says(code(), "was used before"));
  EXPECT_TRUE(says(code(-1), "was used before"));
  EXPECT_EQ(use(code(1)), "");  // a clock that runs ahead
  EXPECT_TRUE(says(code(), "was used before"));
  now_ += 60s;
  EXPECT_EQ(use(code()), "");
}

TEST_F(CodesTest, AreGoodAgainWhereTheirCallDidNotRun) {
  confirmed();
  const auto taken = [&](const std::string& what) {
    JudgedCode judged;
    EXPECT_TRUE(use_code(*store_, "anna", what, now_, &judged));
    return judged.used;
  };
  UsedCode used = taken(code());
  EXPECT_TRUE(give_code_back(*store_, "anna", used));
  used = taken(code());
  EXPECT_EQ(use(code(1)), "");
  EXPECT_TRUE(give_code_back(*store_, "anna", used));
  EXPECT_TRUE(says(code(), "was used before")) << "a later one was used since";
  used = taken(made_.recovery[3]);
  EXPECT_TRUE(give_code_back(*store_, "anna", used));
  used = taken(made_.recovery[3]);
  now_ += 60s;
  ASSERT_TRUE(renew_recovery(*store_, "anna", code(), now_));
  EXPECT_TRUE(give_code_back(*store_, "anna", used));
  EXPECT_TRUE(says(made_.recovery[3], "is wrong")) << "there are others now";
}

TEST_F(CodesTest, AreGoodOneStepEitherWayAndNoFurther) {
  confirmed();
  now_ += 300s;
  EXPECT_TRUE(says(code(-2), "is wrong"));
  EXPECT_TRUE(says(code(2), "is wrong"));
  EXPECT_EQ(use(code(-1)), "");
  now_ += 300s;
  EXPECT_EQ(use(code(1)), "");
}

TEST_F(CodesTest, TwoProcessesCannotUseOneTwice) {
  confirmed();
  const auto other = open();
  EXPECT_TRUE(use_code(*other, "anna", code(), now_));
  EXPECT_TRUE(says(code(), "was used before"));
}

TEST_F(CodesTest, FiveWrongOnesLockAndTimeUnlocks) {
  confirmed();
  now_ += 300s;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(says("12345" + std::to_string(i), "is wrong"));
  EXPECT_TRUE(says(code(), "too many wrong codes"));
  EXPECT_TRUE(says(made_.recovery[0], "too many wrong codes"));
  now_ += 15min;
  EXPECT_EQ(use(code()), "");
}

TEST_F(CodesTest, WrongOnesOfAClockThatWasWrongLockNobody) {
  confirmed();
  now_ += std::chrono::hours(24 * 365);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(says("12345" + std::to_string(i), "is wrong"));
  EXPECT_TRUE(says(code(), "too many wrong codes"));
  now_ -= 5min;  // a clock that is corrected lifts no lock
  EXPECT_TRUE(says(code(), "too many wrong codes"));
  now_ -= std::chrono::hours(24 * 365) - 10min;
  EXPECT_TRUE(says("nonsense", "is wrong"));
  EXPECT_EQ(use(code()), "");
}

TEST_F(CodesTest, TheWindowOfWrongOnesEndsAlsoIfTheClockWasWrong) {
  confirmed();
  now_ += std::chrono::hours(24 * 365);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(says("nonsense", "is wrong"));
  now_ -= std::chrono::hours(24 * 365);
  EXPECT_TRUE(says("nonsense", "is wrong"));
  now_ += 15min;
  EXPECT_TRUE(says("nonsense", "is wrong"));
  EXPECT_EQ(use(code()), "");
}

TEST_F(CodesTest, OnesThatAreUsedUpLockNobody) {
  confirmed();
  EXPECT_EQ(use(code()), "");
  EXPECT_EQ(use(made_.recovery[3]), "");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(says(code(), "was used before"));
    EXPECT_TRUE(says(code(-1), "was used before"));
    EXPECT_TRUE(says(made_.recovery[3], "is wrong"));
  }
  EXPECT_EQ(use(code(1)), "");
}

TEST_F(CodesTest, OnesThatAreUsedUpTellNothingDuringALockAndLiftNone) {
  confirmed();
  EXPECT_EQ(use(code()), "");
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(says(code(), "was used before"));  // and takes no wrong one back
    EXPECT_TRUE(says("12345" + std::to_string(i), "is wrong"));
  }
  EXPECT_TRUE(says(code(), "too many wrong codes"));
  EXPECT_TRUE(says(code(1), "too many wrong codes"));
}

TEST_F(CodesTest, AFewWrongOnesOverALongTimeLockNobody) {
  confirmed();
  for (int i = 0; i < 12; ++i) {
    now_ += 4min;
    EXPECT_TRUE(says("nonsense", "is wrong"));
  }
  EXPECT_EQ(use(code()), "");
}

TEST_F(CodesTest, ARecoveryCodeIsGoodOnce) {
  confirmed();
  ASSERT_EQ(made_.recovery.size(), 8u);
  EXPECT_EQ(use(made_.recovery[3]), "");
  EXPECT_TRUE(says(made_.recovery[3], "is wrong"));
  EXPECT_EQ(store_->find("anna").value()->recovery.size(), 7u);
}

TEST_F(CodesTest, ARecoveryCodeIsNoOptionOfACommand) {
  for (int i = 0; i < 50; ++i) {
    const auto made = enroll(*store_, "anna", now_);
    for (const std::string& code : made.value().recovery) EXPECT_NE(code.front(), '-');
  }
}

TEST_F(CodesTest, ANewEnrolmentTakesThePlaceOfOneThatWasNeverConfirmed) {
  const std::string old = code();
  ASSERT_TRUE(enroll(*store_, "anna", now_));
  EXPECT_FALSE(confirm(*store_, "anna", old, now_));
}

TEST_F(CodesTest, ConfirmedCodesAreRemovedBeforeOthersAreMade) {
  confirmed();
  const auto refused = enroll(*store_, "anna", now_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::InvalidArgument);
  EXPECT_NE(refused.error().message.find("toolpost totp remove anna"), std::string::npos);
  now_ += 30s;
  EXPECT_EQ(use(code()), "");
  EXPECT_TRUE(store_->remove("anna").value());
  EXPECT_FALSE(store_->remove("anna").value());
}

TEST_F(CodesTest, APersonAloneEnrolsInSteps) {
  const auto begun = enroll_first(*store_, "bert", now_).value();
  ASSERT_TRUE(begun);
  EXPECT_TRUE(begun->recovery.empty());
  const auto again = enroll_first(*store_, "bert", now_).value();  // the page was closed
  ASSERT_TRUE(again);
  EXPECT_NE(again->secret, begun->secret);
  secret_ = store_->find("bert").value()->secret;
  EXPECT_FALSE(confirm_with_recovery(*store_, "bert", "000000", now_));
  const auto recovery = confirm_with_recovery(*store_, "bert", code(), now_);
  ASSERT_TRUE(recovery);
  ASSERT_EQ(recovery->size(), 8u);
  EXPECT_TRUE(use_code(*store_, "bert", recovery->front(), now_));
  // What counts is not replaced by who can only log in.
  EXPECT_FALSE(enroll_first(*store_, "bert", now_).value());
  EXPECT_EQ(store_->find("bert").value()->secret, secret_);
  EXPECT_FALSE(enroll_first(*store_, "local", now_));
}

TEST_F(CodesTest, RecoveryCodesAreRenewedByACode) {
  EXPECT_FALSE(renew_recovery(*store_, "anna", made_.recovery[0], now_));  // not confirmed
  confirmed();
  EXPECT_FALSE(renew_recovery(*store_, "anna", "000000", now_));
  EXPECT_EQ(use(made_.recovery[1]), "");
  const auto fresh = renew_recovery(*store_, "anna", code(), now_);
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(says(made_.recovery[2], "is wrong"));
  EXPECT_EQ(use(fresh->back()), "");
}

TEST_F(CodesTest, AreRemovedByACodeAndWithoutOneBeforeTheyCount) {
  EXPECT_TRUE(enroll_first(*store_, "bert", now_).value());
  EXPECT_TRUE(remove_by_code(*store_, "bert", "", now_));
  EXPECT_FALSE(store_->find("bert").value());
  confirmed();
  EXPECT_FALSE(remove_by_code(*store_, "anna", "", now_));
  EXPECT_FALSE(remove_by_code(*store_, "anna", "000000", now_));
  ASSERT_TRUE(store_->find("anna").value());
  EXPECT_TRUE(remove_by_code(*store_, "anna", code(), now_));
  EXPECT_FALSE(store_->find("anna").value());
  EXPECT_FALSE(remove_by_code(*store_, "anna", code(1), now_));
}

TEST_F(CodesTest, SayHowTheyAre) {
  const auto state = [this] { return std::string(state_of(*store_->find("anna").value(), now_)); };
  EXPECT_EQ(state(), "to be confirmed");
  confirmed();
  EXPECT_EQ(state(), "valid");
  for (int i = 0; i < 5; ++i) EXPECT_NE(use("nonsense"), "");
  EXPECT_EQ(state(), "locked");
  EXPECT_TRUE(unlock(*store_, "anna").value());
  EXPECT_EQ(state(), "valid");
  EXPECT_FALSE(unlock(*store_, "bert").value());
  EXPECT_EQ(as_json(*store_->find("anna").value(), now_).find(made_.secret), std::string::npos);
}

}  // namespace
}  // namespace host::identity
