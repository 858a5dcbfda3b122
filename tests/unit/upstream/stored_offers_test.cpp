// The lists of one upstream that are in the store: when they are served, and what the host asks
// the server before it has read the server's own lists. The server is the test.
#include "upstream/offer/stored_offers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/digest.h"
#include "base/process/spawn.h"
#include "fake_transport.h"
#include "outbound/gate.h"
#include "support/cpu_time.h"
#include "support/run_until.h"
#include "upstream/manager/secret_values.h"
#include "upstream/manager/upstream.h"
#include "upstream/oauth/login.h"

namespace host::upstream {
namespace {

MATCHER_P(of_list, name, "") {
  return arg.list == name;
}

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kA = R"({"name":"a","uri":"memo:///a"})";
constexpr const char* kB = R"({"name":"b","uri":"memo:///b"})";
constexpr const char* kFamily = R"({"name":"m","uriTemplate":"memo:///{name}"})";

class StoredOffersTest : public ::testing::Test {
 protected:
  struct Run {
    std::shared_ptr<tool::Invocation> invocation;
    std::optional<Result<tool::CallResult>> result;
  };

  StoredOffersTest() {
    settings_.name = "u";
    config_.upstreams.restart_pause = 60s;
    config_.upstreams.restart_pause_most = 60s;
    pins_.emplace_back().upstream = "u";
  }

  void begin(std::vector<OfferWriter::Record> stored, Connects connects = Connects::AsConfigured,
             const std::string& source = "here") {
    writer_ = std::make_shared<OfferWriter>(
        io_.get_executor(),
        [this](const std::vector<OfferWriter::Record>& records, const OfferWriter::Done& done) {
          for (const auto& one : records) kept_.push_back(*one);
          if (done) done({});
        },
        OfferWriter::Pauses{1ms, 1ms});
    Upstream::Surroundings around{
        io_.get_executor(),
        config_,
        R"({"name":"t","version":"1"})",
        [this]() -> Result<std::unique_ptr<Transport>> {
          made_.push_back(std::make_shared<FakeTransport::State>());
          made_.back()->stdio = false;
          return std::unique_ptr<Transport>(std::make_unique<FakeTransport>(made_.back()));
        },
        system_clock(),
        std::make_shared<UpstreamMetrics>(metrics_),
        nullptr,
        std::make_shared<Secrets>(),
        jobs_,
        [](const std::string&) {},
        [this](std::shared_ptr<tool::Provider> provider) {
          provider_ = std::move(provider);
          return std::vector<tool::Refusal>();
        },
        [](const std::vector<store::PinRecord>&, const Upstream::Kept& done) {
          if (done) done({});
        },
        read_again_after_};
    source_ = source;
    around.source = [this] { return source_; };
    around.offers = writer_;
    around.login = login_;
    upstream_ = std::make_shared<Upstream>(std::make_shared<const config::Upstream>(settings_),
                                           std::move(around));
    bool begun = false;
    upstream_->begin(pins_, std::move(stored), connects, [&] { begun = true; });
    until([&] { return begun; });
  }
  OfferWriter::Record record(const std::string& list, const std::vector<std::string>& entries,
                             const std::string& source = "here") const {
    std::string lines;
    for (const std::string& one : entries) lines += one + "\n";
    return std::make_shared<const store::OfferRecord>(
        store::OfferRecord{"u", list, source, filters_of(settings_), lines});
  }
  std::vector<OfferWriter::Record> a_and_family() const {
    return {record("resources", {kA}), record("templates", {kFamily})};
  }

  void run(std::function<boost::asio::awaitable<void>()> work) {
    bool ended = false;
    spawn(io_.get_executor(), {"test", "waits for a login"}, std::move(work),
          [&](const Result<void>&) { ended = true; });
    until([&] { return ended; });
  }
  void log_in(const std::string& id) {
    oauth::LoginSettings settings;
    settings.name = "u";
    login_ = std::make_shared<oauth::Login>(
        io_.get_executor(), std::move(settings),
        std::make_shared<outbound::Gate>(io_.get_executor(), outbound::Settings()), nullptr,
        system_clock(), std::make_shared<Secrets>());
    run([this, id]() -> boost::asio::awaitable<void> {
      oauth::Ledger::Change change = [id](oauth::LoginRecord& record) {
        record.login = id;
        record.access_token = "token-of-" + id;
        return true;
      };
      EXPECT_TRUE(co_await login_->access()->ledger()->change(std::move(change)));
    });
  }
  static std::string source_with(const std::string& login) {
    return to_hex(sha256("here\n" + login));
  }

  void until(const std::function<bool()>& is_so) { ASSERT_TRUE(test::run_until(io_, is_so)); }
  FakeTransport::State& server() { return *made_.back(); }
  std::vector<std::string> asked() {
    std::vector<std::string> out;
    for (const auto& one : server().sent) out.push_back(one.method);
    return out;
  }
  // Answers the last request, which must have this method.
  void answer(const std::string& method, const std::string& member) {
    until([&] {
      return !made_.empty() && !server().sent.empty() && server().sent.back().method == method;
    });
    server().listener->message(
        R"({"jsonrpc":"2.0","id":)" + server().sent.back().id + "," + member + "}", {});
  }
  void connect_server() {
    answer("server/discover", R"("error":{"code":-32601,"message":"unknown"})");
    answer("initialize", R"("result":{"protocolVersion":"2025-11-25","capabilities":{"resources":)"
                         R"({}},"serverInfo":{"name":"s","version":"2"}})");
    until([&] { return upstream_->status().state == State::Ready; });
  }
  static std::string result(const std::string& list, const std::string& entries) {
    return R"("result":{")" + list + "\":[" + entries + "]}";
  }
  Run& read(const std::string& uri) {
    Run& made = *runs_.emplace_back(std::make_unique<Run>());
    made.invocation = std::make_shared<tool::Invocation>();
    made.invocation->function = tool::Function::ReadResource;
    made.invocation->name = uri;
    made.invocation->passport = std::make_shared<tool::Passport>();
    made.invocation->set_on_finish(
        [&made](Result<tool::CallResult> result) { made.result = std::move(result); });
    provider_->start(made.invocation);
    return made;
  }

  boost::asio::io_context io_;
  std::shared_ptr<JobThread> jobs_ = std::make_shared<JobThread>(io_.get_executor());
  metrics::Registry metrics_;
  config::Config config_;
  config::Upstream settings_;
  std::vector<store::PinRecord> pins_;  // the upstream was seen before, and has no tools
  std::vector<std::shared_ptr<FakeTransport::State>> made_;
  std::vector<store::OfferRecord> kept_;
  std::string source_;
  std::shared_ptr<OfferWriter> writer_;
  std::shared_ptr<oauth::Login> login_;  // null: it needs none
  std::chrono::milliseconds read_again_after_ = 1ms;
  std::shared_ptr<tool::Provider> provider_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::shared_ptr<Upstream> upstream_;
};

TEST_F(StoredOffersTest, ListsOfTheSameServerAreServedWithoutAConnection) {
  auto stored = a_and_family();
  stored.push_back(record("prompts", {R"({"name":"greet"})", "damaged"}));
  stored.push_back(record("completions", {"true"}));
  begin(std::move(stored));
  const Status status = upstream_->status();
  EXPECT_THAT(status.resources, ElementsAre("memo:///a"));
  EXPECT_THAT(status.templates, ElementsAre("memo:///{name}"));
  EXPECT_THAT(status.prompts, ElementsAre("mcp__u__greet"));
  EXPECT_TRUE(provider_->offer().completes);
  EXPECT_THAT(status.refusals, SizeIs(1));
  EXPECT_THAT(made_, IsEmpty());
  EXPECT_THAT(kept_, IsEmpty());
}

TEST_F(StoredOffersTest, ListsOfAnotherServerAreIgnoredAndItConnects) {
  begin({record("resources", {kA}, "elsewhere")});
  EXPECT_THAT(upstream_->status().resources, IsEmpty());
  EXPECT_THAT(made_, SizeIs(1));
}

TEST_F(StoredOffersTest, ListsOfAnUnknownServerAreIgnored) {
  begin({record("resources", {kA}, "")}, Connects::AsConfigured, "");
  EXPECT_THAT(upstream_->status().resources, IsEmpty());
}

TEST_F(StoredOffersTest, ListsOfAnotherLoginAreIgnored) {
  log_in("anna");
  begin({record("resources", {kA}, source_with("anna")),
         record("templates", {kFamily}, source_with("bert"))},
        Connects::WhenCalled);
  EXPECT_THAT(upstream_->status().resources, ElementsAre("memo:///a"));
  EXPECT_THAT(upstream_->status().templates, IsEmpty());
}

TEST_F(StoredOffersTest, ALogoutRemovesTheListsOfTheLogin) {
  log_in("anna");
  begin({record("resources", {kA}, source_with("anna"))}, Connects::WhenCalled);
  ASSERT_THAT(upstream_->status().resources, SizeIs(1));
  run([this]() -> boost::asio::awaitable<void> { EXPECT_TRUE(co_await login_->log_out()); });
  EXPECT_THAT(upstream_->status().resources, IsEmpty());
  EXPECT_THAT(provider_->offer().resources, IsEmpty());
  EXPECT_THAT(made_, SizeIs(1)) << "it connects again";
}

TEST_F(StoredOffersTest, ACommandThatConnectsOnlyForCallsDoesSoAlsoForOldLists) {
  begin({record("resources", {kA}, "elsewhere")}, Connects::WhenCalled);
  EXPECT_THAT(made_, IsEmpty());
}

TEST_F(StoredOffersTest, NewFiltersApplyAtOnceAndTheListsAreReadAgain) {
  const auto stored = record("resources", {kA, kB});
  settings_.resources_denied = {"memo:///a"};
  begin({stored});
  EXPECT_THAT(upstream_->status().resources, ElementsAre("memo:///b"));
  EXPECT_THAT(made_, SizeIs(1));
}

TEST_F(StoredOffersTest, NoMoreEntriesAreServedThanTheLimit) {
  config_.limits.upstream_resources = 1;
  begin({record("resources", {kA, kB})});
  EXPECT_THAT(upstream_->status().resources, ElementsAre("memo:///a"));
}

TEST_F(StoredOffersTest, AReadIsSentOnceTheServersOwnListHasIt) {
  begin(a_and_family());
  const Run& run = read("memo:///a");
  connect_server();
  EXPECT_THAT(asked(), Not(Contains("resources/read")));
  answer("resources/list", result("resources", kA));
  until([&] {
    return server().sent.back().method == "resources/read" ||
           server().sent[server().sent.size() - 2].method == "resources/read";
  });
  EXPECT_FALSE(run.result);
}

TEST_F(StoredOffersTest, AReadOfWhatTheServerNoLongerHasIsRefusedAndNotSent) {
  begin(a_and_family());
  const Run& exact = read("memo:///a");
  const Run& fits = read("memo:///secret");
  connect_server();
  answer("resources/list", result("resources", kB));
  EXPECT_FALSE(exact.result) << "a template can still fit";
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return exact.result && fits.result; });
  EXPECT_EQ(exact.result->error().kind, ErrorKind::NotFound);
  EXPECT_THAT(fits.result->error().message, HasSubstr("no longer has this resource"));
  EXPECT_THAT(asked(), Not(Contains("resources/read")));
  EXPECT_THAT(upstream_->status().resources, ElementsAre("memo:///b"));
}

TEST_F(StoredOffersTest, AReadIsRefusedIfTheServersListsCannotBeRead) {
  begin(a_and_family());
  const Run& run = read("memo:///a");
  connect_server();
  const std::string refuses = R"("error":{"code":-32603,"message":"not now"})";
  answer("resources/list", refuses);
  answer("resources/templates/list", refuses);
  until([&] { return run.result.has_value(); });
  EXPECT_THAT(run.result->error().message, HasSubstr("not now"));
  EXPECT_THAT(upstream_->status().resources, ElementsAre("memo:///a")) << "it stays as it was";
  const Run& later = read("memo:///b");
  until([&] { return later.result.has_value(); });
  EXPECT_THAT(asked(), Not(Contains("resources/read")));
}

TEST_F(StoredOffersTest, AListWhoseReadingFailsIsReadAgain) {
  begin(a_and_family());
  read("memo:///a");
  connect_server();
  until([&] { return server().sent.back().method == "resources/list"; });
  server().listener->failed(server().sent.back().id, Reached::Perhaps,
                            Error{ErrorKind::Io, "it answered with HTTP status 503"});
  answer("resources/templates/list", result("resourceTemplates", ""));
  answer("resources/list", result("resources", kB));
  until([&] { return upstream_->status().resources == std::vector<std::string>{"memo:///b"}; });
  read("memo:///b");
  until([&] { return server().sent.back().method == "resources/read"; });
  const auto all = asked();
  EXPECT_EQ(std::count(all.begin(), all.end(), "resources/templates/list"), 1);
}

TEST_F(StoredOffersTest, ACallThatWaitsReadsAChangedListBeforeThePauseHasPassed) {
  read_again_after_ = 1h;
  begin({record("resources", {kA})}, Connects::AtOnce);
  connect_server();
  answer("resources/list", result("resources", kA));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return !provider_->catch_up([] {}); });
  int ended = 0;
  const auto catch_up = [&] { return provider_->catch_up([&] { ++ended; }); };
  const auto change = [&] {
    server().listener->message(
        R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})", {});
  };
  EXPECT_FALSE(catch_up()) << "nothing changed";
  change();
  const SteadyTime began = steady_now();
  EXPECT_TRUE(catch_up());
  EXPECT_TRUE(catch_up());
  answer("resources/list", result("resources", kB));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return ended == 2; });
  EXPECT_EQ(provider_->offer().resources.front().uri, "memo:///b");
  EXPECT_FALSE(catch_up());
  change();
  EXPECT_TRUE(catch_up());
  io_.poll();
  const std::string asked_last = server().sent.back().method;
  EXPECT_TRUE(asked_last == "resources/templates/list" || steady_now() - began >= 1s);
  int more = 0;
  while (more < 1000 && provider_->catch_up([] {})) ++more;
  EXPECT_EQ(more, 255) << "as many wait at most, and one more";
  until([&] { return server().sent.back().method == "resources/list"; });
  server().listener->failed(server().sent.back().id, Reached::Perhaps,
                            Error{ErrorKind::Io, "it answered with HTTP status 503"});
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return ended == 3; });
  EXPECT_FALSE(catch_up()) << "the last reading failed";
}

TEST_F(StoredOffersTest, AListThatCannotBeAskedForStaysAsItWas) {
  begin(a_and_family());
  const Run& run = read("memo:///a");
  connect_server();
  for (const char* method : {"resources/list", "resources/templates/list"}) {
    until([&] { return server().sent.back().method == method; });
    server().listener->failed(server().sent.back().id, Reached::No,
                              Error{ErrorKind::NotFound, "a secret cannot be read"});
  }
  until([&] { return run.result.has_value(); });
  EXPECT_THAT(upstream_->status().resources, ElementsAre("memo:///a"));
  EXPECT_THAT(upstream_->status().templates, ElementsAre("memo:///{name}"));
  EXPECT_THAT(kept_, Not(Contains(of_list("resources"))));
}

TEST_F(StoredOffersTest, ItConnectsOnceAlthoughItsListsAreOfAnotherServer) {
  settings_.lazy = false;
  begin({record("resources", {kA}, "elsewhere")});
  EXPECT_THAT(made_, SizeIs(1));
  EXPECT_EQ(upstream_->status().starts, 1u);
}

TEST_F(StoredOffersTest, ALoginThatEndsWithItsUpstreamSaysWhy) {
  log_in("anna");
  begin({}, Connects::WhenCalled);
  std::optional<Result<void>> waited;
  run([&]() -> boost::asio::awaitable<void> {
    boost::asio::post(io_, [this] { upstream_->retire("its settings were changed", 0s, [] {}); });
    waited = co_await login_->wait("");  // no login is in progress
  });
  ASSERT_TRUE(waited && !*waited);
  EXPECT_THAT(waited->error().message, HasSubstr("its settings were changed"));
}

TEST_F(StoredOffersTest, FollowedResourcesConnectItAndReachOnlyAServerWhoseListsHaveThem) {
  begin({record("resources", {kA, kB})}, Connects::WhenCalled);
  upstream_->follow({"memo:///a", "memo:///b"});
  ASSERT_THAT(made_, SizeIs(1));
  answer("server/discover", R"("error":{"code":-32601,"message":"unknown"})");
  answer("initialize", R"("result":{"protocolVersion":"2025-11-25","capabilities":{"resources":)"
                       R"({"subscribe":true}},"serverInfo":{"name":"s","version":"2"}})");
  answer("resources/list", result("resources", kB));
  EXPECT_THAT(asked(), Not(Contains("resources/subscribe")));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return server().sent.back().method == "resources/subscribe"; });
  EXPECT_THAT(server().sent.back().text, HasSubstr("memo:///b"));
  for (const auto& one : server().sent) EXPECT_THAT(one.text, Not(HasSubstr("memo:///a")));
}

TEST_F(StoredOffersTest, FollowedResourcesStartItAgainAlsoIfItIsBeingEnded) {
  settings_.idle_stop = 1ms;
  begin({record("resources", {kA})}, Connects::AtOnce);
  connect_server();
  answer("resources/list", result("resources", kA));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return server().closed; });
  upstream_->follow({"memo:///a"});
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  EXPECT_THAT(made_, SizeIs(2));
}

TEST_F(StoredOffersTest, AServerWithoutReadableTemplatesGetsSubscriptionsOfItsResources) {
  begin({}, Connects::AtOnce);
  upstream_->follow({"memo:///b"});
  answer("server/discover", R"("error":{"code":-32601,"message":"unknown"})");
  answer("initialize", R"("result":{"protocolVersion":"2025-11-25","capabilities":{"resources":)"
                       R"({"subscribe":true}},"serverInfo":{"name":"s","version":"2"}})");
  answer("resources/list", result("resources", kB));
  answer("resources/templates/list", R"("error":{"code":-32603,"message":"not now"})");
  until([&] { return server().sent.back().method == "resources/subscribe"; });
}

TEST_F(StoredOffersTest, ListsThatDidNotChangeCostNothingHoweverManyUrisAreFollowed) {
  std::string families;
  for (int i = 0; i < 500; ++i) {
    families += (i > 0 ? "," : "") + std::string(R"({"name":"m","uriTemplate":"x:)") +
                "{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}{+i}{+j}{+k}{+l}{+m}{+n}{+o}Q" +
                std::to_string(i) + R"({+p}"})";
  }
  std::set<std::string> followed;
  for (int i = 0; i < 100; ++i) followed.insert("x:" + std::to_string(i) + std::string(200, 'y'));
  begin({}, Connects::AtOnce);
  upstream_->follow(followed);
  connect_server();
  const auto cost_of_reading = [&] {
    answer("resources/list", result("resources", kA));
    const test::CpuTime cpu;
    answer("resources/templates/list", result("resourceTemplates", families));
    server().listener->message(
        R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})", {});
    until([&] { return server().sent.back().method == "resources/list"; });  // the next reading
    return cpu.taken();
  };
  const auto first = cost_of_reading();
  EXPECT_THAT(upstream_->status().templates, SizeIs(500));
  const auto again = cost_of_reading();
  EXPECT_LT(4 * again, first);
}

TEST_F(StoredOffersTest, ListsOfAnotherServerDoNotStayInTheStore) {
  begin({record("prompts", {R"({"name":"greet"})"}, "elsewhere")});
  connect_server();
  answer("resources/list", result("resources", kA));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return kept_.size() >= 3; });
  EXPECT_THAT(kept_, Contains(*record("prompts", {})));
}

TEST_F(StoredOffersTest, WhatIsReadIsStoredOnceAndWithoutWhatIsNotServed) {
  settings_.resources_denied = {"memo:///a"};
  begin({}, Connects::AtOnce);
  connect_server();
  answer("resources/list", result("resources", std::string(kA) + "," + kB + R"(,{"uri":"x"})"));
  answer("resources/templates/list", R"("error":{"code":-32601,"message":"unknown"})");
  until([&] { return !kept_.empty(); });
  EXPECT_THAT(kept_,
              ElementsAre(*record("resources", {kB}), of_list("since"), *record("templates", {})));
  kept_.clear();
  upstream_->refresh([](const Result<void>&) {});
  answer("resources/list", result("resources", kB));
  answer("resources/templates/list", result("resourceTemplates", kFamily));
  until([&] { return kept_.size() > 1; });
  EXPECT_THAT(kept_, ElementsAre(of_list("since"), *record("templates", {kFamily})));
}

TEST_F(StoredOffersTest, AListThatTheServerDoesNotHaveAnyMoreIsEmptyInTheStore) {
  begin({record("prompts", {R"({"name":"greet"})"}), record("completions", {"true"})},
        Connects::AtOnce);
  connect_server();
  answer("resources/list", result("resources", kA));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return kept_.size() >= 5; });
  EXPECT_THAT(kept_, ::testing::UnorderedElementsAre(
                         *record("resources", {kA}), *record("templates", {}),
                         *record("prompts", {}), *record("completions", {}), of_list("since")));
  EXPECT_THAT(upstream_->status().prompts, IsEmpty());
}

TEST_F(StoredOffersTest, ItConnectsToReadListsThatWereForgotten) {
  begin({record(store::kUnread, {}, "")});
  connect_server();
  answer("resources/list", result("resources", kA));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return kept_.size() >= 4; });
  EXPECT_THAT(kept_, Contains(*record(store::kUnread, {}))) << "it is removed from the store";
}

// The connection reads the values of secrets again.
TEST_F(StoredOffersTest, AConnectionWithANewSecretDropsTheListsOfTheFormerAccount) {
  begin(a_and_family());
  ASSERT_THAT(upstream_->status().resources, SizeIs(1));
  source_ = "as somebody else";
  const Run& run = read("memo:///a");
  EXPECT_THAT(upstream_->status().resources, IsEmpty());
  connect_server();
  answer("resources/list", result("resources", kB));
  answer("resources/templates/list", result("resourceTemplates", ""));
  until([&] { return run.result && kept_.size() >= 3; });
  EXPECT_EQ(run.result->error().kind, ErrorKind::NotFound);
  EXPECT_THAT(kept_, Contains(*record("resources", {kB}, "as somebody else")));
}

TEST_F(StoredOffersTest, AUriKeepsTheTimeFromWhichItWasOfferedUntilItIsGone) {
  begin({record("resources", {kA, kB}), record("since", {"resources 1000 1 2000 1"})},
        Connects::AtOnce);
  const auto since = [&] {
    std::vector<std::int64_t> out;
    for (const tool::Resource& one : provider_->offer().resources)
      out.push_back(one.since.time_since_epoch() / 1ms);
    return out;
  };
  EXPECT_THAT(since(), ElementsAre(1000, 2000));
  const auto read_again = [&](const std::string& entries) {
    answer("resources/list", result("resources", entries));
    answer("resources/templates/list", result("resourceTemplates", ""));
  };
  connect_server();
  read_again(std::string(kB) + R"(,{"name":"c","uri":"memo:///c"})");
  until([&] { return upstream_->status().resources.size() == 2 && kept_.size() > 2; });
  EXPECT_EQ(since().front(), 2000);
  EXPECT_GT(since().back(), 2000);
  EXPECT_THAT(kept_, Contains(*record(
                         "since", {"resources 2000 1 " + std::to_string(since().back()) + " 1"})));
  upstream_->refresh([](const Result<void>&) {});
  read_again(kA);
  until([&] { return upstream_->status().resources == std::vector<std::string>{"memo:///a"}; });
  EXPECT_GT(since().front(), 2000) << "it was not offered for a while";
}

TEST_F(StoredOffersTest, TimesThatAreMissingOrDamagedAreNotOlderThanAnyOther) {
  begin(
      {record("resources", {kA, kB}), record("since", {"resources 1000 1 -5 99999999999999999"})});
  const auto& offered = provider_->offer().resources;
  ASSERT_THAT(offered, SizeIs(2));
  EXPECT_EQ(offered[0].since.time_since_epoch(), 1s);
  EXPECT_GT(offered[1].since, system_clock().wall() - 1h);
}

// Its successor stores lists of the new settings.
TEST_F(StoredOffersTest, RetiredItStoresNothing) {
  begin({}, Connects::AtOnce);
  connect_server();
  answer("resources/list", result("resources", kA));
  until([&] { return server().sent.back().method == "resources/templates/list"; });
  const std::string templates = server().sent.back().id;
  const Run& run = read("memo:///a");
  const std::string reads = server().sent.back().id;
  upstream_->retire("it was changed", 600s, [] {});
  server().listener->message(
      R"({"jsonrpc":"2.0","id":)" + templates + "," + result("resourceTemplates", kFamily) + "}",
      {});
  until([&] { return !upstream_->status().templates.empty(); });
  EXPECT_FALSE(run.result);
  server().listener->message(R"({"jsonrpc":"2.0","id":)" + reads + R"(,"result":{"contents":[]}})",
                             {});
  until([&] { return server().closed; });
  EXPECT_THAT(kept_, IsEmpty());
}

TEST(DigestOfSource, DiffersIfAnotherServerOrAccountAnswers) {
  config::Upstream upstream;
  upstream.name = "u";
  upstream.url = "https://a.example/mcp";
  const std::string before = digest_of_source(upstream, "secrets");
  config::Upstream filtered = upstream;
  filtered.resources_denied = {"x"};
  filtered.agents = {"coder"};
  EXPECT_EQ(digest_of_source(filtered, "secrets"), before);
  EXPECT_NE(digest_of_source(upstream, "new secrets"), before);
  const auto differs = [&](const auto& change) {
    config::Upstream other = upstream;
    change(other);
    return digest_of_source(other, "secrets") != before;
  };
  EXPECT_TRUE(differs([](config::Upstream& one) { one.url = "https://b.example/mcp"; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.command = "server"; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.args = {"x"}; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.cwd = "/srv"; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.env = R"({"A":"b"})"; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.headers = R"({"A":"b"})"; }));
  EXPECT_TRUE(
      differs([](config::Upstream& one) { one.transport = config::UpstreamTransport::Sse; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.auth = config::UpstreamAuth::OAuth; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.client_id = "c"; }));
  EXPECT_TRUE(differs([](config::Upstream& one) { one.scopes = {"s"}; }));
  EXPECT_TRUE(differs([](config::Upstream& one) {
    one.sandbox.emplace().fs.push_back({"/srv/share", true});
  }));
}

TEST(DigestOfSource, DiffersIfPathLeadsToAnotherProgram) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("toolpost-path-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path program = folder / "some-mcp-server";
  config::Upstream upstream;
  upstream.name = "u";
  upstream.command = "some-mcp-server";
  upstream.env = R"({"PATH":")" + folder.string() + "\"}";
  const std::string before = digest_of_source(upstream, "secrets");
  std::ofstream(program) << "#!/bin/sh\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_NE(digest_of_source(upstream, "secrets"), before);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace host::upstream
