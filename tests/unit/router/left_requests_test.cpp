// What becomes of the approval request of a call that runs without its decision.
#include "approval/left_requests.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "approval/gate.h"
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

class LeftRequestsTest : public ::testing::Test {
 protected:
  LeftRequestsTest() {
    std::string name = (fs::temp_directory_path() / "left-requests-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    clock_.advance(std::chrono::hours(24 * 365 * 50));
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [this] {
      return store::open_sqlite_store(folder_ / "toolpost.db", clock_);
    });
    Approvals::Settings settings;
    settings.expire = 10min;
    approvals_ = std::make_shared<Approvals>(loop_.io.get_executor(), settings, clock_, desk_);
    approvals_->end_waits();  // each call ends at once while nobody has decided
    gate_ = std::make_unique<Gate>(false, approvals_);
    provider_.add_answering(test::declaration("move"), "moved");
    tool_ = provider_.tools().front();
  }
  ~LeftRequestsTest() override {
    desk_->stop();
    loop_.drain();
    fs::remove_all(folder_);
  }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    const auto ended = loop_.start(std::move(work));
    EXPECT_TRUE(test::run_until(loop_.io, [&] { return ended->has_value(); }));
    return std::move(**ended);
  }
  static tool::Call call_of(const std::string& principal, std::string_view arguments = "{}") {
    tool::Call call;
    call.passport = test::passport("c1", principal);
    call.arguments = *json::parse(arguments);
    return call;
  }
  // The call returns "pending". Returns the id of its request.
  std::string leave(std::string_view arguments = "{}") {
    clock_.advance(1s);
    tool::Call call = call_of("anna", arguments);
    Request request;
    request.reason = "a rule asks";
    const auto passed = run(gate_->pass(call, *tool_, request));
    EXPECT_TRUE(passed.has_value());
    EXPECT_EQ(call.outcome, "pending");
    return run(approvals_->list(true, 1, "")).value().front().id;
  }
  store::ApprovalState state_of(const std::string& id) {
    return run(approvals_->find(id)).value().state;
  }
  // The call runs, because a rule allows it now. Returns false if that costs nothing of the store.
  bool runs(tool::Call call) {
    gate_->runs_unasked(call, *tool_, "");
    if (call.receipts.empty()) return false;
    EXPECT_TRUE(run(tool::spend(call.receipts)).has_value());
    return true;
  }

  test::RunLoop loop_;
  test::ManualClock clock_;
  fs::path folder_;
  std::shared_ptr<store::Desk> desk_;
  std::shared_ptr<Approvals> approvals_;
  std::unique_ptr<Gate> gate_;
  test::FakeProvider provider_;
  std::shared_ptr<const tool::Tool> tool_;
};

TEST_F(LeftRequestsTest, AreWithdrawnWhenTheirCallRuns) {
  EXPECT_FALSE(gate_->may_have_asked(call_of("anna"), *tool_));
  const std::string other = leave(R"({"n":2})");
  const std::string one = leave();
  EXPECT_FALSE(gate_->may_have_asked(call_of("bob"), *tool_));
  EXPECT_TRUE(gate_->may_have_asked(call_of("anna"), *tool_));
  EXPECT_FALSE(runs(call_of("bob")));
  EXPECT_FALSE(runs(call_of("anna", R"({"n":3})")));
  EXPECT_TRUE(runs(call_of("anna")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Withdrawn);
  EXPECT_EQ(state_of(other), store::ApprovalState::Pending);
  EXPECT_FALSE(runs(call_of("anna")));
  EXPECT_TRUE(runs(call_of("anna", R"({ "n" : 2 })")));
  EXPECT_FALSE(gate_->may_have_asked(call_of("anna"), *tool_));
}

// As after an "always": the approval was for the run that begins now.
TEST_F(LeftRequestsTest, AreUsedUpIfTheyWereApprovedMeanwhile) {
  const std::string one = leave();
  store::ApprovalDecision decision;
  decision.approved = true;
  decision.by = "rest:bob";
  ASSERT_TRUE(run(approvals_->decide(one, decision, {}, {})).has_value());
  EXPECT_TRUE(runs(call_of("anna")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Used);
}

TEST_F(LeftRequestsTest, AreForgottenWhenTheyHaveExpired) {
  LeftRequests left;
  store::ApprovalKey one{"anna", "", "move", "v1", "b1", {}};
  store::ApprovalKey two = one;
  two.build = "b2";
  const WallTime now = clock_.wall();
  left.add(one, now + 1min, now);
  left.add(two, now + 3min, now + 2min);
  EXPECT_FALSE(left.has(one));
  EXPECT_TRUE(left.has(two));
}

}  // namespace
}  // namespace host::approval
