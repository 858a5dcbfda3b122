// How a call waits for its approval.
#include "approval/approvals.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/digest.h"
#include "store/store.h"
#include "support/passports.h"
#include "support/run_loop.h"

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

class ApprovalsTest : public ::testing::Test {
 protected:
  ApprovalsTest() {
    std::string name = (fs::temp_directory_path() / "approvals-wait-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    desk = std::make_shared<store::Desk>(loop.io.get_executor(), [this] {
      return store::open_sqlite_store(folder / "toolpost.db", system_clock());
    });
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

  static ApprovalRecord fresh() {
    ApprovalRecord record;
    record.key = {"anna", "", "pre_move", "v1", "b1", sha256("{}")};
    record.provider = "warehouse";
    record.arguments = "{}";
    return record;
  }

  test::RunLoop loop;
  LateClock clock;
  fs::path folder;
  std::shared_ptr<store::Desk> desk;
  std::shared_ptr<Approvals> approvals;
};

// The decision comes while a plugin says whether the approval is still needed.
TEST_F(ApprovalsTest, ADecisionIsHeardWhileTheCallIsJudgedAgain) {
  tool::Call call;
  call.passport = test::passport("c1", "anna");
  int judged = 0;
  const auto settle = [&]() -> awaitable<Result<Approvals::Met>> {
    HOST_CO_TRY(co_await approvals->rules());
    // The first look for changes by others finds some, and would wake the call.
    boost::asio::steady_timer looked(loop.io, SteadyTime::max());
    const auto follower = approvals->follow([&looked] { looked.cancel(); });
    boost::system::error_code woken;
    co_await looked.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
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

}  // namespace
}  // namespace host::approval
