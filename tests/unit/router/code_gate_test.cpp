// Which one-time codes the gate takes for a call that a reviewer approves, too.
#include "approval/gate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "identity/totp.h"
#include "json/json.h"
#include "store/store.h"
#include "support/fake_provider.h"
#include "support/manual_clock.h"
#include "support/passports.h"
#include "support/run_loop.h"
#include "support/run_until.h"

namespace host::approval {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CodeGateTest : public ::testing::Test {
 protected:
  CodeGateTest() {
    std::string name = (fs::temp_directory_path() / "code-gate-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    clock_.advance(std::chrono::hours(24 * 365 * 50));
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [this] {
      return store::open_sqlite_store(folder_ / "toolpost.db", clock_);
    });
    Approvals::Settings settings;
    settings.expire = 10min;
    approvals_ = std::make_shared<Approvals>(loop_.io.get_executor(), settings, clock_, desk_);
    approvals_->end_waits();  // each call ends at once while nobody has decided
    gate_.emplace(false, approvals_, Grace(1min, clock_));
    provider_.add_answering(test::declaration("priv_move"), "moved");
    on_desk([this](store::Store& store) -> Result<bool> {
      const WallTime now = clock_.wall();
      HOST_TRY_ASSIGN(const identity::Enrolment made, identity::enroll(store.codes(), "anna", now));
      recovery_ = made.recovery;
      HOST_TRY_ASSIGN(const auto record, store.codes().find("anna"));
      const auto step = static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count() / 30);
      HOST_TRY(
          identity::confirm(store.codes(), "anna", identity::code_of(record->secret, step), now));
      return true;
    });
  }
  ~CodeGateTest() override {
    desk_->stop();
    loop_.drain();
    fs::remove_all(folder_);
  }

  void on_desk(store::Desk::Act<bool> act) {
    bool is_done = false;
    desk_->ask<bool>(std::move(act), [&](const Result<bool>& done) {
      EXPECT_TRUE(done) << done.error().message;
      is_done = true;
    });
    ASSERT_TRUE(test::run_until(loop_.io, [&] { return is_done; }));
  }

  // The outcome of a call that an ask rule matches. Empty: it can run.
  std::string outcome(const std::string& session, const std::string& code,
                      std::string_view arguments = "{}") {
    tool::Call call;
    call.passport = test::passport_with([&](tool::Passport& made) {
      made.who.principal = "anna";
      made.who.session = session;
    });
    call.arguments = *json::parse(arguments);
    call.code = code;
    Request request;
    request.reason = "a rule asks";
    request.needs_code = true;
    request.build = build_;
    if (goes_on_) call.continuation.answers = answers_;
    const auto tools = provider_.tools();
    const auto passed = loop_.start(gate_->pass(call, *tools.front(), request));
    EXPECT_TRUE(test::run_until(loop_.io, [&] { return passed->has_value(); }));
    answers_ = std::move(call.continuation.answers);
    receipts_ = call.receipts.size();
    return passed->value().has_value() ? call.outcome : passed->value().error().message;
  }

  std::vector<store::ApprovalRecord> requests() {
    std::vector<store::ApprovalRecord> listed;
    on_desk([&listed](store::Store& store) -> Result<bool> {
      HOST_TRY_ASSIGN(listed, store.approvals().list(true, 100, ""));
      return true;
    });
    return listed;
  }
  void approve(const std::string& id) {
    on_desk([&id](store::Store& store) -> Result<bool> {
      store::ApprovalDecision decision;
      decision.approved = true;
      decision.by = "rest:bob";
      decision.good_for = 5min;
      HOST_TRY(store.approvals().decide(id, decision));
      return true;
    });
  }

  test::RunLoop loop_;
  test::ManualClock clock_;
  fs::path folder_;
  std::shared_ptr<store::Desk> desk_;
  std::shared_ptr<Approvals> approvals_;
  std::optional<Gate> gate_;
  test::FakeProvider provider_;
  std::vector<std::string> recovery_;
  std::string build_;         // of the tool of later calls
  bool goes_on_ = false;      // later calls have the answers of the call before
  tool::Answers answers_;     // of the last call
  std::size_t receipts_ = 0;  // of the last call
};

// The client's next request brings the answers to the tool's questions.
TEST_F(CodeGateTest, AnApprovedCallThatAskedItsClientGoesOnUnderItsApproval) {
  EXPECT_EQ(outcome("s1", recovery_[0]), "pending");
  EXPECT_TRUE(answers_.empty());
  approve(requests().front().id);
  EXPECT_EQ(outcome("s1", recovery_[0]), "");
  EXPECT_EQ(receipts_, 1u);
  ASSERT_EQ(answers_.size(), 1u);
  const tool::Answers marks = answers_;
  goes_on_ = true;
  EXPECT_EQ(outcome("s1", ""), "");
  EXPECT_EQ(receipts_, 0u) << "it uses up no second approval";
  EXPECT_EQ(outcome("s1", "", R"({"n":2})"), "pending") << "of other arguments";
  answers_ = marks;
  build_ = "another";
  EXPECT_EQ(outcome("s1", ""), "pending") << "of another build";
}

TEST_F(CodeGateTest, ARepeatedCallMaySendTheCodeThatItsRequestHasUsed) {
  EXPECT_EQ(outcome("s1", recovery_[0]), "pending");
  EXPECT_EQ(outcome("s1", recovery_[0]), "pending");
  ASSERT_EQ(requests().size(), 1u);
  approve(requests().front().id);
  EXPECT_EQ(outcome("s1", recovery_[0]), "");
  EXPECT_EQ(outcome("s2", recovery_[0]), "denied");
}

TEST_F(CodeGateTest, ACodeThatWasNotCheckedBeginsNoGrace) {
  EXPECT_EQ(outcome("s1", recovery_[0]), "pending");
  clock_.advance(2min);
  EXPECT_EQ(outcome("s1", "000000"), "pending") << "its request has had its code";
  EXPECT_EQ(outcome("s1", "", R"({"n":2})"), "pending");
  const auto open = requests();
  EXPECT_EQ(open.size(), 2u);
  EXPECT_EQ(std::count_if(open.begin(), open.end(), [](const auto& one) { return one.needs_code; }),
            1);
}

TEST_F(CodeGateTest, TheGraceOfOneSessionLetsNoCallOfAnotherSessionRun) {
  EXPECT_EQ(outcome("s1", recovery_[0]), "pending");
  EXPECT_EQ(outcome("s1", ""), "pending");
  ASSERT_EQ(requests().size(), 1u);
  approve(requests().front().id);
  EXPECT_EQ(outcome("s2", ""), "pending");
  ASSERT_EQ(requests().size(), 1u);
  EXPECT_TRUE(requests().front().needs_code);
}

}  // namespace
}  // namespace host::approval
