// Several plugins that change at once show at once, and none of them waits for one that is bad.
#include "plugin/lifecycle/batch.h"

#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "support/fake_provider.h"
#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

using test::declaration;
using test::FakeProvider;

class BatchTest : public ::testing::Test {
 protected:
  BatchTest() {
    catalog_.on_change([this](const tool::Changes&) { ++publications_; });
  }

  std::shared_ptr<FakeProvider> provider(const std::string& name, const std::string& tool) {
    auto made = std::make_shared<FakeProvider>(name);
    made->add_answering(declaration(tool), "well");
    return made;
  }
  // One with a tool, that comes to its place after `time`.
  void comes(std::shared_ptr<Batch::Place> place, std::shared_ptr<FakeProvider> provider,
             std::chrono::milliseconds time) {
    boost::asio::co_spawn(io_, load(std::move(place), std::move(provider), time),
                          boost::asio::detached);
  }
  boost::asio::awaitable<void> load(std::shared_ptr<Batch::Place> place,
                                    std::shared_ptr<FakeProvider> provider,
                                    std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(io_, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
    co_await place->gather();
    Batch::Candidate candidate;
    candidate.offer = [provider,
                       this](const Taken& taken) -> Result<std::shared_ptr<tool::Provider>> {
      const std::string name = provider->tools().front()->name();
      if (taken(name)) taken_.push_back(provider->name() + ":" + name);
      if (name == "unfit") return Error{ErrorKind::PluginFault, "it does not fit"};
      return std::shared_ptr<tool::Provider>(provider);
    };
    candidate.published = [](std::vector<tool::Refusal>) {};
    const Result<void> outcome = co_await place->publish(std::move(candidate));
    if (!outcome) refused_.push_back(provider->name());
  }
  bool serves(const std::string& tool) { return catalog_.snapshot()->find(tool) != nullptr; }
  void run() {
    io_.restart();
    io_.run();
  }

  boost::asio::io_context io_{1};
  tool::Catalog catalog_;
  int publications_ = 0;
  std::vector<std::string> taken_;
  std::vector<std::string> refused_;
};

TEST_F(BatchTest, ShowsAllInOnePublication) {
  const auto batch = std::make_shared<Batch>(io_.get_executor(), catalog_, 20s);
  auto first = std::make_shared<Batch::Place>(batch, "a");
  auto second = std::make_shared<Batch::Place>(batch, "b");
  comes(std::exchange(first, nullptr), provider("a", "one"), 0ms);
  comes(std::exchange(second, nullptr), provider("b", "two"), 20ms);
  run();
  EXPECT_EQ(publications_, 1);
  EXPECT_TRUE(serves("one") && serves("two"));
}

TEST_F(BatchTest, OneThatLeavesOrDoesNotFitHoldsNobodyBack) {
  const auto batch = std::make_shared<Batch>(io_.get_executor(), catalog_, 20s);
  auto good = std::make_shared<Batch::Place>(batch, "a");
  auto unfit = std::make_shared<Batch::Place>(batch, "b");
  auto left = std::make_shared<Batch::Place>(batch, "c");
  comes(std::exchange(good, nullptr), provider("a", "one"), 0ms);
  comes(std::exchange(unfit, nullptr), provider("b", "unfit"), 0ms);
  io_.run_for(20ms);
  EXPECT_FALSE(serves("one"));  // the third may still come
  left.reset();
  run();
  EXPECT_TRUE(serves("one"));
  EXPECT_FALSE(serves("unfit"));
  EXPECT_EQ(refused_, std::vector<std::string>{"b"});
  EXPECT_EQ(publications_, 1);
}

TEST_F(BatchTest, OneThatIsLateComesByItself) {
  const auto batch = std::make_shared<Batch>(io_.get_executor(), catalog_, 30ms);
  auto first = std::make_shared<Batch::Place>(batch, "a");
  auto second = std::make_shared<Batch::Place>(batch, "b");
  auto late = std::make_shared<Batch::Place>(batch, "c");
  comes(std::exchange(first, nullptr), provider("a", "one"), 0ms);
  comes(std::exchange(second, nullptr), provider("b", "two"), 1ms);
  comes(std::exchange(late, nullptr), provider("c", "three"), 400ms);
  io_.run_for(200ms);
  EXPECT_TRUE(serves("one") && serves("two"));
  EXPECT_EQ(publications_, 1);
  run();
  EXPECT_TRUE(serves("three"));
  EXPECT_EQ(publications_, 2);
}

TEST_F(BatchTest, ANameIsTakenByOneThatStaysOrComesBeforeNotByOneThatGoes) {
  catalog_.set("plugin:stays", provider("stays", "old"));
  catalog_.set("plugin:b", provider("b", "moves"));
  const auto batch = std::make_shared<Batch>(io_.get_executor(), catalog_, 20s);
  std::vector<std::shared_ptr<Batch::Place>> places;
  for (const std::string name : {"a", "b", "c", "d"})
    places.push_back(std::make_shared<Batch::Place>(batch, name));
  const std::vector<std::string> tools = {"moves", "new", "new", "old"};
  for (std::size_t i = 0; i < places.size(); ++i)
    comes(std::move(places[i]), provider(std::string(1, static_cast<char>('a' + i)), tools[i]),
          0ms);
  places.clear();
  run();
  EXPECT_EQ(taken_, (std::vector<std::string>{"c:new", "d:old"}));
}

class ChangedTogether : public PluginTest {
 protected:
  ChangedTogether() {
    catalog_.on_change([this](const tool::Changes&) {
      ++publications_;
      moved_whole_ = holder("version") == "b" && holder("well") == "a" && holder("count") == "c";
    });
  }
  ~ChangedTogether() override {  // what stops is a change too, and told to this
    stop();
  }
  std::string holder(const std::string& tool) const {
    const tool::Entry* const entry = catalog_.snapshot()->find(tool);
    return entry ? entry->provider->name() : "";
  }
  fs::path counter() const { return places::build() / "tests/plugins/counter/counter_one.so"; }

  int publications_ = 0;
  bool moved_whole_ = false;
};

// a and b change places, c comes, d is bad: one change of what peers see, and no half of it.
TEST_F(ChangedTogether, AreOneChangeOfTheListsThoughOneIsRefused) {
  options_.batch_patience = 20s;
  options_.plugins.by_name["c"].tools["version"].enabled = false;
  install("one", "a");
  install("faults", "b");
  start();
  EXPECT_EQ(publications_, 1);  // the start is one, too
  EXPECT_EQ(holder("version"), "a");
  install("faults", "a");
  install("one", "b");
  install_file(counter(), "c");
  install("no_symbol", "d");
  ASSERT_TRUE(run_until([&] { return status("c").serving && !status("d").last_error.empty(); }));
  EXPECT_EQ(publications_, 2);
  EXPECT_TRUE(moved_whole_);
  EXPECT_TRUE(status("a").refusals.empty());
  EXPECT_TRUE(status("b").refusals.empty());
  EXPECT_FALSE(status("d").serving);
}

}  // namespace
}  // namespace host::plugin
