// A worker process without a supervisor: what it takes and refuses while it dies.
#include "plugin/process/worker_process.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "plugin/declared/manifest.h"
#include "plugin/services/service_table.h"
#include "support/places.h"
#include "unit/plugin/gate.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class DyingWorker : public PluginTest {
 protected:
  void up(const fs::path& library = animal("one")) {
    WorkerProcess::Settings settings;
    settings.executable = options_.worker;
    settings.plugin = "zoo";
    settings.services = services_;
    settings.config.library = library.string();
    settings.config.settings = "{}";
    settings.config.result_bytes = 1u << 20u;
    settings.config.threads = 4;
    settings.config.profile.library = settings.config.library;
    settings.config.profile.work_dir = folder_.string();
    settings.filters = std::make_shared<sandbox::Filters>();
    settings.times = {20s, 1h, 1h};
    worker_ = WorkerProcess::create(io_.get_executor(), std::move(settings));
    worker_->on_ended([this](WorkerDeath death) { death_ = std::move(death); });
    worker_->start([this](const Result<std::string>& manifest) {
      ASSERT_TRUE(manifest) << manifest.error().message;
      manifest_ = *manifest;
    });
    ASSERT_TRUE(run_until([&] { return worker_->ready(); }));
  }
  std::shared_ptr<tool::Invocation> invocation() {
    auto made = std::make_shared<tool::Invocation>();
    made->function = tool::Function::CheckReadOnly;
    made->arguments = "{}";
    made->passport = test::passport("c1", "anna");
    made->cancel = std::make_shared<Cancel>();
    made->set_on_finish([this](const Answer& answer) {
      if (!answer) refused_ += answer.error().message;
    });
    return made;
  }
  // Begins a call that sends many requests, and runs until the worker is gone.
  void flood_until_gone(std::function<void()> on_request) {
    services_->add(ServiceId::KvGet,
                   [act = std::move(on_request)](const std::shared_ptr<ServiceCall>&) { act(); });
    up(places::build() / "tests/plugins/services.so");
    const auto manifest = read_manifest(manifest_);
    ASSERT_TRUE(manifest) << manifest.error().message;
    const auto& tools = manifest->tools;
    const auto flood = std::find_if(tools.begin(), tools.end(),
                                    [](const auto& tool) { return tool.name == "kv_flood"; });
    ASSERT_NE(flood, tools.end());
    const auto made = invocation();
    made->function = tool::Function::Call;
    made->tool = *tool::Tool::make(*flood, static_cast<std::uint32_t>(flood - tools.begin()));
    made->arguments = R"({"key":"k"})";
    worker_->call(made, false);
    ASSERT_TRUE(run_until([&] { return death_.has_value(); }));
    worker_.reset();
  }
  void expect_no_call_is_taken() {
    EXPECT_FALSE(worker_->ready());
    EXPECT_TRUE(worker_->end_is_untold());
    worker_->call(invocation(), false);
    EXPECT_NE(refused_.find("is not ready"), std::string::npos) << refused_;
    ASSERT_TRUE(run_until([&] { return death_.has_value(); }));
    EXPECT_TRUE(death_->calls.empty());
    EXPECT_EQ(death_->culprit, 0u);
    EXPECT_FALSE(worker_->end_is_untold());
    worker_.reset();
  }

  const std::shared_ptr<ServiceTable> services_ = std::make_shared<ServiceTable>();
  std::string manifest_;
  std::shared_ptr<WorkerProcess> worker_;
  std::optional<WorkerDeath> death_;
  std::string refused_;
};

TEST_F(DyingWorker, ThatTheHostKillsTakesNoCall) {
  up();
  worker_->kill("a test wants it");
  expect_no_call_is_taken();
}

// From the moment on at which its process was reaped, until all that it sent was handled.
TEST_F(DyingWorker, ThatWasReapedTakesNoCall) {
  up();
  ::kill(worker_->pid(), SIGKILL);
  while (worker_->ready()) {
    io_.restart();
    ASSERT_EQ(io_.run_one_for(20s), 1u);
  }
  ASSERT_FALSE(worker_->gone());
  expect_no_call_is_taken();
}

TEST_F(DyingWorker, ThatTheHostKillsIsServedNoRequest) {
  int requests = 0;
  flood_until_gone([&] {
    if (++requests == 1) worker_->kill("a test wants it");
  });
  EXPECT_EQ(requests, 1);
}

TEST_F(DyingWorker, ThatEndedByItselfIsServedNoRequestWhoseAnswerItWouldNeed) {
  int requests = 0;
  int late = 0;
  flood_until_gone([&] {
    if (++requests == 1) ::kill(worker_->pid(), SIGKILL);
    if (!worker_->ready()) ++late;
  });
  EXPECT_GE(requests, 1);
  EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace host::plugin
