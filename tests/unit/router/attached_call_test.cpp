// The files of a call in the whole pipeline: they are open only while its tool runs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "executor/executor.h"
#include "executor/scheduler.h"
#include "file/files.h"
#include "file/upload.h"
#include "router/dispatch/dispatcher.h"
#include "store/audit/audit.h"
#include "support/fake_provider.h"
#include "support/passports.h"
#include "support/run_loop.h"
#include "tool/call/edits.h"

namespace host::router {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "file_aaaaaaaaaaaaaaaaaaaaaaaa";

bool is_open(const tool::Passport& passport) {
  return passport.given->attachments.front().file != nullptr;
}

// Answers each question, and notes whether the call's file was open then.
class Answerer final : public tool::Asker {
 public:
  tool::Abilities abilities() const override { return {}; }
  tool::Continuation take_resumed() override { return {}; }
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call& call, const tool::Round& round) override {
    was_open.push_back(is_open(*call.passport));
    tool::Answers answers;
    for (const tool::Question& question : round.questions) answers.emplace(question.key, "{}");
    co_return std::optional<tool::Answers>(std::move(answers));
  }
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call&, tool::Visit&) override {
    co_return Error{ErrorKind::Internal, "sent to a page"};
  }
  std::vector<bool> was_open;
};

class AttachedCall : public ::testing::Test {
 protected:
  AttachedCall() {
    std::string name = (fs::temp_directory_path() / "attached-call-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [this] {
      return store::open_sqlite_store(folder_ / "toolpost.db", system_clock());
    });
    file::Files::Settings settings;
    settings.folder = folder_ / "files";
    files_ =
        std::make_shared<file::Files>(loop_.io.get_executor(), desk_, system_clock(), settings);
    upload("text");
  }
  ~AttachedCall() override {
    files_->stop();
    files_.reset();
    desk_->stop();
    loop_.drain();
    desk_.reset();
    fs::remove_all(folder_);
  }

  void upload(const std::string& text) {
    file::Grant grant;
    grant.id = kFile;
    grant.principal = "anna";
    const auto upload = std::get<std::shared_ptr<file::Upload>>(files_->begin(grant, text.size()));
    EXPECT_FALSE(loop_.get(upload->write(text)));
    EXPECT_TRUE(std::holds_alternative<store::FileRecord>(loop_.get(upload->finish())));
  }

  Result<tool::CallResult> run(tool::Call& call) {
    catalog_.set("fake", provider_);
    permission::Settings policy;
    policy.mode = permission::Mode::Bypass;
    permission::Rulebook book = permission::make_rulebook(config_, policy.place, {});
    book.engine = permission::Engine(policy);
    auto rules = std::make_shared<const permission::Rulebook>(std::move(book));
    auto audit =
        store::Audit::open(folder_ / "audit.jsonl", system_clock(), {}, store::Audit::Required::No);
    executor::Scheduler scheduler(loop_.io.get_executor(), {});
    executor::Executor executor(loop_.io.get_executor());
    Profiles profiles(catalog_, config_);
    Views views(catalog_, profiles);
    Router router(views, rules);
    PermissionStep permission(rules, executor);
    approval::Gate gate(true);
    Idempotency idempotency(loop_.io.get_executor(), nullptr, {});
    CheckTurns turns(system_clock());
    Dispatcher dispatcher({router, permission, gate, scheduler, executor, *audit, system_clock(),
                           1u << 20u, metrics_, live_, idempotency, SessionStep(nullptr), nullptr,
                           nullptr, nullptr, AttachmentStep(files_, 16)},
                          turns);
    return loop_.get(dispatcher.call(call));
  }

  test::RunLoop loop_;
  fs::path folder_;
  std::shared_ptr<store::Desk> desk_;
  std::shared_ptr<file::Files> files_;
  config::Config config_;
  tool::Catalog catalog_;
  std::shared_ptr<test::FakeProvider> provider_ = std::make_shared<test::FakeProvider>();
  metrics::Registry counted_;
  CallMetrics metrics_{counted_};
  LiveCalls live_;
};

TEST_F(AttachedCall, ItsFileIsClosedWhileItsClientIsAskedAndAtItsEnd) {
  std::vector<bool> was_open;  // in each round
  provider_->add(test::declaration("reads"), [&](const auto& invocation) {
    was_open.push_back(is_open(*invocation->passport));
    tool::CallResult result = tool::CallResult::text("read");
    if (was_open.size() == 1) {
      result.round.emplace();
      result.round->questions.push_back({"who", "roots/list", "{}"});
    }
    invocation->finish(std::move(result));
  });
  Answerer client;
  tool::Call call;
  call.passport = test::passport("c1", "anna");
  call.name = "reads";
  call.arguments = *json::parse(std::string(R"({"attachments":[{"file_id":")") + kFile + R"("}]})");
  call.asker = &client;
  const auto result = run(call);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->is_error) << result->content;
  EXPECT_EQ(was_open, (std::vector<bool>{true, true}));
  EXPECT_EQ(client.was_open, std::vector<bool>{false});
  EXPECT_FALSE(is_open(*call.passport));
}

// A reviewer has changed them before the tool asked. The client sends its own again, with its file.
TEST_F(AttachedCall, ACallThatGoesOnWithOtherArgumentsHasItsFile) {
  std::string arguments;
  std::vector<bool> was_open;
  provider_->add(test::declaration("reads"), [&](const auto& invocation) {
    arguments = invocation->arguments;
    was_open.push_back(is_open(*invocation->passport));
    invocation->finish(tool::CallResult::text("read"));
  });
  tool::Call call;
  call.passport = test::passport("c1", "anna");
  call.name = "reads";
  call.arguments =
      *json::parse(std::string(R"({"n":1,"attachments":[{"file_id":")") + kFile + R"("}]})");
  call.continues = true;
  call.continuation.answers = {{std::string(tool::kRunArguments), R"({"n":2})"}};
  const auto result = run(call);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->is_error) << result->content;
  EXPECT_EQ(arguments, R"({"n":2})");
  EXPECT_EQ(was_open, std::vector<bool>{true});
}

}  // namespace
}  // namespace host::router
