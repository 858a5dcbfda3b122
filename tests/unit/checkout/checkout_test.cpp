#include "checkout/checkout.h"

#include <gtest/gtest.h>
#include <boost/asio/post.hpp>

#include <filesystem>
#include <memory>

#include "store/store.h"
#include "support/run_loop.h"
#include "support/skill_tree.h"

namespace host::checkout {
namespace {

namespace asio = boost::asio;

class CheckoutTest : public ::testing::Test {
 protected:
  CheckoutTest() {
    settings_.name = "team";
    settings_.git = "file://" + (tree_.root() / "nothing").string();
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [this] {
      return store::open_sqlite_store(tree_.root() / "toolpost.db", system_clock(), {});
    });
    checkout_ = std::make_shared<Checkout>(
        settings_,
        Checkout::Surroundings{
            loop_.io.get_executor(), desk_, folder_, "toolpost-keeper", true, {}},
        served_);
  }
  ~CheckoutTest() override {
    checkout_.reset();
    desk_.reset();
  }

  asio::awaitable<Result<void>> pull_until_stopped() {
    co_await checkout_->start(Pulls::ByCommand);
    asio::post(loop_.io, [this] { checkout_->cancel(); });
    Result<void> done = co_await checkout_->pull();
    co_await checkout_->stop();
    co_return done;
  }

  skill::SkillTree tree_;
  const std::filesystem::path folder_ = tree_.root() / "skills";
  test::RunLoop loop_;
  config::SkillRepository settings_;
  skill::PinnedRepository served_{"git:team"};
  std::shared_ptr<store::Desk> desk_;
  std::shared_ptr<Checkout> checkout_;
};

// The pull waits for a different host, which pulls too, when this host stops.
TEST_F(CheckoutTest, APullThatEndsWithTheHostIsNoFailureOfTheRepository) {
  Versions other(folder_);
  const auto lock = other.lock(std::chrono::milliseconds(0));
  ASSERT_TRUE(lock);
  const Result<void> pulled = loop_.get(pull_until_stopped());
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(checkout_->status().last.failure, "");
  EXPECT_EQ(other.last_pull().failure, "");
}

}  // namespace
}  // namespace host::checkout
