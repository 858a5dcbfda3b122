// MCP sessions in the store: how many writes they cost, and what a failed write leaves behind.
#include "mcp/http/kept_sessions.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/forwarding_store.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "support/run_until.h"

namespace host::mcp {
namespace {

using SessionPtr = std::shared_ptr<HttpSession>;
using store::ClientContextRecord;

class FakeContexts final : public store::ClientContextStore {
 public:
  Result<void> put(const ClientContextRecord& context) override {
    kept[context.id] = context;
    return {};
  }
  Result<void> used(const std::vector<store::ClientContextUse>&) override { return {}; }
  Result<bool> remove(std::string_view id) override { return kept.erase(std::string(id)) == 1; }
  Result<std::vector<ClientContextRecord>> list(std::string_view) override {
    std::vector<ClientContextRecord> all;
    for (const auto& [id, context] : kept) all.push_back(context);
    return all;
  }
  Result<void> forget_unused_since(WallTime) override { return {}; }
  Result<bool> changed_by_others() override { return false; }

  std::map<std::string, ClientContextRecord> kept;
};

// Has client contexts alone. Everything in it is used on the store's thread.
class FakeStore final : public test::ForwardingStore {
 public:
  FakeStore() : ForwardingStore(nullptr) {}

  store::ClientContextStore& client_contexts() override { return contexts; }
  Result<void> together(const std::function<Result<void>()>& act) override {
    ++commits;
    if (fails) return Error{ErrorKind::Io, "the disk is full"};
    return act();
  }
  std::string fault() const override { return {}; }

  FakeContexts contexts;
  int commits = 0;
  bool fails = false;
};

class KeptSessionsTest : public ::testing::Test {
 protected:
  KeptSessionsTest() { EXPECT_TRUE(kept_->take_in(sessions_)); }
  ~KeptSessionsTest() override {
    kept_->stop(sessions_);
    loop_.drain();
  }

  SessionPtr open() { return std::get<SessionPtr>(sessions_.create({}, loop_.io.get_executor())); }
  void put(const SessionPtr& session) {
    loop_.start(counted(session));
    ++begun_;
  }
  bool put_all() {
    return test::run_until(loop_.io, [this] { return ended_ == begun_; });
  }
  template <class T>
  T look(std::function<T(FakeStore&)> at) {
    store::Desk::Act<T> act = [at](store::Store& store) -> Result<T> {
      return at(static_cast<FakeStore&>(store));
    };
    return desk_->ask_and_wait<T>(std::move(act)).value();
  }
  std::size_t stored() {
    return look<std::size_t>([](FakeStore& store) { return store.contexts.kept.size(); });
  }
  int commits() {
    return look<int>([](FakeStore& store) { return std::exchange(store.commits, 0); });
  }

  test::RunLoop loop_;
  test::ManualClock clock_;
  HttpSessions sessions_{clock_, {1'000, 1'000, std::chrono::minutes(30)}};
  std::shared_ptr<store::Desk> desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [] {
    return Result<std::unique_ptr<store::Store>>(std::make_unique<FakeStore>());
  });
  std::shared_ptr<KeptSessions> kept_ =
      std::make_shared<KeptSessions>(loop_.io.get_executor(), desk_, clock_, "127.0.0.1:1");

 private:
  boost::asio::awaitable<bool> counted(SessionPtr session) {
    co_await kept_->put(std::move(session));
    ++ended_;
    co_return true;
  }

  int begun_ = 0;
  int ended_ = 0;
};

TEST_F(KeptSessionsTest, SessionsThatBeginTogetherAreStoredTogether) {
  for (int i = 0; i < 500; ++i) put(open());
  ASSERT_TRUE(put_all());
  EXPECT_EQ(stored(), 500u);
  EXPECT_LT(commits(), 10);
}

TEST_F(KeptSessionsTest, SessionsThatWereIdleEndInSlicesAndLeaveTheStoreTogether) {
  std::vector<SessionPtr> idle;
  for (int i = 0; i < 500; ++i) put(idle.emplace_back(open()));
  ASSERT_TRUE(put_all());
  commits();
  clock_.advance(std::chrono::minutes(31));
  EXPECT_EQ(sessions_.find({}, "guess"), nullptr);
  EXPECT_EQ(sessions_.size(), 300u);  // one request does not wait for the ends of all
  EXPECT_EQ(sessions_.find({}, idle.back()->id), nullptr);
  EXPECT_TRUE(idle.back()->ended);
  const SessionPtr now = open();
  EXPECT_EQ(sessions_.size(), 1u);
  put(now);
  ASSERT_TRUE(put_all());
  EXPECT_EQ(stored(), 1u);
  EXPECT_LT(commits(), 10);
}

TEST_F(KeptSessionsTest, ASettingThatCouldNotBeStoredIsStoredByALaterRequest) {
  const SessionPtr session = open();
  const auto puts = [&](bool fails) {
    look<int>([fails](FakeStore& store) {
      store.fails = fails;
      return 0;
    });
    put(session);
    EXPECT_TRUE(put_all());
  };
  puts(false);
  session->settings.log_level = 3;
  EXPECT_TRUE(kept_->should_put(*session));
  puts(true);
  EXPECT_TRUE(kept_->should_put(*session));
  puts(false);
  EXPECT_FALSE(kept_->should_put(*session));
  EXPECT_EQ(
      look<int>([&](FakeStore& store) { return store.contexts.kept.at(session->id).log_level; }),
      3);
}

TEST_F(KeptSessionsTest, ASessionThatEndsWhileItIsStoredIsNotLeftBehind) {
  const SessionPtr session = open();
  put(session);
  loop_.turn();
  sessions_.remove(*session);
  ASSERT_TRUE(put_all());
  put(open());
  ASSERT_TRUE(put_all());
  EXPECT_EQ(stored(), 1u);
}

}  // namespace
}  // namespace host::mcp
