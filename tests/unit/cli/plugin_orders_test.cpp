#include "cli/access/plugin_orders.h"

#include <unistd.h>

#include <gmock/gmock.h>

#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include "base/process/process.h"

namespace host::cli {
namespace {

namespace fs = std::filesystem;

class Orders : public ::testing::Test {
 protected:
  Orders() {
    std::string name = (fs::temp_directory_path() / "toolpost-orders-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
    for (const char* const id : {"one", "two"}) EXPECT_TRUE(store_->hosts().add(host(id)));
  }
  ~Orders() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<store::Store> open() const {
    return store::open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  static store::HostRecord host(const std::string& id) {
    const auto pid = static_cast<std::uint64_t>(::getpid());
    return {id, id + ":1", pid, mark_of_process(::getpid()), {}};
  }
  // The next order for this host.
  static std::string next(store::Store& store, const std::string& id) {
    for (;;) {
      const auto taken = store.hosts().take(id);
      if (taken && !taken->empty()) return taken->front().id;
      std::this_thread::yield();
    }
  }

  fs::path folder_;
  std::unique_ptr<store::Store> store_;
};

// The first host answers only once the second one has its order.
TEST_F(Orders, ReachEachHostAndEachAnswerIsReported) {
  auto hosts = std::async(std::launch::async, [this] {
    const auto store = open();
    const std::string second = next(*store, "two");
    EXPECT_TRUE(store->hosts().answer(second, store::OrderState::Done, "well"));
    const std::string first = next(*store, "one");
    EXPECT_TRUE(store->hosts().answer(first, store::OrderState::Failed, "no"));
  });
  const auto answers =
      give_orders(*store_, {host("one"), host("two")}, "act", "", std::chrono::minutes(5));
  hosts.get();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].host.id, "one");
  EXPECT_EQ(answers[0].answer.error().kind, ErrorKind::PluginFault);
  EXPECT_EQ(answers[1].answer.value(), "well");
}

TEST_F(Orders, ThatAreNotTakenInTimeAreWithdrawn) {
  const auto answer = give_order(*store_, host("one"), "act", "", std::chrono::seconds(0));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::DeadlineExceeded);
  EXPECT_EQ(answer.error().message, "it did not answer within 0 s: nothing was done");
  EXPECT_TRUE(store_->hosts().take("one").value().empty());
}

}  // namespace
}  // namespace host::cli
