// Calls whose tools ask their clients questions.
#include "router/live/rounds.h"

#include <gmock/gmock.h>

#include "road.h"
#include "router/live/ended_call.h"
#include "support/forwarding_store.h"
#include "tool/call/edits.h"
#include "tool/call/end_words.h"
#include "tool/definition/unbegun.h"

namespace host::router {
namespace {

using test::declaration;
using testing::HasSubstr;
using testing::Not;

TEST_F(Road, RunsAToolThatAsksAgainWithAllAnswersAndItsState) {
  std::vector<tool::Continuation> seen;
  provider->add(read_only("look"), [&](const auto& invocation) {
    seen.push_back(invocation->continuation);
    EXPECT_TRUE(invocation->abilities.forms);
    if (seen.size() == 1) return invocation->finish(asks("first", "one"));
    if (seen.size() == 2) return invocation->finish(asks("second", "two"));
    return invocation->finish(tool::CallResult::text("knows"));
  });
  Person person("accept");
  const auto result = call("look", "{}", &person);
  EXPECT_NE(result->content.find("knows"), std::string::npos);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_TRUE(seen[0].answers.empty());
  EXPECT_EQ(seen[1].state, "one");
  EXPECT_EQ(seen[2].state, "two");
  EXPECT_EQ(seen[2].answers.size(), 2u);
}

TEST_F(Road, EndsWithTheQuestionsThatAreAnsweredLater) {
  provider->add(read_only("look"), [](const auto& invocation) {
    if (invocation->continuation.answers.empty()) return invocation->finish(asks("first", "one"));
    return invocation->finish(tool::CallResult::text("knows " + invocation->continuation.state));
  });
  Person person("accept");
  person.later = true;
  const auto result = call("look", "{}", &person);
  ASSERT_TRUE(result->round);
  EXPECT_EQ(result->round->questions.front().key, "first");
  person.resumed = {"one", {{"first", "{}"}}};
  EXPECT_NE(call("look", "{}", &person)->content.find("knows one"), std::string::npos);
}

constexpr const char* kBegun = "may have carried out a part of the call";

TEST_F(Road, EachEndOfACallBetweenItsRoundsSaysThatTheToolHasBegunIt) {
  provider->add_answering(declaration("write"), "written");
  provider->add_answering(read_only("look"), "seen");
  provider->add(read_only("fail"), [](const auto& invocation) {
    invocation->finish(tool::CallResult::error("no luck"));
  });
  rule("look", permission::Behavior::Deny);
  for (const char* const name : {"write", "look"}) {
    continues = true;
    const auto result = call(name);
    ASSERT_TRUE(result && result->is_error) << name;
    EXPECT_THAT(result->content, HasSubstr("did not continue")) << name;
    EXPECT_THAT(result->content, HasSubstr(kBegun)) << name;
    EXPECT_THAT(result->content, Not(HasSubstr("\\\" did not run"))) << name;
    continues = false;
    EXPECT_THAT(call(name)->content, Not(HasSubstr(kBegun))) << name;
  }
  continues = true;
  EXPECT_THAT(call("gone").error().message, HasSubstr(kBegun));
  EXPECT_THAT(call("fail")->content, Not(HasSubstr(kBegun))) << "the tool's words";
  EXPECT_EQ(provider->started, 1);
}

// A provider waits so, and the rules can change meanwhile.
TEST_F(Road, JudgesACallAgainAfterARoundWithoutQuestions) {
  provider->add(read_only("look"), [&](const auto& invocation) {
    if (invocation->continuation.state.empty()) {
      rule("look", permission::Behavior::Deny);
      apply_rules();
      tool::CallResult again;
      again.round.emplace();
      again.round->state = std::string(tool::kUnbegun) + "1";
      return invocation->finish(std::move(again));
    }
    return invocation->finish(tool::CallResult::text("done"));
  });
  Person person("accept");
  const auto result = call("look", "{}", &person);
  ASSERT_TRUE(result && result->is_error);
  EXPECT_EQ(provider->started, 1);
  EXPECT_THAT(result->content, Not(HasSubstr(kBegun))) << "the provider has not begun it";
}

TEST_F(Road, ARoundInWhichAProviderOnlyWaitsDoesNotCountAsAQuestion) {
  provider = std::make_shared<test::FakeProvider>("fake", test::FakeProvider::Kind::Upstream);
  rule("look", permission::Behavior::Allow);
  bool only_waits = false;
  provider->add(read_only("look"), [&](const auto& invocation) {
    if (provider->started == 21) return invocation->finish(tool::CallResult::text("done"));
    if (!only_waits && provider->started % 2 == 1)
      return invocation->finish(asks("url_1", "io.toolpost/urls:1"));
    tool::CallResult again;
    again.round.emplace();
    again.round->state = "io.toolpost/urls:1";
    return invocation->refuse(std::move(again));
  });
  Person person("accept");
  EXPECT_THAT(call("look", "{}", &person)->content, HasSubstr("done"));
  only_waits = true;
  EXPECT_THAT(call("look", "{}", &person)->content, HasSubstr("would ask again"));
}

// A provider can wait before it begins a call.
TEST_F(Road, WhatLetACallRunIsGivenBackIfItsProviderHasOnlyWaited) {
  provider = std::make_shared<test::FakeProvider>("fake", test::FakeProvider::Kind::Upstream);
  rule("look", permission::Behavior::Allow);
  provider->add(read_only("look"), [&](const auto& invocation) {
    rule("look", permission::Behavior::Deny);
    apply_rules();
    tool::CallResult again;
    again.round.emplace();
    again.round->state = "io.toolpost/urls:1";
    invocation->refuse(std::move(again));
  });
  std::string happened;
  struct Noted final : tool::Receipt {
    explicit Noted(std::string& notes) : happened(notes) {}
    boost::asio::awaitable<Result<void>> spend() override {
      happened += "spent ";
      co_return Result<void>();
    }
    boost::asio::awaitable<void> give_back() override {
      happened += "given back";
      co_return;
    }
    std::string& happened;
  };
  receipt = [&] { return std::make_unique<Noted>(happened); };
  Person person("accept");
  EXPECT_TRUE(call("look", "{}", &person)->is_error);
  EXPECT_EQ(provider->started, 1);
  EXPECT_EQ(happened, "spent given back");
}

// A second call with the key would run the tool from its beginning.
TEST_F(Road, ACallThatIsDeniedAfterItsToolHasAskedKeepsItsKey) {
  const auto file = audit_file.parent_path() / "toolpost.db";
  desk = std::make_shared<store::Desk>(
      loop.io.get_executor(), [file] { return store::open_sqlite_store(file, system_clock()); });
  const auto deny = [&](const auto& invocation) {
    rule(invocation->tool->name(), permission::Behavior::Deny);
    apply_rules();
    invocation->finish(asks("who", "one"));
  };
  provider->add(declaration("write"), deny);
  provider->add(read_only("look"), deny);
  for (const char* const name : {"write", "look"}) {
    rule(name, permission::Behavior::Allow);
    Person person("accept");
    const auto first = call(name, R"({"idempotency_key":"k"})", &person);
    ASSERT_TRUE(first && first->is_error);
    EXPECT_THAT(first->content, HasSubstr(kBegun));
    EXPECT_EQ(first->content.find(kBegun), first->content.rfind(kBegun)) << "said once";
    policy.rules.clear();
    const auto again = call(name, R"({"idempotency_key":"k"})", &person);
    ASSERT_TRUE(again && again->is_error);
    const bool is_kept = std::string_view(name) == "write";
    EXPECT_EQ(again->meta.find("replayed") != std::string::npos, is_kept) << again->content;
    policy.rules.clear();
  }
  desk->stop();
  desk.reset();
}

TEST_F(Road, ABusyHostSaysThatTheToolHasBegunTheCallToo) {
  provider->add_answering(read_only("look"), "seen");
  limits.running_per_principal = 1;
  limits.queued_per_principal = 0;
  is_occupied = true;
  continues = true;
  EXPECT_THAT(call("look").error().message, HasSubstr(kBegun));
  EXPECT_EQ(provider->started, 0);
}

TEST_F(Road, EndsAToolThatNeverStopsAsking) {
  provider->add(read_only("look"),
                [](const auto& invocation) { invocation->finish(asks("again", "")); });
  Person person("accept");
  EXPECT_TRUE(call("look", "{}", &person)->is_error);
  EXPECT_LE(person.asked, 16);
}

constexpr const char* kKeyed = R"({"idempotency_key":"k"})";

// A store keeps the results of calls with keys.
struct KeptKeys : Road {
  KeptKeys() {
    const auto file = audit_file.parent_path() / "toolpost.db";
    desk = std::make_shared<store::Desk>(
        loop.io.get_executor(), [file] { return store::open_sqlite_store(file, system_clock()); });
    rule("write", permission::Behavior::Allow);
    rule("look", permission::Behavior::Allow);
    for (const tool::Declaration& declared : {declaration("write"), read_only("look")}) {
      provider->add(declared, [this](const auto& invocation) {
        const bool is_first = invocation->continuation.state.empty();
        return invocation->finish(is_first ? asks("who", "one") : end);
      });
    }
  }
  ~KeptKeys() override {
    desk->stop();
    desk.reset();
  }

  static std::string words_of(const Result<tool::CallResult>& result) {
    if (!result) return result.error().message;
    EXPECT_TRUE(result->is_error) << result->content;
    return result->content;
  }
  // The same call again, once nothing is in its way.
  Result<tool::CallResult> call_again(const std::string& name) {
    continues = outlives = is_occupied = false;
    limits = {};
    audit_required = store::Audit::Required::No;
    end = tool::CallResult::text("written");
    Person other("accept");
    return call(name, kKeyed, &other);
  }
  // A call of a tool that must not be repeated ends with `words`, and the tool never runs again for
  // its key.
  void expect_kept(const std::string& words) {
    const std::string first = words_of(call("write", kKeyed, &person));
    EXPECT_THAT(first, HasSubstr(words));
    EXPECT_THAT(first, HasSubstr("use a new key for a new call"));
    const int started = provider->started;
    const auto again = call_again("write");
    ASSERT_TRUE(again && again->is_error) << words;
    EXPECT_THAT(again->content, HasSubstr(words));
    EXPECT_THAT(again->meta, HasSubstr("replayed"));
    EXPECT_EQ(provider->started, started) << words;
  }
  void expect_free(const std::string& name) {
    const auto again = call_again(name);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_THAT(again->content, HasSubstr("written"));
    EXPECT_THAT(again->meta, Not(HasSubstr("replayed")));
  }

  Result<tool::CallResult> end = tool::CallResult::text("written");  // of the second round
  Person person{"accept"};
};

TEST_F(KeptKeys, AFullQueueBetweenTheRoundsKeepsTheKey) {
  limits.running_per_principal = 1;
  limits.queued_per_principal = 0;
  person.on_ask = [this] { occupy(); };
  expect_kept(kBegun);
}

TEST_F(KeptKeys, AFailingAuditBetweenTheRoundsKeepsTheKey) {
  audit_required = store::Audit::Required::Yes;
  const auto folder = audit_file.parent_path();
  person.on_ask = [folder] { std::filesystem::permissions(folder, std::filesystem::perms::all); };
  const std::string first = words_of(call("write", kKeyed, &person));
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  EXPECT_THAT(first, HasSubstr(kBegun));
  person.on_ask = nullptr;
  const auto again = call_again("write");
  ASSERT_TRUE(again);
  EXPECT_THAT(again->meta, HasSubstr("replayed"));
  EXPECT_EQ(provider->started, 1);
}

TEST_F(KeptKeys, AClientThatCannotBeAskedAfterAllKeepsTheKey) {
  person.fault = Error{ErrorKind::Cancelled, "taken back"};
  expect_kept(kBegun);
}

TEST_F(KeptKeys, AToolThatNeverStopsAskingKeepsTheKey) {
  end = asks("who", "two");
  expect_kept(kBegun);
}

TEST_F(KeptKeys, AFailureOfTheProviderInALaterRoundKeepsTheKey) {
  for (const ErrorKind kind :
       {ErrorKind::PluginFault, ErrorKind::DeadlineExceeded, ErrorKind::Cancelled}) {
    SCOPED_TRACE(static_cast<int>(kind));
    end = Error{kind, "it broke"};
    const std::string key =
        R"({"idempotency_key":"k)" + std::to_string(static_cast<int>(kind)) + "\"}";
    const std::string first = words_of(call("write", key, &person));
    EXPECT_THAT(first, HasSubstr("it broke"));
    EXPECT_THAT(first, HasSubstr("use a new key for a new call"));
    EXPECT_THAT(first, Not(HasSubstr(kBegun))) << "it went on after its question";
    const int started = provider->started;
    EXPECT_THAT(call("write", key, &person)->meta, HasSubstr("replayed"));
    EXPECT_EQ(provider->started, started);
  }
}

TEST_F(KeptKeys, AClientThatLacksWhatALaterRoundNeedsKeepsTheKey) {
  tool::CallResult lacks = tool::CallResult::error("it needs sampling");
  lacks.lacking = R"({"sampling":{}})";
  end = lacks;
  expect_kept("it needs sampling");
}

TEST_F(KeptKeys, TheToolsOwnAnswerIsKeptAsItIs) {
  end = tool::CallResult::error("no luck");
  const std::string first = words_of(call("write", kKeyed, &person));
  EXPECT_THAT(first, HasSubstr("no luck"));
  EXPECT_THAT(first, Not(HasSubstr("use a new key")));
  EXPECT_THAT(call_again("write")->content, HasSubstr("no luck"));
}

TEST_F(KeptKeys, ACallThatMayBeRepeatedFreesItsKey) {
  person.fault = Error{ErrorKind::Cancelled, "taken back"};
  EXPECT_THAT(words_of(call("look", kKeyed, &person)), Not(HasSubstr("use a new key")));
  expect_free("look");
}

// The client can send its requestState again.
TEST_F(KeptKeys, ACallThatALaterRequestCanContinueFreesItsKey) {
  continues = true;
  is_occupied = true;
  limits.running_per_principal = 1;
  limits.queued_per_principal = 0;
  person.resumed = {"one", {{"who", "{}"}}};
  EXPECT_THAT(words_of(call("write", kKeyed, &person)), HasSubstr(kBegun));
  occupied.release();
  expect_free("write");
}

const tool::Answers kMarked = {{std::string(tool::kMustNotRepeat), "true"}};  // by an earlier run

// The requestStates of clients end with the host. The call has got its answer, and waits in the
// queue.
struct StoppedRounds : KeptKeys {
  StoppedRounds() {
    limits.running_per_principal = 1;
    is_occupied = true;
    continues = true;
    kept = kMarked;
    person.resumed = {"one", {{"who", "{}"}}};
    on_cleared = [this] {
      stop();
      return Result<void>();
    };
  }
  void stop() {
    live.close();
    live.end_all(Cancel::By::Stop);
  }
  std::string words_of_stopped(const std::string& name) {
    const std::string words = words_of(call(name, kKeyed, &person));
    EXPECT_THAT(words, HasSubstr("This host is stopping"));
    EXPECT_THAT(words, HasSubstr(kBegun));
    EXPECT_THAT(words, Not(HasSubstr("new idempotency key")));
    EXPECT_EQ(provider->started, 0);
    return words;
  }
  // As the next host finds it.
  bool is_kept(const std::string& name) {
    using Met = store::IdempotencyMeeting;
    store::Desk::Act<Met> meet = [&](store::Store& store) {
      return store.idempotency().meet({"local", name, "k"}, {});
    };
    return loop.get(desk->ask<Met>(std::move(meet))).value().state != Met::State::Claimed;
  }
};

TEST_F(StoppedRounds, ACallThatWaitsInTheQueueKeepsItsKey) {
  EXPECT_THAT(words_of_stopped("write"), HasSubstr("use a new key for a new call"));
  EXPECT_TRUE(is_kept("write"));
}

TEST_F(StoppedRounds, ACallThatMayBeRepeatedFreesItsKey) {
  kept.clear();
  EXPECT_THAT(words_of_stopped("look"), Not(HasSubstr("new key")));
  EXPECT_FALSE(is_kept("look"));
}

TEST_F(StoppedRounds, ACallThatWaitsForAnApprovalKeepsItsKey) {
  policy.rules.clear();
  person.on_ask = [this] { stop(); };
  person.fault = Error{ErrorKind::Cancelled, "the host stops"};
  EXPECT_THAT(words_of_stopped("write"), HasSubstr("use a new key for a new call"));
  EXPECT_EQ(person.asked, 1);
  EXPECT_TRUE(is_kept("write"));
}

// Its earlier run was judged to read. A denied call has no judgement.
TEST_F(StoppedRounds, ADeniedCallFreesItsKeyIfItsEarlierRunOnlyRead) {
  kept.clear();
  is_occupied = false;
  tool::Declaration declared = declaration("check");
  declared.has_check_permissions = true;
  declared.has_check_read_only = true;
  declared.may_only_read = true;
  provider->add(declared, [this](const auto& invocation) {
    live.close();
    tool::CallResult denied;
    denied.structured = R"({"behavior":"deny","message":"not now"})";
    invocation->finish(denied);
  });
  const std::string words = words_of(call("check", kKeyed, &person));
  EXPECT_THAT(words, HasSubstr(kBegun));
  EXPECT_THAT(words, Not(HasSubstr("new key")));
  EXPECT_FALSE(is_kept("check"));
}

// The client cannot send its requestState to this host any more.
struct AskedWhileTheHostStops : StoppedRounds {
  AskedWhileTheHostStops() {
    is_occupied = continues = false;
    kept.clear();
    on_cleared = nullptr;
    person.resumed = {};
    person.later = true;
    person.on_ask = [this] { live.close(); };
  }
};

TEST_F(AskedWhileTheHostStops, ACallWhoseToolAsksEndsAndKeepsItsKey) {
  const std::string words = words_of(call("write", kKeyed, &person));
  for (const char* const part : {"This host is stopping", kBegun, "use a new key for a new call"})
    EXPECT_THAT(words, HasSubstr(part));
  EXPECT_TRUE(is_kept("write"));
}

TEST_F(AskedWhileTheHostStops, ACallThatMayBeRepeatedEndsAndFreesItsKey) {
  const std::string words = words_of(call("look", kKeyed, &person));
  EXPECT_THAT(words, HasSubstr("This host is stopping"));
  EXPECT_THAT(words, Not(HasSubstr("new key")));
  EXPECT_FALSE(is_kept("look"));
}

TEST_F(AskedWhileTheHostStops, ACallThatHasNotBegunStillAsksForAnApproval) {
  policy.rules.clear();
  const auto asked = call("write", kKeyed, &person);
  ASSERT_TRUE(asked && asked->round);
  EXPECT_FALSE(is_kept("write"));
}

TEST_F(AskedWhileTheHostStops, ABegunCallThatNeedsAnApprovalEndsAndKeepsItsKey) {
  policy.rules.clear();
  continues = true;
  kept = kMarked;
  person.resumed = {"one", {{"who", "{}"}}};
  EXPECT_THAT(words_of_stopped("write"), HasSubstr("use a new key for a new call"));
  EXPECT_EQ(person.asked, 1);
  EXPECT_TRUE(is_kept("write"));
}

TEST_F(StoppedRounds, ACallThatEndsWellKeepsItsOwnResult) {
  is_occupied = false;
  on_cleared = [this] {
    live.close();
    return Result<void>();
  };
  const auto result = call("write", kKeyed, &person);
  ASSERT_TRUE(result && !result->is_error);
  EXPECT_THAT(result->content, HasSubstr("written"));
  for (const char* const words : {"stopping", kBegun, "new key"})
    EXPECT_THAT(result->content, Not(HasSubstr(words)));
  EXPECT_TRUE(is_kept("write"));
}

TEST(EndedWait, IsOfABegunCallThatNoLaterRequestCanContinue) {
  tool::Call call;
  call.continues = true;
  call.outcome = "pending";
  call.decision = "ask";
  ASSERT_TRUE(ended_wait(call));
  EXPECT_EQ(ended_wait(call)->outcome, "ended_by_stop");
  call.outcome = tool::kAsked;
  EXPECT_TRUE(ended_wait(call));
  call.outcome = "denied";
  EXPECT_FALSE(ended_wait(call));
  call.outcome = "pending";
  call.continues = false;
  EXPECT_FALSE(ended_wait(call));
  call.continues = call.ran = true;
  EXPECT_FALSE(ended_wait(call));
}

// The result names the other call, which can still end well.
TEST(EndedWait, IsNotOfACallThatWaitsForAnotherCallWithItsKey) {
  tool::Call call;
  call.continues = true;
  call.outcome = "pending";
  EXPECT_FALSE(ended_wait(call));
}

TEST_F(KeptKeys, ARequestStateThatIsUsedCannotContinueTheCall) {
  continues = true;
  person.resumed = {"one", {{"who", "{}"}}};
  end = Error{ErrorKind::PluginFault, "it broke"};
  expect_kept("it broke");
}

// After a restart, the call of a task passes the whole pipeline once more.
TEST_F(KeptKeys, ATaskThatIsRefusedBeforeItGoesOnKeepsTheKey) {
  policy.rules.clear();
  continues = true;
  kept = kMarked;
  outlives = true;
  person.action = "decline";
  const std::string first = words_of(call("write", kKeyed, &person));
  EXPECT_THAT(first, HasSubstr(kBegun));
  EXPECT_THAT(first, HasSubstr("use a new key for a new call"));
  EXPECT_THAT(call_again("write")->meta, HasSubstr("replayed"));
  EXPECT_EQ(provider->started, 0);
}

TEST_F(KeptKeys, AReplayedFailureSaysOnceThatTheToolHasBegun) {
  person.fault = Error{ErrorKind::Cancelled, "taken back"};
  EXPECT_THAT(words_of(call("write", kKeyed, &person)), HasSubstr(kBegun));
  continues = true;
  outlives = true;
  const auto again = call("write", kKeyed, &person);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->meta, HasSubstr("replayed"));
  for (const char* const words : {kBegun, "use a new key for a new call"})
    EXPECT_EQ(again->content.find(words), again->content.rfind(words)) << words;
}

// The client's requestState is used up.
TEST_F(KeptKeys, ACallThatAPersonDeniesAfterItsToolHasAskedKeepsItsKey) {
  policy.rules.clear();
  continues = true;
  kept = kMarked;
  person.action = "decline";
  const std::string first = words_of(call("write", kKeyed, &person));
  EXPECT_THAT(first, HasSubstr("use a new key for a new call"));
  EXPECT_THAT(call_again("write")->meta, HasSubstr("replayed"));
  EXPECT_EQ(provider->started, 0);
}

// As if the interceptor was configured while the client answered.
TEST_F(KeptKeys, AnInterceptorOfALaterRoundDoesNotChangeTheArgumentsOfTheRun) {
  std::vector<std::string> ran_with;
  provider->add(declaration("move"), [&](const auto& invocation) {
    ran_with.push_back(invocation->arguments);
    const bool is_first = invocation->continuation.state.empty();
    invocation->finish(is_first ? asks("who", "one") : end);
  });
  rule("move", permission::Behavior::Allow);
  tool::Answers left;
  on_call = [&](const tool::Call& made, const std::string&, const Result<tool::CallResult>&) {
    left = made.continuation.answers;
  };
  person.later = true;
  const std::string sent = R"({"text":")" + std::string(10'000, 'a') + R"("})";
  ASSERT_TRUE(call("move", sent, &person)->round);
  std::size_t bytes = 0;
  for (const auto& [key, answer] : left) bytes += key.size() + answer.size();
  EXPECT_LT(bytes, 1'000u) << "the client sends its own arguments again";

  const auto meddler = std::make_shared<test::FakeProvider>("meddler");
  meddler->offered.intercepts = {true, true, true, true, false};
  int intercepted = 0;
  meddler->act_on_offer = [&](const auto& invocation) {
    tool::CallResult changed;
    if (invocation->function == tool::Function::BeforeCall && ++intercepted > 0)
      changed.structured = R"({"arguments":{"text":"changed"}})";
    invocation->finish(changed);
  };
  catalog.set("meddler", meddler);
  interceptors.emplace_back().plugin = "meddler";
  continues = true;
  kept = left;
  person.resumed = {"one", {{"who", "{}"}}};
  EXPECT_THAT(call("move", sent, &person)->content, HasSubstr("written"));
  EXPECT_EQ(intercepted, 1);
  EXPECT_THAT(ran_with, testing::ElementsAre(sent, sent));

  ran_with.clear();
  kept = {{std::string(tool::kRunArguments), R"({"text":"of the run"})"}};
  EXPECT_THAT(call("move", sent, &person)->content, HasSubstr("written"));
  EXPECT_THAT(ran_with, testing::ElementsAre(R"({"text":"of the run"})"));
  ran_with.clear();
  kept.clear();
  continues = false;  // the tool has not begun the call
  person.resumed = {};
  EXPECT_TRUE(call("move", sent, &person)->round);
  EXPECT_THAT(ran_with, testing::ElementsAre(R"({"text":"changed"})"));
  EXPECT_EQ(left.at(std::string(tool::kRunArguments)), R"({"text":"changed"})");
}

// A store that cannot keep the results of calls.
class StoreWithoutRoom final : public test::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  store::IdempotencyStore& idempotency() override {
    keys_.real = &ForwardingStore::idempotency();
    return keys_;
  }

 private:
  struct Keys final : store::IdempotencyStore {
    std::shared_ptr<store::IdempotencyClaims> claims() override { return real->claims(); }
    Result<store::IdempotencyMeeting> meet(const store::IdempotencyKey& key,
                                           const Sha256& arguments,
                                           std::string_view task) override {
      return real->meet(key, arguments, task);
    }
    std::vector<Result<void>> keep(const std::vector<Ended>& ended) override {
      return std::vector<Result<void>>(ended.size(), Error{ErrorKind::Io, "the disk is full"});
    }
    Result<void> give_up(const store::IdempotencyKey& key) override { return real->give_up(key); }
    Result<void> keep_interrupted(const store::IdempotencyKey& key) override {
      return real->keep_interrupted(key);
    }
    store::IdempotencyStore* real = nullptr;
  };
  Keys keys_;
};

TEST_F(KeptKeys, NobodyIsToldThatAKeyIsKeptThatTheStoreDoesNotKeep) {
  desk->stop();
  const auto file = audit_file.parent_path() / "full.db";
  desk = std::make_shared<store::Desk>(
      loop.io.get_executor(), [file]() -> Result<std::unique_ptr<store::Store>> {
        HOST_TRY_ASSIGN(auto real, store::open_sqlite_store(file, system_clock()));
        std::unique_ptr<store::Store> full = std::make_unique<StoreWithoutRoom>(std::move(real));
        return full;
      });
  person.action = "accept";
  person.on_ask = [this] {
    rule("write", permission::Behavior::Deny);
    apply_rules();
  };
  const auto denied = call("write", kKeyed, &person);
  ASSERT_TRUE(denied && denied->is_error);
  EXPECT_THAT(denied->content, HasSubstr(kBegun));
  EXPECT_THAT(denied->content, Not(HasSubstr("use a new key")));
  EXPECT_THAT(denied->meta, HasSubstr("io.toolpost/not_kept"));
}

// ---- arguments that a reviewer changed in an earlier round

struct EditedRounds : KeptKeys {
  EditedRounds() {
    tool::Declaration declared = declaration("move");
    declared.input_schema = R"({"type":"object","properties":{"n":{"type":"integer"}}})";
    provider->add(declared, [this](const auto& invocation) {
      ran_with = invocation->arguments;
      answers = invocation->continuation.answers;
      invocation->finish(tool::CallResult::text("moved"));
    });
    rule("move", permission::Behavior::Allow);
    continues = true;
    person.resumed = {"one", {{"who", "{}"}}};
    keep(R"({"n":5157})");
  }
  void keep(std::string arguments) {
    kept = {{std::string(tool::kRunArguments), std::move(arguments)},
            {std::string(tool::kEdits), R"(["n"])"}};
  }
  std::string ran_with;
  tool::Answers answers;
};

TEST_F(EditedRounds, TheCallGoesOnWithThemAndItsResultNamesThem) {
  const auto result = call("move", R"({"n":1})", &person);
  ASSERT_TRUE(result && !result->is_error);
  EXPECT_EQ(ran_with, R"({"n":5157})");
  EXPECT_EQ(answers, (tool::Answers{{"who", "{}"}})) << "the provider sees no data of the host";
  EXPECT_THAT(result->content, HasSubstr("A reviewer changed the arguments of this call: n."));
  EXPECT_EQ(result->meta, R"("io.toolpost/edited":["n"])");
}

TEST_F(EditedRounds, TheyAreHeldToTheSchemaAndNoValueIsTold) {
  keep(R"({"n":"secret"})");
  const auto result = call("move", R"({"n":1})", &person);
  ASSERT_TRUE(result && result->is_error);
  EXPECT_THAT(result->content, HasSubstr("did not continue: a reviewer changed the arguments"));
  EXPECT_THAT(result->content, Not(HasSubstr("secret")));
  EXPECT_EQ(ran_with, "");
  EXPECT_EQ(json::find_text(audited().back().root(), "outcome"), tool::kBadArguments);
}

TEST_F(EditedRounds, TheClientIsNotAskedAboutThem) {
  policy.rules.clear();
  const auto result = call("move", R"({"n":1})", &person);
  ASSERT_TRUE(result && result->is_error);
  EXPECT_EQ(person.asked, 0);
  EXPECT_THAT(result->content, HasSubstr("a reviewer changed its arguments"));
  EXPECT_THAT(result->content, Not(HasSubstr("5157")));
  EXPECT_EQ(ran_with, "");
}

TEST_F(EditedRounds, ADenialTellsNoReason) {
  tool::Declaration declared = declaration("check");
  declared.has_check_permissions = true;
  provider->add(declared, [](const auto& invocation) {
    tool::CallResult answer;
    answer.structured = R"({"behavior":"deny","message":"5157 is too much"})";
    invocation->finish(answer);
  });
  const auto denied = call("check", R"({"n":1})", &person);
  ASSERT_TRUE(denied && denied->is_error);
  EXPECT_THAT(denied->content, HasSubstr("Denied, after a reviewer changed the arguments"));
  EXPECT_THAT(denied->content, Not(HasSubstr("5157")));
}

TEST_F(EditedRounds, AnErrorOfAPostToolTellsNoValueOfThem) {
  tool::Declaration post = declaration("post_move");
  post.input_schema = R"({"type":"object","properties":{"arguments":{"type":"object",)"
                      R"("properties":{"n":{"type":"integer","maximum":9}}}}})";
  provider->add_answering(post, "noted");
  const auto result = call("move", R"({"n":1})", &person);
  ASSERT_TRUE(result && !result->is_error);
  EXPECT_THAT(result->meta, HasSubstr("post_move"));
  EXPECT_THAT(result->meta, HasSubstr("a reviewer changed the arguments of this call"));
  EXPECT_THAT(result->meta, Not(HasSubstr("5157")));
}

// The client repeats the call as it has sent it.
TEST_F(EditedRounds, TheKeyBelongsToTheArgumentsOfTheClient) {
  constexpr const char* kSent = R"({"n":1,"idempotency_key":"k"})";
  EXPECT_FALSE(call("move", kSent, &person)->is_error);
  continues = false;
  kept.clear();
  const auto again = call("move", kSent, &person);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->meta, HasSubstr("replayed"));
  EXPECT_THAT(again->meta, HasSubstr("io.toolpost/edited"));
  const auto other = call("move", R"({"n":5157,"idempotency_key":"k"})", &person);
  EXPECT_THAT(other->content, HasSubstr("with other arguments"));
}

}  // namespace
}  // namespace host::router
