#include "app/orders/upstream_orders.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "store/store.h"
#include "support/run_loop.h"
#include "support/run_until.h"
#include "upstream/pins/definition.h"

namespace host::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// An upstream "u" that cannot be started, and a definition of its tool "a" that waits in the store.
class UpstreamOrders : public ::testing::Test {
 protected:
  UpstreamOrders() {
    std::string name = (fs::temp_directory_path() / "upstream-orders-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [this] {
      return store::open_sqlite_store(folder_ / "toolpost.db", system_clock());
    });
    store::Desk::Act<bool> act = [this](store::Store& store) -> Result<bool> {
      HOST_TRY(
          store.pins().put({{"u", "", "", "", true, {}, ""}, {"u", "a", "", text_, true, {}, ""}}));
      return true;
    };
    EXPECT_TRUE(desk_->ask_and_wait<bool>(std::move(act)).has_value());
    config::Upstream one;
    one.name = "u";
    one.command = "/bin/cat";
    config_.upstream = {one};
    upstreams_ = std::make_unique<upstream::Upstreams>(loop_.io.get_executor(), config_, "{}",
                                                       desk_, catalog_, registry_, folder_ / "no");
  }
  ~UpstreamOrders() override {
    const auto stopped = loop_.start(stop());
    EXPECT_TRUE(test::run_until(loop_.io, [&] { return stopped->has_value(); }));
    upstreams_.reset();
    desk_->stop();
    loop_.drain();
    fs::remove_all(folder_);
  }

  Result<std::string> answer(const std::string& action, const std::string& about,
                             const OnOutcome& on_outcome, WallTime created = {}) {
    store::PluginOrder order;
    order.created = created;
    order.action = action;
    order.plugin = about;
    order.given_by = "cli:anna";
    const auto ended = loop_.start(answer_upstream_order(*upstreams_, order, on_outcome));
    EXPECT_TRUE(test::run_until(loop_.io, [&] { return ended->has_value(); }));
    return **ended;
  }

  void put(const store::PinRecord& record) {
    store::Desk::Act<bool> act = [&](store::Store& store) -> Result<bool> {
      HOST_TRY(store.pins().put({record}));
      return true;
    };
    ASSERT_TRUE(desk_->ask_and_wait<bool>(std::move(act)).has_value());
  }
  // The stored record of the tool "a".
  store::PinRecord stored() {
    store::Desk::Act<store::PinRecord> act = [](store::Store& store) -> Result<store::PinRecord> {
      HOST_TRY_ASSIGN(const auto all, store.pins().list());
      return all.back();
    };
    return desk_->ask_and_wait<store::PinRecord>(std::move(act)).value();
  }

  boost::asio::awaitable<Result<void>> stop() {
    co_await upstreams_->stop();
    co_return Result<void>();
  }
  boost::asio::awaitable<Result<void>> remove_all() {
    std::vector<config::Upstream> none;
    const auto ignored = co_await upstreams_->change(std::move(none));
    co_return Result<void>();
  }

  const std::string text_ =
      upstream::definition_of(R"({"name":"a","inputSchema":{"type":"object"}})").value().text;
  test::RunLoop loop_;
  fs::path folder_;
  std::shared_ptr<store::Desk> desk_;
  config::Config config_;
  metrics::Registry registry_;
  tool::Catalog catalog_;
  std::unique_ptr<upstream::Upstreams> upstreams_;
};

// For the audit: the upstream is removed before the host has read its status for the answer.
TEST_F(UpstreamOrders, TellTheOutcomeOfAnAcceptanceAlsoIfTheStatusCannotBeRead) {
  std::optional<bool> is_done;
  std::shared_ptr<std::optional<Result<void>>> removal;
  const auto given =
      answer(kUpstreamAccept, "u/a " + upstream::digest_of(text_), [&](const auto& done) {
        is_done = done.has_value();
        removal = loop_.start(remove_all());
      });
  ASSERT_TRUE(removal && test::run_until(loop_.io, [&] { return removal->has_value(); }));
  EXPECT_EQ(is_done, true);
  ASSERT_FALSE(given.has_value());
  EXPECT_THAT(given.error().message, HasSubstr("the order is carried out, but the state"));
}

TEST_F(UpstreamOrders, TellTheOutcomeOfWhatFails) {
  std::optional<bool> is_done;
  const auto given = answer(kUpstreamAccept, "u/a sha256:0",
                            [&](const auto& done) { is_done = done.has_value(); });
  EXPECT_EQ(is_done, false);
  EXPECT_THAT(given.error().message, HasSubstr("no changed definition"));
}

// The order waited for this host, and somebody has accepted another definition meanwhile.
TEST_F(UpstreamOrders, AreRefusedAfterALaterDecision) {
  const auto at = [](int second) { return WallTime(std::chrono::seconds(second)); };
  const auto check = [&](const std::string& about, int given, const std::string& by) {
    store::Desk::Act<bool> act = [&](store::Store& store) -> Result<bool> {
      HOST_TRY(store.pins().put({{"u", "a", R"({"name":"other"})", "", true, at(5), by}}));
      store::PluginOrder order;
      order.action = kUpstreamAccept;
      order.plugin = about;
      order.created = at(given);
      HOST_TRY(check_later_decisions(store.pins(), {{"u", "a", "", text_, true, {}, ""}}, order));
      return true;
    };
    return desk_->ask_and_wait<bool>(std::move(act)).has_value();
  };
  for (const char* const what : {"u ", "u/a "}) {
    const std::string about = what + upstream::digest_of(text_);
    EXPECT_FALSE(check(about, 4, "rest:anna"));
    EXPECT_TRUE(check(about, 5, "rest:anna"));
    EXPECT_TRUE(check(about, 4, "first connection"));
  }
  EXPECT_TRUE(check("u/a " + upstream::digest_of(R"({"name":"other"})"), 4, "rest:anna"));
  // The order is of definitions that another host holds, and that host has just accepted them.
  EXPECT_TRUE(check("u " + upstream::digest_of(R"({"name":"other"})"), 4, "rest:anna"));
  EXPECT_TRUE(check("u/b " + upstream::digest_of(text_), 4, "rest:anna"));
  EXPECT_TRUE(check("v " + upstream::digest_of(text_), 4, "rest:anna"));
}

// The clock was set back after the earlier decision.
TEST_F(UpstreamOrders, ReplaceEachEarlierDecisionAndNoLaterOne) {
  const WallTime decided = system_clock().wall() + std::chrono::hours(1);
  const std::string other = R"({"name":"other"})";
  put({"u", "a", other, text_, true, decided, "rest:anna"});
  std::optional<bool> is_done;
  const auto order = [&](WallTime created) {
    return answer(
        kUpstreamAccept, "u/a " + upstream::digest_of(text_),
        [&](const auto& done) { is_done = done.has_value(); }, created);
  };
  const auto refused = order(decided - std::chrono::hours(1));
  EXPECT_EQ(is_done, false);
  EXPECT_THAT(refused.error().message, HasSubstr("was accepted later"));
  EXPECT_EQ(stored().accepted, other);
  EXPECT_EQ(stored().held, text_);
  EXPECT_TRUE(order(decided).has_value());
  EXPECT_EQ(is_done, true);
  EXPECT_EQ(stored().accepted, text_);
  EXPECT_GT(stored().changed, decided);
}

TEST_F(UpstreamOrders, AreGivenAfterTheDecisionsOfTheirUpstreamAlthoughTheClockWasSetBack) {
  const WallTime now = system_clock().wall();
  const WallTime decided = now + std::chrono::hours(1);
  const WallTime later = now + std::chrono::hours(2);
  put({"u", "b", R"({"name":"b"})", "", true, decided, "rest:anna"});
  put({"u", "c", R"({"name":"c"})", "", true, later, "first connection"});
  put({"v", "a", R"({"name":"a"})", "", true, later, "rest:anna"});
  const auto given = [&](const std::string& about, WallTime at) {
    store::Desk::Act<WallTime> act = [&](store::Store& store) -> Result<WallTime> {
      return time_of_acceptance(store.pins(), about, at);
    };
    return desk_->ask_and_wait<WallTime>(std::move(act)).value();
  };
  const auto milliseconds = [](WallTime time) {
    return std::chrono::floor<std::chrono::milliseconds>(time);
  };
  EXPECT_EQ(given("u/a sha256:0", now), now);
  EXPECT_EQ(milliseconds(given("u/b sha256:0", now)), milliseconds(decided));
  EXPECT_EQ(milliseconds(given("u sha256:0", now)), milliseconds(decided));
  EXPECT_EQ(given("u sha256:0", later), later);
  EXPECT_EQ(given("w sha256:0", now), now);
}

// A decision of another host between the check of an order and its acceptance would be lost.
TEST_F(UpstreamOrders, AreCheckedInTheTransactionOfTheirAcceptance) {
  upstream::Upstreams::Check check = [](store::PinStore& stored) -> Result<void> {
    HOST_TRY(stored.put({{"u", "b", R"({"name":"b"})", "", true, {}, "rest:ben"}}));
    return Error{ErrorKind::InvalidArgument, "not now"};
  };
  const std::string name = "u";  // accept() reads it later
  const auto ended = loop_.start(
      upstreams_->accept(name, "a", upstream::digest_of(text_), "cli:anna", std::move(check)));
  ASSERT_TRUE(test::run_until(loop_.io, [&] { return ended->has_value(); }));
  EXPECT_EQ((*ended)->error().message, "not now");
  EXPECT_EQ(stored().tool, "a");
  EXPECT_EQ(stored().held, text_);
}

TEST_F(UpstreamOrders, TellNoOutcomeOfAReport) {
  bool is_told = false;
  const auto given = answer(kUpstreamReport, {}, [&](const auto&) { is_told = true; });
  EXPECT_THAT(given.value(), HasSubstr(R"("name":"u")"));
  EXPECT_FALSE(is_told);
}

}  // namespace
}  // namespace host::app
