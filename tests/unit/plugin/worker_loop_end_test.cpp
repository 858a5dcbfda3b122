// The event loop is destroyed while a worker starts, works or ends, and those who wait for the
// worker own it. No worker, and none of those, may be left.
#include <boost/asio/detached.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "plugin/lifecycle/begun.h"
#include "plugin/process/worker_process.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class LoopEndWithAWorker : public PluginTest {
 protected:
  void create() {
    WorkerProcess::Settings settings;
    settings.executable = options_.worker;
    settings.plugin = "zoo";
    settings.config.library = animal("one").string();
    settings.config.settings = "{}";
    settings.config.result_bytes = 1u << 20u;
    settings.config.threads = 4;
    settings.config.profile.library = settings.config.library;
    settings.config.profile.work_dir = folder_.string();
    settings.filters = std::make_shared<sandbox::Filters>();
    settings.times = {20s, 1h, 1h};
    worker_ = WorkerProcess::create(loop_->get_executor(), std::move(settings));
    left_ = worker_;
    owner_ = std::make_shared<int>();
  }
  // A function that owns the worker, like a callback that resumes the coroutine of a trial.
  auto waits() {
    return [worker = worker_, owner = owner_](auto&&...) { FAIL() << "nobody may be called"; };
  }
  void up() {
    create();
    worker_->start([](const Result<std::string>& manifest) {
      ASSERT_TRUE(manifest) << manifest.error().message;
    });
    run([this] { return worker_->ready(); });
    worker_->on_ended(waits());
    worker_->on_freed(waits());
    worker_->on_stuck(waits());
    worker_->on_late_trace(waits());
  }
  template <class Condition>
  void run(Condition until) {
    while (!until()) {
      loop_->restart();
      ASSERT_EQ(loop_->run_one_for(60s), 1u);
    }
  }
  std::shared_ptr<tool::Invocation> call(tool::Invocation::Finish finish) {
    auto made = std::make_shared<tool::Invocation>();
    made->function = tool::Function::CheckReadOnly;
    made->arguments = "{}";
    made->passport = test::passport("c1", "anna");
    made->cancel = std::make_shared<Cancel>();
    made->set_on_finish(std::move(finish));
    return made;
  }
  std::shared_ptr<tool::Invocation> crash() {
    constexpr std::uint32_t kIndex = 3;  // among the tools of the zoo
    tool::Declaration declared;
    declared.name = "crash";
    declared.description = "A specimen";
    declared.input_schema = R"({"type":"object"})";
    auto made = call(waits());
    made->function = tool::Function::Call;
    made->tool = tool::Tool::make(std::move(declared), kIndex).value();
    return made;
  }
  void expect_nothing_is_left() {
    worker_.reset();
    const std::weak_ptr<int> owner = std::exchange(owner_, nullptr);
    loop_.reset();
    EXPECT_TRUE(left_.expired());
    EXPECT_TRUE(owner.expired());
    EXPECT_FALSE(has_children());
  }

  std::optional<boost::asio::io_context> loop_{std::in_place, 1};
  std::shared_ptr<WorkerProcess> worker_;
  std::weak_ptr<WorkerProcess> left_;
  std::shared_ptr<int> owner_;
};

TEST_F(LoopEndWithAWorker, BeforeItsStart) {
  create();
  worker_->on_ended(waits());
  expect_nothing_is_left();
}

TEST_F(LoopEndWithAWorker, BetweenSpawnAndHello) {
  create();
  worker_->start(waits());
  expect_nothing_is_left();
}

TEST_F(LoopEndWithAWorker, WhoseStartACoroutineAwaits) {
  create();
  const auto trial = [](std::shared_ptr<WorkerProcess> worker,
                        std::shared_ptr<int> owner) -> boost::asio::awaitable<void> {
    const auto manifest = co_await begun(worker);
    EXPECT_FALSE(owner) << "the coroutine may not be resumed";
  };
  boost::asio::co_spawn(*loop_, trial(worker_, owner_), boost::asio::detached);
  run([this] { return worker_->pid() != 0; });
  expect_nothing_is_left();
}

TEST_F(LoopEndWithAWorker, ThatServes) {
  up();
  expect_nothing_is_left();
}

TEST_F(LoopEndWithAWorker, ThatRunsACall) {
  up();
  worker_->call(call(waits()), false);
  EXPECT_FALSE(worker_->idle());
  expect_nothing_is_left();
}

TEST_F(LoopEndWithAWorker, ThatSavesItsState) {
  up();
  worker_->save_state(waits());
  expect_nothing_is_left();
}

TEST_F(LoopEndWithAWorker, ThatTheHostHasKilledDuringACall) {
  up();
  worker_->call(call(waits()), false);
  worker_->kill("the test ends it");
  EXPECT_TRUE(worker_->end_is_untold());
  expect_nothing_is_left();
}

// From the crash on, until the end of the worker is told: it dies, is reaped, and another process
// looks for the place of the crash.
TEST_F(LoopEndWithAWorker, AfterEachStepOfItsDeath) {
  bool is_told = false;
  bool was_examined = false;
  for (int steps = 0; !is_told; ++steps) {
    SCOPED_TRACE(steps);
    loop_.emplace(1);
    up();
    worker_->on_ended([worker = worker_, owner = owner_, &is_told](auto&&...) { is_told = true; });
    worker_->call(crash(), false);
    for (int i = 0; i < steps && !is_told; ++i) {
      loop_->restart();
      ASSERT_EQ(loop_->run_one_for(60s), 1u);
      was_examined = was_examined || (worker_->gone() && worker_->end_is_untold());
    }
    expect_nothing_is_left();
  }
  EXPECT_TRUE(was_examined);
}

}  // namespace
}  // namespace host::plugin
