#include "router/dispatch/dispatcher.h"

#include <gmock/gmock.h>

#include "road.h"
#include "tool/call/outcome.h"

namespace host::router {
namespace {

using test::declaration;

// Writes down what the pipeline reports.
struct Notes : tool::Recorder {
  boost::asio::awaitable<Result<void>> is_accepted() override {
    said.emplace_back("is accepted");
    co_return may_be_accepted;
  }
  void waits(std::string_view reason, std::string_view) override { said.emplace_back(reason); }
  boost::asio::awaitable<Result<void>> begins(const tool::Call&) override {
    said.emplace_back("begins");
    co_return may_begin;
  }
  boost::asio::awaitable<bool> waits_for_room() override {
    said.emplace_back("no room");
    if (on_no_room) on_no_room();
    co_return on_no_room != nullptr;
  }
  bool was_executed() const override { return executed; }

  std::function<void()> on_no_room;  // null: the call must not try again
  std::vector<std::string> said;
  Result<void> may_be_accepted;
  Result<void> may_begin;
  bool executed = false;
};

// Hands calls over. Nobody executes them but their provider.
struct Callers : tool::CallerWork {
  bool has_twin(const tool::Call& call, const tool::Tool&) override {
    twins.push_back(call.twin);
    return has;
  }
  boost::asio::awaitable<Result<tool::CallResult>> join_twin(tool::Call&,
                                                             const tool::Tool&) override {
    co_return tool::CallResult::text("the earlier result");
  }
  boost::asio::awaitable<Result<void>> prepare(tool::Call& call, const tool::Tool&) override {
    receipts = call.receipts.size();
    if (!may_prepare) call.outcome = "busy";
    co_return may_prepare;
  }
  boost::asio::awaitable<void> checked(const tool::Call&, const tool::CallResult& result) override {
    checked_result = result.content;
    co_return;
  }
  bool ended(const tool::Call& call, const Result<tool::CallResult>& result) override {
    if (!call.twin.empty()) end = result->content;
    return false;
  }
  void hand_over(std::shared_ptr<tool::Invocation>) override {}
  void take_back(const std::shared_ptr<tool::Invocation>&) override {}

  bool has = false;
  Result<void> may_prepare;
  std::vector<std::string> twins;
  std::size_t receipts = 0;
  std::string checked_result;
  std::string end;
};

TEST_F(Road, ARecorderHearsOfTheWaitAndOfTheStart) {
  Notes notes;
  recorder = &notes;
  provider->add_answering(declaration("pay"), "paid");
  Person yes("accept");
  EXPECT_FALSE(call("pay", "{}", &yes)->is_error);
  EXPECT_THAT(notes.said, testing::ElementsAre("is accepted", "approval", "", "begins"));
  notes.said.clear();
  Person no("decline");
  EXPECT_TRUE(call("pay", "{}", &no)->is_error);
  EXPECT_THAT(notes.said, testing::ElementsAre("is accepted", "approval"));
}

TEST_F(Road, NobodyIsAskedAboutACallThatIsNotAccepted) {
  Notes notes;
  notes.may_be_accepted = Error{ErrorKind::Unavailable, "the disk is full"};
  recorder = &notes;
  provider->add_answering(declaration("pay"), "paid");
  Person yes("accept");
  EXPECT_EQ(call("pay", "{}", &yes).error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(yes.asked, 0);
  EXPECT_EQ(provider->started, 0);
}

struct FullRoad : Road {
  FullRoad() {
    limits.running_per_principal = 1;
    limits.queued_per_principal = 0;
    is_occupied = true;
    recorder = &notes;
    provider->add_answering(declaration("pay"), "paid");
  }
  Notes notes;
};

TEST_F(FullRoad, ACallWithARecordKeepsItsApprovalUntilThereIsRoom) {
  Person yes("accept");
  notes.on_no_room = [this, tries = 0]() mutable {
    if (++tries == 3) occupied.release();
  };
  const auto result = call("pay", "{}", &yes);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->is_error);
  EXPECT_THAT(notes.said, testing::ElementsAre("is accepted", "approval", "", "no room", "no room",
                                               "no room", "begins"));
  EXPECT_EQ(yes.asked, 1);
  EXPECT_EQ(json::find_text(audited().back().root(), "outcome"), "ok");
}

TEST_F(FullRoad, ACallThatMayNotTryAgainIsRefused) {
  Person yes("accept");
  const auto result = call("pay", "{}", &yes);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Unavailable);
  EXPECT_THAT(notes.said, testing::ElementsAre("is accepted", "approval", "", "no room"));
  EXPECT_EQ(provider->started, 0);
}

TEST_F(Road, ACallWhoseStartIsNotStoredDoesNotRun) {
  Notes notes;
  notes.may_begin = Error{ErrorKind::Io, "the disk is full"};
  recorder = &notes;
  provider->add_answering(read_only("look"), "seen");
  EXPECT_EQ(call("look").error().kind, ErrorKind::Io);
  EXPECT_EQ(provider->started, 0);
}

tool::Declaration external(std::string name) {
  tool::Declaration declared = declaration(std::move(name));
  declared.external = true;
  return declared;
}

TEST_F(Road, AnExecutedCallTakesNoStepBeforeItsRun) {
  Notes notes;
  notes.executed = true;
  recorder = &notes;
  provider->add_answering(external("ship"), "shipped");
  EXPECT_FALSE(call("ship")->is_error);
  rule("ship", permission::Behavior::Deny);
  EXPECT_FALSE(call("ship", R"({"breaks":"the schema"})")->is_error) << "nothing stops it any more";
  EXPECT_THAT(notes.said, testing::IsEmpty());
}

TEST_F(Road, TheSameCallMeetsTheEarlierOneBeforeItsGate) {
  Callers work;
  callers = &work;
  provider->add_answering(external("ship"), "shipped");
  provider->add_answering(read_only("look"), "seen");
  work.has = true;
  Person yes("accept");
  EXPECT_THAT(call("ship", R"({"a":1,"b":2})", &yes)->content, testing::HasSubstr("earlier"));
  EXPECT_THAT(call("ship", R"({"b":2,"a":1})", &yes)->content, testing::HasSubstr("earlier"));
  EXPECT_EQ(yes.asked, 0);
  EXPECT_EQ(provider->started, 0);
  EXPECT_EQ(json::find_text(audited().back().root(), "outcome"), "replayed");
  ASSERT_EQ(work.twins.size(), 2u);
  EXPECT_EQ(work.twins[0], work.twins[1]) << "the order of members does not matter";
  EXPECT_THAT(call("look")->content, testing::HasSubstr("seen"))
      << "only callers' tools have twins";
  rule("ship", permission::Behavior::Deny);
  EXPECT_TRUE(call("ship", "{}", &yes)->is_error);
  EXPECT_EQ(work.twins.size(), 2u);
}

// Notes the state of the store at the end of each call.
struct Ends : tool::EndWatcher {
  explicit Ends(std::filesystem::path database) : file(std::move(database)) {}
  std::optional<Names> begins(const tool::Call&) const override { return Names(); }
  boost::asio::awaitable<void> ended(const tool::Call& call, const Result<tool::CallResult>& result,
                                     Names) override {
    outcomes.emplace_back(tool::outcome_of(call, result));
    kept.push_back(results_kept());
    co_return;
  }
  std::uint64_t results_kept() const {
    const auto database = store::Sqlite::open_to_read(file).value();
    auto rows = database->prepare("SELECT count(*) FROM idempotency").value();
    EXPECT_TRUE(rows.step().value());
    return rows.number(0);
  }

  const std::filesystem::path file;
  std::vector<std::string> outcomes;
  std::vector<std::uint64_t> kept;
};

TEST_F(Road, TheEndOfACallIsToldBeforeItsResultIsKeptAndNotAgain) {
  const auto file = audit_file.parent_path() / "toolpost.db";
  desk = std::make_shared<store::Desk>(
      loop.io.get_executor(), [file] { return store::open_sqlite_store(file, system_clock()); });
  Ends watcher(file);
  ends = &watcher;
  provider->add_answering(read_only("look"), "seen");
  const std::string with_key = R"({"idempotency_key":"k"})";
  EXPECT_THAT(call("look", with_key)->content, testing::HasSubstr("seen"));
  EXPECT_THAT(watcher.outcomes, testing::ElementsAre("ok"));
  EXPECT_THAT(watcher.kept, testing::ElementsAre(0u));
  EXPECT_EQ(watcher.results_kept(), 1u);
  EXPECT_THAT(call("look", with_key)->meta, testing::HasSubstr("replayed"));
  EXPECT_EQ(watcher.outcomes.size(), 1u);
  EXPECT_THAT(call("look")->content, testing::HasSubstr("seen"));
  EXPECT_EQ(watcher.outcomes.size(), 2u);
  desk->stop();
  desk.reset();
}

TEST_F(Road, ThroughCallToolTheSameCallMeetsTheEarlierOneToo) {
  Callers work;
  callers = &work;
  work.has = true;
  provider->add_answering(external("ship"), "shipped");
  const auto own = std::make_shared<test::FakeProvider>("toolpost", test::FakeProvider::Kind::Host);
  own->add_answering(read_only("call_tool"), "nothing was called");
  catalog.set("toolpost", own);
  const auto result = call("call_tool", R"({"name":"ship","arguments":{"a":1}})");
  EXPECT_THAT(result->content, testing::HasSubstr("earlier"));
  EXPECT_THAT(call("ship", R"({"a":1})")->content, testing::HasSubstr("earlier"));
  ASSERT_EQ(work.twins.size(), 2u);
  EXPECT_EQ(work.twins[0], work.twins[1]);
}

TEST_F(Road, ListenersHearOfACallThroughCallToolAsOfADirectOne) {
  std::vector<std::string> heard;
  on_call = [&](const tool::Call& ended, const std::string& arguments, const auto&) {
    heard.push_back(ended.name + " " + arguments);
  };
  provider->add_answering(read_only("look"), "seen");
  const auto own = std::make_shared<test::FakeProvider>("toolpost", test::FakeProvider::Kind::Host);
  own->add_answering(read_only("call_tool"), "nothing was called");
  catalog.set("toolpost", own);
  EXPECT_TRUE(call("look", R"({"a":1})"));
  EXPECT_TRUE(call("call_tool", R"({"name":"look","arguments":{"a":1}})"));
  EXPECT_TRUE(call("call_tool", R"({"name":"look"})"));
  EXPECT_TRUE(call("call_tool", R"({"name":"nothing_such","arguments":{"a":1}})"));
  EXPECT_THAT(heard, testing::ElementsAre(R"(look {"a":1})", R"(look {"a":1})", "look {}",
                                          R"(nothing_such {"a":1})"));
}

TEST_F(Road, ACallIsPreparedBeforeItsApprovalIsUsed) {
  Callers work;
  callers = &work;
  provider->add_answering(external("ship"), "shipped");
  work.may_prepare = Error{ErrorKind::Unavailable, "no room"};
  int given_back = 0;
  struct Counted final : tool::Receipt {
    explicit Counted(int& count) : given(count) {}
    boost::asio::awaitable<Result<void>> spend() override {
      ADD_FAILURE() << "used up by a call that was not handed over";
      co_return Result<void>();
    }
    boost::asio::awaitable<void> give_back() override {
      ++given;
      co_return;
    }
    int& given;
  };
  receipt = [&] { return std::make_unique<Counted>(given_back); };
  Person yes("accept");
  EXPECT_TRUE(call("ship", "{}", &yes)->is_error);
  EXPECT_EQ(work.receipts, 1u);
  EXPECT_EQ(given_back, 1);
  EXPECT_EQ(json::find_text(audited().back().root(), "outcome"), "busy");
}

TEST_F(Road, TheEndOfAHandedOverCallIsWhatItsClientGets) {
  Callers work;
  callers = &work;
  provider->add_answering(external("ship"), "shipped");
  provider->add_answering(external("post_ship"), "told");
  Person yes("accept");
  EXPECT_FALSE(call("ship", "{}", &yes)->is_error);
  EXPECT_THAT(work.checked_result, testing::HasSubstr("shipped"));
  EXPECT_THAT(work.end, testing::HasSubstr("shipped"));
}

TEST_F(Road, AnAgentsModeAndRulesAreItsOwn) {
  config.agents["looker"].mode = config::PermissionMode::Explore;
  config.agents["trusted"].rules = {{"write", {}, config::Behavior::Allow, "config.toml:1"}};
  provider->add_answering(declaration("write"), "wrote");
  const auto ends_with = [&](const char* as) {
    agent = as;
    return call("write")->content;
  };
  EXPECT_THAT(ends_with("looker"), testing::HasSubstr("Denied"));
  EXPECT_THAT(ends_with("trusted"), testing::HasSubstr("wrote"));
  EXPECT_THAT(ends_with(""), testing::HasSubstr("needs a person"));
  const auto lines = audited();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(json::find_text(lines[0].root(), "agent"), "looker");
  EXPECT_EQ(json::find_text(lines[1].root(), "rule"), "rule config.toml:1");
  EXPECT_EQ(json::find(lines[2].root(), "agent"), nullptr);
}

TEST_F(Road, RunsAReadOnlyToolUnasked) {
  provider->add_answering(read_only("look"), "seen");
  const auto result = call("look");
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->is_error);
  EXPECT_EQ(provider->started, 1);
}

TEST_F(Road, TellsHiddenAndAbsentToolsAlike) {
  for (const auto* name : {"_inner", "post_after", "priv_secret"})
    provider->add_answering(read_only(name), "no");
  std::vector<std::string> messages;
  for (const std::string name : {"_inner", "post_after", "priv_secret", "_other"}) {
    const auto result = call(name);
    ASSERT_FALSE(result.has_value()) << name;
    EXPECT_EQ(result.error().kind, ErrorKind::NotFound);
    std::string message = result.error().message;
    message.replace(message.find(name), name.size(), "X");
    messages.push_back(message);
  }
  for (const std::string& message : messages) EXPECT_EQ(message, messages.front());
  EXPECT_EQ(provider->started, 0);
}

TEST_F(Road, HidesWhatStandsInInactiveGroupsOnly) {
  tool::Declaration own = read_only("query");
  own.group = "database";
  provider->add_answering(own, "rows");
  provider->add_answering(read_only("deploy"), "done");
  provider->add_answering(read_only("look"), "seen");
  groups.resize(2);
  groups[0].name = "database";
  groups[1].name = "deployment";
  groups[1].tools = {"deploy"};
  EXPECT_EQ(call("query").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(call("deploy").error().kind, ErrorKind::NotFound);
  EXPECT_TRUE(call("look").has_value());
  groups[0].active = true;
  groups[0].tools = {"deploy"};
  EXPECT_TRUE(call("query").has_value());
  EXPECT_TRUE(call("deploy").has_value());  // one active group is enough
}

// No interceptor has seen the text of a fault.
TEST_F(Road, TheTextOfAFaultReachesNoCaller) {
  for (const ErrorKind kind : {ErrorKind::Internal, ErrorKind::Io}) {
    provider = std::make_shared<test::FakeProvider>();
    provider->add(read_only("look"), [kind](const auto& invocation) {
      invocation->finish(Error{kind, "fault sk-secret"});
    });
    const auto result = call("look");
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, kind);
    EXPECT_EQ(result.error().message.find("secret"), std::string::npos) << result.error().message;
    EXPECT_NE(result.error().message.find("the host's log"), std::string::npos);
  }
}

TEST_F(Road, TheTextOfAFaultOfAPostToolReachesNoCaller) {
  provider->add_answering(read_only("look"), "seen");
  provider->add(declaration("post_look"), [](const auto& invocation) {
    invocation->finish(Error{ErrorKind::Internal, "fault sk-secret"});
  });
  const auto result = call("look");
  EXPECT_FALSE(result->is_error);
  EXPECT_EQ(result->meta.find("secret"), std::string::npos) << result->meta;
  EXPECT_NE(result->meta.find("the host's log"), std::string::npos) << result->meta;
}

TEST_F(Road, LetsTheHostItselfCallInternalTools) {
  provider->add_answering(declaration("_inner"), "yes");
  const auto result = call("_inner", "{}", nullptr, tool::Origin::Host);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->is_error) << result->content;
}

TEST_F(Road, StopsAToolThatARuleDeniesByName) {
  provider->add_answering(read_only("look"), "seen");
  rule("look", permission::Behavior::Deny);
  const auto result = call("look", R"({"wrong":)"
                                   "1}");
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->is_error);
  EXPECT_NE(result->content.find("enied"), std::string::npos);
  EXPECT_EQ(provider->started, 0);
}

TEST_F(Road, ChecksArgumentsBeforeItAsksAnybody) {
  tool::Declaration declared = declaration("pay");
  declared.input_schema = R"({"type":"object","required":["sum"]})";
  provider->add_answering(declared, "paid");
  Person person("accept");
  const auto result = call("pay", "{}", &person);
  EXPECT_TRUE(result->is_error);
  EXPECT_EQ(person.asked, 0);
  EXPECT_EQ(provider->started, 0);
}

TEST_F(Road, AsksThePersonBeforeAToolThatWrites) {
  provider->add_answering(declaration("pay"), "paid");
  Person yes("accept");
  EXPECT_FALSE(call("pay", R"({"sum":5})", &yes)->is_error);
  EXPECT_EQ(yes.asked, 1);
  EXPECT_NE(yes.last.find(R"({\"sum\":5})"), std::string::npos);
  EXPECT_EQ(provider->started, 1);

  Person no("decline");
  const auto refused = call("pay", R"({"sum":5})", &no);
  EXPECT_TRUE(refused->is_error);
  EXPECT_NE(refused->content.find("person denied"), std::string::npos);
  EXPECT_EQ(provider->started, 1);
}

TEST_F(Road, SaysHowToAllowWhereNobodyCanBeAsked) {
  provider->add_answering(declaration("pay"), "paid");
  const auto result = call("pay");
  EXPECT_TRUE(result->is_error);
  EXPECT_NE(result->content.find("auto_approve"), std::string::npos);
  EXPECT_NE(result->content.find("[[rule]]"), std::string::npos);
  Person person("accept");
  ask_client = false;  // the operator did not list the client
  EXPECT_TRUE(call("pay", "{}", &person)->is_error);
  EXPECT_EQ(person.asked, 0);
  EXPECT_EQ(provider->started, 0);
}

TEST_F(Road, AsksAboutAPreToolWhateverRulesAndModeSay) {
  provider->add_answering(read_only("pre_pay"), "paid");
  rule("pre_pay", permission::Behavior::Allow);
  policy.mode = permission::Mode::Bypass;
  EXPECT_TRUE(call("pre_pay")->is_error);
  EXPECT_EQ(provider->started, 0);
  Person yes("accept");
  EXPECT_FALSE(call("pre_pay", "{}", &yes)->is_error);
  tool::Declaration approved = read_only("pre_pay_approved");
  approved.auto_approve = true;
  provider->add_answering(approved, "paid");
  EXPECT_FALSE(call("pre_pay_approved")->is_error);
}

TEST_F(Road, AsksNobodyWhileARequiredAuditFails) {
  provider->add_answering(declaration("pre_send"), "sent");
  audit_required = store::Audit::Required::Yes;
  Person person("accept");
  const auto folder = audit_file.parent_path();
  before_call = [&] { std::filesystem::permissions(folder, std::filesystem::perms::all); };
  const auto refused = call("pre_send", "{}", &person);
  EXPECT_THAT(refused->content, testing::HasSubstr("audit.required"));
  EXPECT_EQ(person.asked, 0);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  before_call = nullptr;
  EXPECT_THAT(call("pre_send", "{}", &person)->content, testing::HasSubstr("sent"));
  EXPECT_EQ(person.asked, 1);
}

TEST_F(Road, AsksAboutEverythingWhereTheOperatorSaysSo) {
  tool::Declaration look = read_only("look");
  look.auto_approve = false;
  provider->add_answering(look, "seen");
  EXPECT_TRUE(call("look")->is_error);
  EXPECT_EQ(provider->started, 0);
}

TEST_F(Road, AsksTheToolsOwnCheckFirst) {
  tool::Declaration declared = declaration("write");
  declared.has_check_permissions = true;
  std::string context;
  provider->add(declared, [&](const std::shared_ptr<tool::Invocation>& invocation) {
    tool::CallResult answer;
    if (invocation->function == tool::Function::CheckPermissions) {
      context = invocation->context;
      answer.structured = R"({"behavior":"deny","message":"not on a Sunday"})";
    }
    invocation->finish(answer);
  });
  const auto result = call("write");
  EXPECT_TRUE(result->is_error);
  EXPECT_NE(result->content.find("not on a Sunday"), std::string::npos);
  EXPECT_NE(context.find(R"("mode":"default")"), std::string::npos);
}

TEST_F(Road, RunsPostToolsAfterASuccessAndAttachesWhatTheySaid) {
  provider->add_answering(read_only("look"), "seen");
  tool::Declaration post = declaration("post_look");
  post.input_schema =
      R"({"type":"object","properties":{"tool":{},"arguments":{},"result":{},"call_id":{}},"additionalProperties":false})";
  std::string received;
  provider->add(post, [&](const std::shared_ptr<tool::Invocation>& invocation) {
    received = invocation->arguments;
    invocation->finish(tool::CallResult::text("noted"));
  });
  const auto result = call("look", R"({"a":1})");
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(
      received,
      R"({"tool":"look","call_id":"c1","arguments":{"a":1},"result":{"content":[{"type":"text","text":"seen"}]}})");
  EXPECT_NE(result->meta.find("noted"), std::string::npos);
  EXPECT_EQ(result->content.find("noted"), std::string::npos);
}

TEST_F(Road, RunsNoPostToolAfterACallThatItsClientCannotBeAskedAbout) {
  provider->add(read_only("look"), [](const auto& invocation) {
    tool::CallResult result;
    result.lacking = R"({"roots":{}})";
    invocation->finish(std::move(result));
  });
  int posts = 0;
  provider->add(declaration("post_look"), [&](const auto& invocation) {
    ++posts;
    invocation->finish(tool::CallResult::text("noted"));
  });
  const auto result = call("look");
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->lacking, R"({"roots":{}})");
  EXPECT_EQ(posts, 0);
}

TEST_F(Road, RunsNoPostToolAfterAFailureAndUndoesNothingByOne) {
  provider->add(read_only("look"), [](const auto& invocation) {
    invocation->finish(tool::CallResult::error("could not look"));
  });
  int posts = 0;
  provider->add(declaration("post_look"), [&](const auto& invocation) {
    ++posts;
    invocation->finish(Error{ErrorKind::PluginFault, "broken"});
  });
  (void)call("look");
  EXPECT_EQ(posts, 0);
  provider = std::make_shared<test::FakeProvider>();
  provider->add_answering(read_only("look"), "seen");
  provider->add(declaration("post_look"), [&](const auto& invocation) {
    invocation->finish(Error{ErrorKind::PluginFault, "broken"});
  });
  const auto result = call("look");
  EXPECT_FALSE(result->is_error);
  EXPECT_NE(result->meta.find("broken"), std::string::npos);
}

TEST_F(Road, StopsAPostToolByADenyRule) {
  provider->add_answering(read_only("look"), "seen");
  provider->add_answering(declaration("post_look"), "noted");
  rule("post_look", permission::Behavior::Deny);
  const auto result = call("look");
  EXPECT_NE(result->meta.find("\"isError\":true"), std::string::npos);
  EXPECT_EQ(provider->started, 1);
}

TEST_F(Road, SaysWhenACallHasPassedItsGates) {
  provider->add_answering(declaration("write"), "written");
  int cleared = 0;
  on_cleared = [&]() -> Result<void> {
    ++cleared;
    EXPECT_EQ(provider->started, 0);
    return {};
  };
  EXPECT_TRUE(call("write")->is_error);  // nobody allowed it
  EXPECT_EQ(cleared, 0);
  Person person("accept");
  EXPECT_FALSE(call("write", "{}", &person)->is_error);
  EXPECT_EQ(cleared, 1);
  EXPECT_EQ(provider->started, 1);

  on_cleared = []() -> Result<void> { return Error{ErrorKind::Unavailable, "no room"}; };
  EXPECT_EQ(call("write", "{}", &person).error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(provider->started, 1);
}

TEST_F(Road, NamesPostToolsInTheQuestionThatCoversThem) {
  provider->add_answering(declaration("pay"), "paid");
  provider->add_answering(declaration("post_pay"), "noted");
  Person yes("accept");
  (void)call("pay", "{}", &yes);
  EXPECT_NE(yes.last.find("post_pay"), std::string::npos);
}

TEST_F(Road, TurnsAPluginsFaultIntoAnAnswerForTheModel) {
  provider->add(read_only("look"), [](const auto& invocation) {
    invocation->finish(Error{ErrorKind::PluginFault, "the worker died by SIGSEGV"});
  });
  const auto result = call("look");
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->is_error);
  EXPECT_NE(result->content.find("SIGSEGV"), std::string::npos);
}

TEST_F(Road, RecordsEveryOutcomeDenialsIncluded) {
  provider->add_answering(read_only("look"), "seen");
  provider->add_answering(declaration("pay"), "paid");
  rule("stop", permission::Behavior::Deny);
  provider->add_answering(read_only("stop"), "no");
  (void)call("look", R"({"a":1})");
  (void)call("pay");
  (void)call("stop");
  (void)call("absent");
  const auto lines = audited();
  ASSERT_EQ(lines.size(), 4u);
  const std::vector<std::string> outcomes = {"ok", "needs_approval", "denied", "not_found"};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(json::find_text(lines[i].root(), "outcome"), outcomes[i]);
  EXPECT_EQ(json::find_text(lines[0].root(), "args_sha256").size(), 64u);
  EXPECT_EQ(json::find_text(lines[0].root(), "provider"), "fake");
  EXPECT_EQ(json::find_text(lines[2].root(), "decision"), "deny");
  EXPECT_EQ(json::find(lines[0].root(), "arguments"), nullptr);  // their digest, never themselves
}

TEST_F(Road, AnOperatorsEndIsAnAnswerAndTheAskersOwnIsNot) {
  std::vector<std::shared_ptr<tool::Invocation>> given_up;
  std::vector<tool::Phase> phases;
  Cancel::By by = Cancel::By::Operator;
  provider->add(read_only("look"), [&](const auto& invocation) {
    given_up.push_back(invocation);
    const tool::Call* const here = live.find("c1");
    ASSERT_NE(here, nullptr);
    phases.push_back(here->phase);
    const auto cancel = here->cancel;
    cancel->request(by);
  });
  const auto ended = call("look");
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->is_error);
  EXPECT_NE(ended->content.find("An operator ended this call"), std::string::npos);
  by = Cancel::By::Asker;
  const auto taken_back = call("look");
  ASSERT_FALSE(taken_back);
  EXPECT_EQ(taken_back.error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(phases, std::vector<tool::Phase>(2, tool::Phase::Running));
  EXPECT_EQ(live.size(), 0u);
  const auto lines = audited();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(json::find_text(lines[0].root(), "outcome"), "ended_by_operator");
  EXPECT_EQ(json::find_text(lines[1].root(), "outcome"), "cancelled");
  for (const auto& one : given_up) one->finish(Error{ErrorKind::Cancelled, "late"});
}

TEST_F(Road, AnEndByTheHostIsAnAnswerThatSaysWhy) {
  std::vector<std::shared_ptr<tool::Invocation>> given_up;
  Cancel::By by = Cancel::By::Stop;
  provider->add(read_only("look"), [&](const auto& invocation) {
    given_up.push_back(invocation);
    const auto cancel = live.find("c1")->cancel;
    cancel->request(by);
  });
  const auto stopped = call("look");
  ASSERT_TRUE(stopped && stopped->is_error);
  EXPECT_NE(stopped->content.find("This host is stopping and ended this call of"),
            std::string::npos);
  by = Cancel::By::Credential;
  const auto expired = call("look");
  ASSERT_TRUE(expired && expired->is_error);
  EXPECT_NE(expired->content.find("is not valid any more, so the host ended it"),
            std::string::npos);
  live.close();
  const auto late = call("look");
  ASSERT_TRUE(late && late->is_error);
  EXPECT_NE(late->content.find("This host is stopping and takes no new calls"), std::string::npos);
  const auto lines = audited();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(json::find_text(lines[0].root(), "outcome"), "ended_by_stop");
  EXPECT_EQ(json::find_text(lines[1].root(), "outcome"), "ended_by_credential");
  EXPECT_EQ(json::find_text(lines[2].root(), "outcome"), "refused_by_stop");
  EXPECT_EQ(given_up.size(), 2u);
  for (const auto& one : given_up) one->finish(Error{ErrorKind::Cancelled, "late"});
}

TEST_F(Road, APluginsCallReachesInternalToolsAndWhatAPeerSees) {
  provider->add_answering(declaration("_inner"), "inner");
  provider->add_answering(read_only("shown"), "shown");
  provider->add_answering(declaration("post_shown"), "post");
  provider->add_answering(declaration("priv_x"), "private");
  const auto as_plugin = [this](const std::string& name) {
    return call(name, "{}", nullptr, tool::Origin::Plugin);
  };
  EXPECT_TRUE(as_plugin("_inner"));
  EXPECT_TRUE(as_plugin("shown"));
  for (const char* name : {"post_shown", "priv_x"}) {
    const auto refused = as_plugin(name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().kind, ErrorKind::NotFound);
  }
}

}  // namespace
}  // namespace host::router
