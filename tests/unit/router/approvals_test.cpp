// How a call waits for its approval.
#include "approval/approvals.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "base/digest.h"
#include "router/step/permission_step.h"
#include "store/store.h"
#include "support/forwarding_store.h"
#include "support/passports.h"
#include "support/run_loop.h"
#include "support/run_until.h"

namespace host::approval {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using boost::asio::awaitable;
using store::ApprovalRecord;
using store::ApprovalState;

// A pause by this clock is as good as endless.
class LateClock final : public Clock {
 public:
  SteadyTime steady() const override { return system_clock().steady() + 1h; }
  WallTime wall() const override { return system_clock().wall(); }
};

// A store whose rules cannot be read once.
class UnreadRules final : public test::ForwardingStore, store::RuleStore {
 public:
  UnreadRules(std::unique_ptr<store::Store> real, std::atomic<bool>& fails)
      : ForwardingStore(std::move(real)), fails_(fails) {}
  store::RuleStore& rules() override { return *this; }

 private:
  Result<std::vector<store::RuleRecord>> list() override {
    if (fails_.exchange(false)) return Error{ErrorKind::Io, "the disk does not answer"};
    return ForwardingStore::rules().list();
  }
  Result<store::RuleRecord> remove(std::string_view id) override {
    return ForwardingStore::rules().remove(id);
  }
  std::atomic<bool>& fails_;
};

class ApprovalsTest : public ::testing::Test {
 protected:
  ApprovalsTest() {
    std::string name = (fs::temp_directory_path() / "approvals-wait-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    const auto open = [this]() -> Result<std::unique_ptr<store::Store>> {
      HOST_TRY_ASSIGN(std::unique_ptr<store::Store> real,
                      store::open_sqlite_store(folder / "toolpost.db", system_clock()));
      std::unique_ptr<store::Store> out =
          std::make_unique<UnreadRules>(std::move(real), rules_fail);
      return out;
    };
    desk = std::make_shared<store::Desk>(loop.io.get_executor(), open);
    Approvals::Settings settings;
    settings.wait = 5min;
    settings.expire = 10min;
    approvals = std::make_shared<Approvals>(loop.io.get_executor(), settings, clock, desk);
  }
  ~ApprovalsTest() override {
    desk->stop();
    loop.drain();
    fs::remove_all(folder);
  }

  static tool::PassportPtr of_session(const std::string& session) {
    return test::passport_with([&](tool::Passport& made) { made.who.session = session; });
  }
  static ApprovalRecord fresh() {
    ApprovalRecord record;
    record.key = {"anna", "", "pre_move", "v1", "b1", sha256("{}")};
    record.provider = "warehouse";
    record.arguments = "{}";
    return record;
  }

  // The first look for changes by others finds some, and would wake a call that waits.
  awaitable<Result<void>> looked() {
    HOST_CO_TRY(co_await approvals->rules());
    boost::asio::steady_timer looked(loop.io, SteadyTime::max());
    const auto follower = approvals->follow([&looked] { looked.cancel(); });
    boost::system::error_code woken;
    co_await looked.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
    co_return Result<void>();
  }

  test::RunLoop loop;
  LateClock clock;
  std::atomic<bool> rules_fail = false;  // at the next reading
  fs::path folder;
  std::shared_ptr<store::Desk> desk;
  std::shared_ptr<Approvals> approvals;
};

// The change for which they were read is seen only once.
TEST_F(ApprovalsTest, FollowersReadTheRulesAgainThatCouldNotBeRead) {
  const auto first = loop.start(looked());
  ASSERT_TRUE(test::run_until(loop.io, [&] { return first->has_value(); }));
  rules_fail = true;
  const auto rules = loop.start(approvals->rules());
  ASSERT_TRUE(test::run_until(loop.io, [&] { return rules->has_value(); }));
  EXPECT_FALSE(**rules);
  int told = 0;
  const auto follower = approvals->follow([&] { ++told; });
  EXPECT_TRUE(test::run_until(loop.io, [&] { return told > 0; }));
  EXPECT_EQ(told, 1);
  approvals->end_waits();
}

// The decision comes while a plugin says whether the approval is still needed.
TEST_F(ApprovalsTest, ADecisionIsHeardWhileTheCallIsJudgedAgain) {
  tool::Call call;
  call.passport = test::passport("c1", "anna");
  int judged = 0;
  const auto settle = [&]() -> awaitable<Result<Approvals::Met>> {
    HOST_CO_TRY(co_await looked());
    HOST_CO_TRY_ASSIGN(Approvals::Met met, co_await approvals->meet(fresh()));
    const std::string id = met.record.id;
    const Approvals::StillNeeded still_needed = [&, id]() -> awaitable<bool> {
      if (++judged == 1) {
        store::ApprovalDecision decision;
        decision.approved = true;
        decision.by = "rest:bob";
        std::string code;
        identity::SharedJudgement judgement;
        const auto decided =
            co_await approvals->decide(id, decision, std::move(code), std::move(judgement));
        EXPECT_TRUE(decided.has_value());
      }
      co_return true;
    };
    auto waited = co_await approvals->wait(call, std::move(met), still_needed);
    co_return waited;
  };
  const auto ended = loop.start(settle());
  loop.io.run_for(1min);  // less: it ends at once
  approvals->end_waits();
  loop.drain();
  const Result<Approvals::Met>& met = ended->value();
  ASSERT_TRUE(met.has_value());
  EXPECT_EQ(met->record.state, ApprovalState::Approved) << "the decision was not heard";
}

// The provider can refuse to begin a call, and be called once more.
TEST_F(ApprovalsTest, TheApprovalOfACallThatRunsAgainIsUsedOnceAndGivenBack) {
  const auto use = [&]() -> awaitable<Result<ApprovalState>> {
    HOST_CO_TRY_ASSIGN(Approvals::Met met, co_await approvals->meet(fresh()));
    store::ApprovalDecision decision;
    decision.approved = true;
    decision.by = "rest:bob";
    std::string code;
    identity::SharedJudgement judgement;
    HOST_CO_TRY(
        co_await approvals->decide(met.record.id, decision, std::move(code), std::move(judgement)));
    met.hold.reset();
    HOST_CO_TRY_ASSIGN(met, co_await approvals->meet(fresh()));
    HOST_CO_TRY(co_await met.hold->spend());
    HOST_CO_TRY(co_await met.hold->spend());
    co_await met.hold->give_back();
    met.hold.reset();  // the call has ended
    HOST_CO_TRY_ASSIGN(const Approvals::Met later, co_await approvals->meet(fresh()));
    co_return later.record.state;
  };
  const auto ended = loop.start(use());
  ASSERT_TRUE(test::run_until(loop.io, [&] { return ended->has_value(); }));
  approvals->end_waits();
  ASSERT_TRUE((*ended)->has_value()) << (*ended)->error().message;
  EXPECT_EQ((*ended)->value(), ApprovalState::Approved);
}

// The host of the other session does not know that a call of this host waits.
TEST_F(ApprovalsTest, ACodeOfAnotherSessionOnAnotherHostServesNoCallThatWaits) {
  tool::Call call;
  call.passport = of_session("s_one");
  std::string id;
  const auto settle = [&]() -> awaitable<Result<Approvals::Met>> {
    ApprovalRecord needed = fresh();
    needed.session = "s_one";
    needed.needs_code = true;
    HOST_CO_TRY_ASSIGN(Approvals::Met met, co_await approvals->meet(std::move(needed)));
    id = met.record.id;
    const Approvals::StillNeeded still_needed = []() -> awaitable<bool> { co_return true; };
    auto waited = co_await approvals->wait(call, std::move(met), still_needed);
    co_return waited;
  };
  const auto ended = loop.start(settle());
  ASSERT_TRUE(test::run_until(loop.io, [&] { return !id.empty(); }));

  const auto other = store::open_sqlite_store(folder / "toolpost.db", system_clock());
  ASSERT_TRUE(other.has_value());
  store::ApprovalStore& elsewhere = (*other)->approvals();
  ApprovalRecord with_code = fresh();
  with_code.id = "ap_other";
  with_code.session = "s_two";
  with_code.created = system_clock().wall();
  with_code.expires = with_code.created + 10min;
  const auto met = elsewhere.meet(with_code, {}, with_code.created, [] { return Result<void>(); });
  ASSERT_TRUE(met.has_value() && met->has_value());
  ASSERT_EQ((*met)->id, id);
  store::ApprovalDecision decision;
  decision.approved = true;
  decision.by = "rest:bob";
  decision.good_for = 10min;
  ASSERT_TRUE(elsewhere.decide(id, decision).has_value());

  ASSERT_TRUE(test::run_until(loop.io, [&] { return ended->has_value(); }));
  const Result<Approvals::Met>& left = ended->value();
  ASSERT_TRUE(left.has_value());
  EXPECT_TRUE(left->is_needless) << "it is judged again, and asks for a code of its own";
  EXPECT_FALSE(left->hold);
  EXPECT_EQ(elsewhere.find(id).value().state, ApprovalState::Approved) << "for the other session";
  approvals->end_waits();
}

// Two sessions wait, and the settings of one change. Its request was decided in the store without
// news, so that a read of the request would end its wait.
TEST_F(ApprovalsTest, AChangedSessionJudgesItsOwnCallsAgainAndReadsNoRequest) {
  struct Waiting {
    tool::Call call;
    std::string id;
    int judged = 0;
  };
  Waiting one, other;
  one.call.passport = of_session("s_one");
  other.call.passport = of_session("s_other");
  const auto settle = [&](Waiting& waiting) -> awaitable<Result<Approvals::Met>> {
    HOST_CO_TRY_ASSIGN(Approvals::Met met, co_await approvals->meet(fresh()));
    waiting.id = met.record.id;
    const Approvals::StillNeeded still_needed = [&waiting]() -> awaitable<bool> {
      ++waiting.judged;
      co_return true;
    };
    auto waited = co_await approvals->wait(waiting.call, std::move(met), still_needed);
    co_return waited;
  };
  const auto ready = loop.start(looked());
  ASSERT_TRUE(test::run_until(loop.io, [&] { return ready->has_value(); }));
  const auto first = loop.start(settle(one));
  const auto second = loop.start(settle(other));
  ASSERT_TRUE(test::run_until(loop.io, [&] { return one.judged == 1 && other.judged == 1; }));
  bool is_withdrawn = false;
  store::Desk::Act<bool> act = [id = one.id](store::Store& store) {
    return store.approvals().withdraw(id);
  };
  desk->ask<bool>(std::move(act), [&](const Result<bool>& done) { is_withdrawn = done && *done; });
  ASSERT_TRUE(test::run_until(loop.io, [&] { return is_withdrawn; }));

  approvals->judge_session_again("s_one");
  ASSERT_TRUE(test::run_until(loop.io, [&] { return one.judged > 1; }));
  approvals->end_waits();
  loop.drain();
  ASSERT_TRUE(first->value().has_value());
  EXPECT_EQ(first->value()->record.state, ApprovalState::Pending) << "the request was read again";
  EXPECT_EQ(one.judged, 2);
  EXPECT_EQ(other.judged, 1) << "a call of another session was judged again";
}

// As after a todo_write.
TEST(Basis, IsTheSameAfterAChangeThatDecidesAboutNoCall) {
  session::Session was;
  was.id = "s_one";
  session::Session now = was;
  now.version = 2;
  now.settings.todos = std::make_shared<const session::Todos>();
  const auto shared = [](const session::Session& one) {
    return std::make_shared<const session::Session>(one);
  };
  using Basis = router::PermissionStep::Basis;
  EXPECT_EQ((Basis{nullptr, shared(was)}), (Basis{nullptr, shared(now)}));
  EXPECT_NE((Basis{nullptr, shared(was)}), (Basis{nullptr, nullptr}));
  now.settings.working_dirs = std::vector<std::string>{"/srv"};
  EXPECT_NE((Basis{nullptr, shared(was)}), (Basis{nullptr, shared(now)}));
}

}  // namespace
}  // namespace host::approval
