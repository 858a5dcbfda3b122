#include "cli/access/plugin_orders.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include "base/process/process.h"
#include "store/sqlite/sqlite.h"

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

  static bool first_has_order(store::Sqlite& database) {
    auto rows = database.prepare("SELECT id FROM plugin_order WHERE host = 'one'").value();
    return rows.step().value();
  }

  const Patience long_{std::chrono::minutes(5), std::chrono::minutes(5)};
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
  const auto answers = give_orders(*store_, {host("one"), host("two")}, "act", "", long_);
  hosts.get();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].host.id, "one");
  EXPECT_EQ(answers[0].answer.error().kind, ErrorKind::PluginFault);
  EXPECT_FALSE(answers[0].was_ignored);
  EXPECT_EQ(answers[1].answer.value(), "well");
}

TEST_F(Orders, ThatAreNotTakenInTimeAreWithdrawn) {
  const auto answer = give_order(*store_, host("one"), "act", "", std::chrono::seconds(0));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::DeadlineExceeded);
  EXPECT_EQ(answer.error().message,
            "it does not answer: it did not take the order within 0 s, so the order was withdrawn: "
            "nothing was done there");
  EXPECT_FALSE(first_has_order(*store::Sqlite::open(folder_ / "toolpost.db").value()));
}

// The second host is at work until the order of the first one is withdrawn.
TEST_F(Orders, AHostWhoseProcessIsStoppedTakesNoOrderAndDelaysNoOtherHost) {
  const pid_t process = ::fork();
  ASSERT_GE(process, 0);
  if (process == 0) {
    for (;;) ::pause();
  }
  ::kill(process, SIGSTOP);
  siginfo_t change{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process), &change, WSTOPPED), 0);
  store::HostRecord stopped = host("one");
  stopped.pid = static_cast<std::uint64_t>(process);
  stopped.process = mark_of_process(process);
  auto second = std::async(std::launch::async, [this] {
    const auto store = open();
    const auto database = store::Sqlite::open(folder_ / "toolpost.db").value();
    const std::string order = next(*store, "two");
    while (first_has_order(*database)) std::this_thread::yield();
    EXPECT_TRUE(store->hosts().answer(order, store::OrderState::Done, "well"));
  });
  const auto answers = give_orders(*store_, {stopped, host("two")}, "act", "", long_);
  second.get();
  ::kill(process, SIGKILL);
  ::waitid(P_PID, static_cast<id_t>(process), &change, WEXITED);
  EXPECT_EQ(answers[0].answer.error().message,
            "it does not answer: its process is stopped, so the order was withdrawn: nothing was "
            "done there");
  EXPECT_TRUE(answers[0].was_ignored);
  EXPECT_EQ(answers[1].answer.value(), "well");
  EXPECT_EQ(store_->hosts().list().value().size(), 2u) << "its process is seen to run";
}

TEST_F(Orders, AHostWhoseProcessCannotBeSeenIsForgottenWhenItTakesNoOrder) {
  store::HostRecord unseen = host("one");
  unseen.process.replace(unseen.process.find('/') + 1, 1, "another ");
  const auto answer = give_order(*store_, unseen, "act", "", std::chrono::seconds(0));
  EXPECT_EQ(answer.error().kind, ErrorKind::DeadlineExceeded) << answer.error().message;
  EXPECT_EQ(store_->hosts().list().value().size(), 1u);
}

}  // namespace
}  // namespace host::cli
