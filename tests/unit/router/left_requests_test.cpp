// What becomes of the approval request of a call that runs without its decision.
#include "approval/left_requests.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "approval/call_key.h"
#include "approval/gate.h"
#include "json/json.h"
#include "store/store.h"
#include "support/fake_provider.h"
#include "support/forwarding_store.h"
#include "support/manual_clock.h"
#include "support/passports.h"
#include "support/run_loop.h"
#include "support/run_until.h"

namespace host::approval {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A store that cannot settle the approval requests of a call while `fails` is true.
class UnsettledStore final : public test::ForwardingStore, store::ApprovalStore {
 public:
  UnsettledStore(std::unique_ptr<store::Store> real, std::atomic<bool>& fails)
      : ForwardingStore(std::move(real)), fails_(fails) {}
  store::ApprovalStore& approvals() override { return *this; }

 private:
  using Record = store::ApprovalRecord;

  store::ApprovalStore& real() { return ForwardingStore::approvals(); }

  Result<std::optional<Record>> meet(const Record& fresh, const std::set<std::string>& taken,
                                     WallTime no_since,
                                     const std::function<Result<void>()>& spend) override {
    return real().meet(fresh, taken, no_since, spend);
  }
  Result<std::optional<Record>> look(std::string_view id) override { return real().look(id); }
  Result<bool> use(std::string_view id) override { return real().use(id); }
  Result<store::UsedUp> use_up(const store::ApprovalKey& key,
                               const std::set<std::string>& taken) override {
    if (fails_) return Error{ErrorKind::Io, "the disk does not answer"};
    return real().use_up(key, taken);
  }
  Result<void> give_back(std::string_view id) override { return real().give_back(id); }
  Result<store::ApprovalAnswer> decide(std::string_view id,
                                       const store::ApprovalDecision& decision) override {
    return real().decide(id, decision);
  }
  Result<bool> withdraw(std::string_view id) override { return real().withdraw(id); }
  Result<bool> withdraw_if_twin(std::string_view id) override {
    return real().withdraw_if_twin(id);
  }
  Result<Record> find(std::string_view id) override { return real().find(id); }
  Result<std::vector<Record>> list(bool pending_only, std::uint32_t limit,
                                   std::string_view after) override {
    return real().list(pending_only, limit, after);
  }
  Result<bool> changed_by_others() override { return real().changed_by_others(); }

  std::atomic<bool>& fails_;
};

class LeftRequestsTest : public ::testing::Test {
 protected:
  LeftRequestsTest() {
    std::string name = (fs::temp_directory_path() / "left-requests-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    clock_.advance(std::chrono::hours(24 * 365 * 50));
    using Opened = Result<std::unique_ptr<store::Store>>;
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [this]() -> Opened {
      HOST_TRY_ASSIGN(std::unique_ptr<store::Store> real,
                      store::open_sqlite_store(folder_ / "toolpost.db", clock_));
      std::unique_ptr<store::Store> store =
          std::make_unique<UnsettledStore>(std::move(real), store_fails_);
      return store;
    });
    Approvals::Settings settings;
    settings.expire = 10min;
    approvals_ = std::make_shared<Approvals>(loop_.io.get_executor(), settings, clock_, desk_);
    approvals_->end_waits();  // each call ends immediately while nobody has decided
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
  static tool::Call call_of(const std::string& principal, std::string_view arguments = "{}",
                            const std::string& session = {}) {
    tool::Call call;
    call.passport = test::passport_with([&](tool::Passport& made) {
      made.call = "c1";
      made.who.principal = principal;
      made.who.session = session;
    });
    call.arguments = *json::parse(arguments);
    return call;
  }
  // The call returns "pending". Returns the id of its request.
  std::string leave(std::string_view arguments = "{}", const std::string& session = {}) {
    clock_.advance(1s);
    tool::Call call = call_of("anna", arguments, session);
    Request request;
    request.reason = "a rule asks";
    const auto passed = run(gate_->pass(call, *tool_, request));
    EXPECT_TRUE(passed.has_value());
    EXPECT_EQ(call.outcome, "pending");
    return run(approvals_->list(true, 1, "")).value().front().id;
  }
  // The call finds its request, or makes one, and begins to wait.
  Approvals::Met meet(const tool::Call& call) {
    store::ApprovalRecord record;
    record.arguments = arguments_of(call);
    record.session = call.passport->who.session;
    record.key = key_for(call, *tool_, "", record.arguments);
    return std::move(run(approvals_->meet(std::move(record)))).value();
  }
  // The wait ends without a decision.
  boost::asio::awaitable<bool> end_wait(tool::Call& call, Approvals::Met met) {
    const auto ended = co_await approvals_->wait(call, std::move(met));
    co_return ended && ended->record.state == store::ApprovalState::Pending;
  }
  void approve(const std::string& id) {
    store::ApprovalDecision decision;
    decision.approved = true;
    decision.by = "rest:bob";
    ASSERT_TRUE(run(approvals_->decide(id, decision, {}, {})).has_value());
  }
  bool give_back(tool::Receipts& receipts) { return run(given_back(receipts)); }
  static boost::asio::awaitable<bool> given_back(tool::Receipts& receipts) {
    co_await tool::give_back(receipts);
    co_return receipts.empty();
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
  std::atomic<bool> store_fails_ = false;
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
  approve(one);
  EXPECT_TRUE(runs(call_of("anna")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Used);
}

// The other session may have a narrower mode, which still asks.
TEST_F(LeftRequestsTest, BelongToTheSessionOfTheirCall) {
  const std::string one = leave("{}", "s1");
  EXPECT_FALSE(gate_->may_have_asked(call_of("anna", "{}", "s2"), *tool_));
  EXPECT_FALSE(runs(call_of("anna", "{}", "s2")));
  EXPECT_FALSE(runs(call_of("anna")));
  leave(R"({"n":2})", "s2");
  EXPECT_TRUE(gate_->may_have_asked(call_of("anna", "{}", "s2"), *tool_));
  EXPECT_FALSE(runs(call_of("anna", "{}", "s2")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Pending);
  EXPECT_TRUE(runs(call_of("anna", "{}", "s1")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Withdrawn);
}

TEST_F(LeftRequestsTest, AreForgottenWhenTheyHaveExpired) {
  LeftRequests left;
  store::ApprovalKey one{"anna", "", "move", "v1", "b1", {}};
  store::ApprovalKey two = one;
  two.build = "b2";
  const WallTime now = clock_.wall();
  left.add({one, "", now + 1min}, now);
  EXPECT_TRUE(left.has(one, "", now));
  EXPECT_FALSE(left.has(one, "", now + 1min));
  left.add({two, "", now + 3min}, now + 2min);
  EXPECT_FALSE(left.has(one, "", now));
  EXPECT_TRUE(left.has(two, "", now));
}

TEST_F(LeftRequestsTest, CostNothingWhenTheyHaveExpired) {
  leave();
  EXPECT_TRUE(gate_->may_have_asked(call_of("anna"), *tool_));
  clock_.advance(20min);  // for the decision, and for the use of the approval
  EXPECT_FALSE(gate_->may_have_asked(call_of("anna"), *tool_));
  EXPECT_FALSE(runs(call_of("anna")));
}

TEST_F(LeftRequestsTest, AreRememberedIfTheirCallLeftThemWhileTheStoreWithdrewOthers) {
  const std::string one = leave();
  tool::Call waiting = call_of("anna");
  Approvals::Met met = meet(waiting);
  ASSERT_EQ(met.record.id, one);
  tool::Call running = call_of("anna");
  gate_->runs_unasked(running, *tool_, "");
  ASSERT_FALSE(running.receipts.empty());
  const auto spent = loop_.start(tool::spend(running.receipts));
  const auto ended = loop_.start(end_wait(waiting, std::move(met)));
  ASSERT_TRUE(test::run_until(loop_.io, [&] { return spent->has_value() && ended->has_value(); }));
  EXPECT_TRUE((*spent)->has_value());
  EXPECT_TRUE(**ended);
  EXPECT_EQ(state_of(one), store::ApprovalState::Pending) << "a call waited for it";
  EXPECT_TRUE(runs(call_of("anna")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Withdrawn);
}

TEST_F(LeftRequestsTest, AreRememberedIfTheToolDidNotStart) {
  const std::string one = leave();
  approve(one);
  tool::Call refused = call_of("anna");
  gate_->runs_unasked(refused, *tool_, "");
  EXPECT_TRUE(run(tool::spend(refused.receipts)).has_value());
  EXPECT_EQ(state_of(one), store::ApprovalState::Used);
  EXPECT_TRUE(give_back(refused.receipts));
  EXPECT_EQ(state_of(one), store::ApprovalState::Approved);
  EXPECT_TRUE(runs(call_of("anna")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Used);
}

TEST_F(LeftRequestsTest, IncludeAnApprovalWhoseCallDidNotRun) {
  tool::Call refused = call_of("anna");
  for (const bool spent : {false, true}) {
    Approvals::Met met = meet(refused);
    const std::string one = met.record.id;
    approve(one);
    refused.receipts.push_back(std::move(met.hold));
    if (spent) {
      EXPECT_TRUE(run(tool::spend(refused.receipts)).has_value());
    }
    EXPECT_TRUE(give_back(refused.receipts));
    EXPECT_EQ(state_of(one), store::ApprovalState::Approved);
    EXPECT_TRUE(runs(call_of("anna")));
    EXPECT_EQ(state_of(one), store::ApprovalState::Used);
  }
}

TEST_F(LeftRequestsTest, StopNoCallIfTheStoreFails) {
  const std::string one = leave();
  store_fails_ = true;
  EXPECT_TRUE(runs(call_of("anna")));
  tool::Call by_always = call_of("anna");
  gate_->runs_by_always(by_always, *tool_, "");
  EXPECT_FALSE(run(tool::spend(by_always.receipts)).has_value());
  store_fails_ = false;
  EXPECT_EQ(state_of(one), store::ApprovalState::Pending);
  EXPECT_TRUE(runs(call_of("anna")));
  EXPECT_EQ(state_of(one), store::ApprovalState::Withdrawn);
}

}  // namespace
}  // namespace host::approval
