// Webhooks over a store, with a receiver of this test on the same loop.
#include "webhook/webhooks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "store/store.h"
#include "support/http_server.h"
#include "support/run_loop.h"
#include "support/run_until.h"
#include "taking_store.h"

namespace host::webhook {
namespace {

namespace fs = std::filesystem;
using store::WebhookRecord;

class WebhooksTest : public ::testing::Test {
 protected:
  WebhooksTest() {
    std::string name = (fs::temp_directory_path() / "webhooks-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    desk_ = std::make_shared<store::Desk>(
        loop_.io.get_executor(), [this]() -> Result<std::unique_ptr<store::Store>> {
          HOST_TRY_ASSIGN(std::unique_ptr<store::Store> opened,
                          store::open_sqlite_store(folder_ / "toolpost.db", system_clock(), {}));
          return std::unique_ptr<store::Store>(
              std::make_unique<test::TakingStore>(std::move(opened), most_taken_, &faults_));
        });
    Webhooks::Settings settings;
    settings.sender.loopback = {receiver_.origin()};
    settings.sender.timeout = std::chrono::hours(1);
    settings.most_held = 2;
    settings.on_refusal = [this](std::string_view limit) { refusals_.emplace_back(limit); };
    webhooks_ = std::make_shared<Webhooks>(loop_.io.get_executor(), desk_, system_clock(),
                                           std::move(settings));
    owner_.principal = "anna";
    owner_.scopes = identity::Scopes(identity::Scope::Call);
  }
  ~WebhooksTest() override {
    webhooks_->stop();
    webhooks_.reset();
    loop_.turn();
    desk_.reset();
    fs::remove_all(folder_);
  }

  // Waits for what the loop does, also where it has other work that goes on.
  template <class T>
  T get(boost::asio::awaitable<T> work) {
    const auto done = loop_.start(std::move(work));
    until([&] { return done->has_value(); });
    return std::move(**done);
  }
  void until(const std::function<bool()>& is_so) { ASSERT_TRUE(test::run_until(loop_.io, is_so)); }
  void answer_all(const std::string& text) {
    for (std::size_t i = 0; i < receiver_.peers.size(); ++i) {
      if (!receiver_.peers[i]->in.ends_with("}")) continue;
      receiver_.peers[i]->in.clear();
      receiver_.write(i, text);
    }
  }
  WebhookRecord add() {
    Wanted wanted;
    wanted.url = receiver_.origin() + "/hook";
    wanted.events = bit(Type::CallFinished);
    const auto added = get(webhooks_->add(owner_, wanted, "rest:anna"));
    EXPECT_TRUE(added) << added.error().message;
    return added ? *added : WebhookRecord();
  }

  // Returns as the end of a call does, once the event is stored or held.
  void queue() {
    const auto work = [](std::shared_ptr<Webhooks> webhooks) -> boost::asio::awaitable<bool> {
      Webhooks::About about{"anna", "", {}, "{}"};
      co_await webhooks->queue(Type::CallFinished, std::move(about));
      co_return true;
    };
    EXPECT_TRUE(get(work(webhooks_)));
  }

  fs::path folder_;
  test::RunLoop loop_;
  test::HttpServer receiver_{loop_.io};
  std::atomic<std::uint64_t> most_taken_ = 0;
  test::WebhookFaults faults_;
  Owner owner_;
  std::vector<std::string> refusals_;
  std::shared_ptr<store::Desk> desk_;
  std::shared_ptr<Webhooks> webhooks_;
};

TEST_F(WebhooksTest, ARegistrationThatIsStoredIsAnsweredThoughTheListCannotBeRead) {
  ASSERT_TRUE(get(webhooks_->start()));
  faults_.list = true;
  const WebhookRecord made = add();
  EXPECT_FALSE(faults_.list);
  EXPECT_NE(made.secret, "");
  until([&] { return webhooks_->unknown_of("anna", {made.id}).empty(); });
  faults_.list = true;
  const auto removed = get(webhooks_->remove(owner_, made.id));
  ASSERT_TRUE(removed);
  EXPECT_TRUE(*removed);
  until([&] { return !webhooks_->has_any(); });
}

TEST_F(WebhooksTest, AWebhookWhoseDisablingCannotBeStoredGoesOnAndIsDisabledLater) {
  std::string disabled;
  webhooks_->on_disabled([&](const WebhookRecord& record) { disabled = record.reason; });
  ASSERT_TRUE(get(webhooks_->start()));
  webhooks_->deliver("here");
  const WebhookRecord made = add();
  const auto tell_until = [&](const std::function<bool()>& is_so) {
    webhooks_->tell(Type::CallFinished, {"anna", "", {}, "{}"});
    until([&] {
      answer_all("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n");
      return is_so();
    });
  };
  faults_.change = true;
  tell_until([&] { return !faults_.change; });
  EXPECT_EQ(disabled, "");
  tell_until([&] { return !disabled.empty(); });
  EXPECT_EQ(disabled, "the receiver answered 410 Gone");
  const auto found = get(webhooks_->find(owner_, made.id));
  ASSERT_TRUE(found && *found);
  EXPECT_FALSE((*found)->enabled);
}

TEST_F(WebhooksTest, EventsThatTheStoreDidNotTakeAreStoredLaterOrCounted) {
  ASSERT_TRUE(get(webhooks_->start()));
  const WebhookRecord made = add();
  const auto show = [&] {
    const auto found = get(webhooks_->find(owner_, made.id));
    return found && *found ? **found : WebhookRecord();
  };
  faults_.queue = true;
  queue();
  for (int more = 0; more < 4; ++more) webhooks_->tell(Type::CallFinished, {"anna", "", {}, "{}"});
  until([&] { return refusals_.size() == 3; });  // two fit into the memory
  EXPECT_EQ(refusals_.front(), "limits.webhook_waiting");
  EXPECT_EQ(show().waiting, 0u);
  faults_.queue = false;
  until([&] { return show().waiting == 2; });
  EXPECT_EQ(show().dropped, 3u);
  const auto waiting = get(webhooks_->deliveries(owner_, made.id, false, "", 10));
  ASSERT_TRUE(waiting && *waiting);
  EXPECT_EQ((**waiting).size(), 2u);
}

TEST_F(WebhooksTest, AHostThatStopsStoresTheEventsThatItHolds) {
  ASSERT_TRUE(get(webhooks_->start()));
  const WebhookRecord made = add();
  faults_.queue = true;
  queue();
  faults_.queue = false;
  webhooks_->stop();
  const auto found = get(webhooks_->find(owner_, made.id));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->waiting, 1u);
}

TEST_F(WebhooksTest, ATestEndsWithTheHost) {
  const WebhookRecord made = add();
  const auto tested = loop_.start(webhooks_->test(owner_, made.id));
  until([&] { return receiver_.peers.size() == 1 && receiver_.peers[0]->in.ends_with("}"); });
  webhooks_->stop();
  until([&] { return tested->has_value(); });
  ASSERT_FALSE(**tested);
  EXPECT_EQ((*tested)->error().message, "the host stops");
  EXPECT_FALSE(get(webhooks_->test(owner_, made.id)));
}

}  // namespace
}  // namespace host::webhook
