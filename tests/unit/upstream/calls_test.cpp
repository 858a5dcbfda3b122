// Calls whose upstream asks the client meanwhile. The upstream is the test.
#include "upstream/call/calls.h"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include <deque>
#include <future>

#include "fake_transport.h"
#include "upstream/call/ended_calls.h"
#include "upstream/call/round_state.h"
#include "upstream/provider/served_tools.h"

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kQuestion =
    R"("method":"elicitation/create","params":{"message":"Who?","requestedSchema":{}}})";
constexpr const char* kShown =
    R"({"message":"The upstream \"u\" asks: Who?","requestedSchema":{}})";

class QuestionsTest : public ::testing::Test {
 protected:
  // One run of a call, as the executor makes it.
  struct Run {
    std::shared_ptr<tool::Invocation> invocation;
    std::optional<Result<tool::CallResult>> result;

    bool asks() const { return result && *result && (*result)->round; }
    const tool::Round& round() const { return *(*result)->round; }
    std::string text() const { return result && *result ? (*result)->content : words(); }
    std::string words() const {
      if (!result) return "nothing yet";
      return *result ? (*result)->structured : (*result).error().message;
    }
  };

  QuestionsTest() {
    settings_.upstream = "u";
    settings_.secrets = std::make_shared<Secrets>();
    settings_.passed_on = {true, true, true, true, true};
    connect({});
  }

  void open(ConnectionSettings connection, Era era) {
    connection.close_timeout = 1ms;
    connection_ =
        std::make_unique<Connection>(io_.get_executor(), std::make_unique<FakeTransport>(server_),
                                     std::move(connection), Connection::Events{});
    connection_->open(era);
  }
  void connect(ConnectionSettings connection) {
    open(std::move(connection), Era::Legacy);
    say(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},)"
        R"("serverInfo":{"name":"s","version":"1"}}})");
  }

  void make() {
    calls_ = std::make_shared<Calls>(
        io_.get_executor(), settings_,
        Calls::Line{[this] { return connection_.get(); }, [] {},
                    [](const tool::Tool&, const std::string&) { return std::string(); },
                    [this] { ++idle_; }});
  }
  void say(const std::string& text) { server_->listener->message(text, {}); }
  void ask(const std::string& id) { say(R"({"jsonrpc":"2.0","id":)" + id + "," + kQuestion); }
  void answer(const Outgoing& request, const std::string& text) {
    say(R"({"jsonrpc":"2.0","id":)" + request.id +
        R"(,"result":{"contents":[{"uri":"a:b","text":")" + text + R"("}]}})");
  }
  std::string last() const { return server_->sent.back().text; }

  // A run of a request that only reads.
  Run& run(const tool::Continuation& resumed = {}, const std::string& principal = "ada") {
    return begin(nullptr, resumed, principal);
  }
  // A run of a tool that can change something.
  Run& write(const tool::Continuation& resumed = {}) { return begin(writer_, resumed, "ada"); }
  Run& begin(std::shared_ptr<const tool::Tool> tool, const tool::Continuation& resumed,
             const std::string& principal) {
    Run& made = *runs_.emplace_back(std::make_unique<Run>());
    made.invocation = std::make_shared<tool::Invocation>();
    made.invocation->function = tool ? tool::Function::Call : tool::Function::ReadResource;
    if (tool) made.invocation->arguments = "{}";
    made.invocation->tool = std::move(tool);
    made.invocation->abilities = {true, urls_, true, false, false};
    made.invocation->continuation = resumed;
    auto passport = std::make_shared<tool::Passport>();
    passport->who.principal = principal;
    made.invocation->passport = std::move(passport);
    made.invocation->set_on_finish(
        [&made](Result<tool::CallResult> result) { made.result = std::move(result); });
    calls_->take(made.invocation, {"a:b", Listed::ByUpstream});
    return made;
  }
  tool::Continuation answered(const Run& asked) {
    tool::Continuation resumed;
    resumed.state = asked.round().state;
    for (const tool::Question& question : asked.round().questions)
      resumed.answers.emplace(question.key, R"({"action":"decline","_meta":{}})");
    return resumed;
  }

  boost::asio::io_context io_;
  std::shared_ptr<FakeTransport::State> server_ = std::make_shared<FakeTransport::State>();
  std::unique_ptr<Connection> connection_;
  CallSettings settings_;
  std::shared_ptr<Calls> calls_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::shared_ptr<const tool::Tool> writer_ =
      served_tools(
          [] {
            config::Upstream made;
            made.name = "u";
            return made;
          }(),
          {R"({"name":"t","inputSchema":{"type":"object"}})"})
          .tools.at(0);
  bool urls_ = false;  // whether the clients of later runs can open URLs
  int idle_ = 0;
};

TEST_F(QuestionsTest, TheNextRunBringsTheAnswer) {
  make();
  const Run& first = run();
  const Outgoing request = server_->sent.back();
  ask("7");
  ASSERT_TRUE(first.asks());
  EXPECT_EQ(first.round().questions.at(0).params, kShown);
  EXPECT_EQ(calls_->running(), 1u);
  ask("8");  // while it is parked: asked next
  const Run& second = run(answered(first));
  EXPECT_EQ(last(), R"({"jsonrpc":"2.0","id":7,"result":{"action":"decline"}})");
  ASSERT_TRUE(second.asks());
  const Run& third = run(answered(second));
  EXPECT_THAT(last(), HasSubstr(R"("id":8)"));
  EXPECT_EQ(third.words(), "nothing yet");
  answer(request, "done");
  EXPECT_THAT(third.words(), HasSubstr("done"));
  EXPECT_EQ(idle_, 1);
}

TEST_F(QuestionsTest, AClientThatLacksACapabilityOfTheUpstreamHearsWhich) {
  const auto refuse = [&](const std::string& required) {
    say(R"({"jsonrpc":"2.0","id":)" + server_->sent.back().id +
        R"(,"error":{"code":-32021,"message":"no","data":{"requiredCapabilities":)" + required +
        "}}}");
  };
  make();
  const Run& lacking = run();
  refuse(R"({"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{}}})");
  ASSERT_TRUE(lacking.result && *lacking.result);
  EXPECT_EQ((*lacking.result)->lacking, R"({"sampling":{"tools":{}},"roots":{}})");
  EXPECT_TRUE((*lacking.result)->is_error);
  const Run& able = run();
  refuse(R"({"sampling":{}})");
  EXPECT_THAT(able.words(), HasSubstr("refused"));
  // It would not help the client to have what the operator does not pass on.
  settings_.passed_on = {};
  make();
  const Run& unable = run();
  refuse(R"({"roots":{}})");
  EXPECT_THAT(unable.words(), HasSubstr("refused"));
}

// An upstream of the test that sends long results. They are parsed and made into results on a
// thread of the test, which the test can stop.
class LongResultsTest : public QuestionsTest {
 protected:
  LongResultsTest() {
    settings_.jobs = jobs_;
    ConnectionSettings connection;
    connection.jobs = jobs_;
    connect(std::move(connection));
    make();
  }
  // Jobs that begin later wait until release().
  void block() {
    auto gate = std::make_shared<std::promise<void>>();
    jobs_->run(
        [wait = gate->get_future().share()] {
          wait.wait();
          return false;
        },
        [] {});
    gates_.push_back(std::move(gate));
  }
  void release() {
    gates_.front()->set_value();
    gates_.pop_front();
  }

  void wait_until_in_flight(std::size_t requests) {
    while (connection_->in_flight() > requests) io_.run_one();
  }

  const std::shared_ptr<JobThread> jobs_ = std::make_shared<JobThread>(io_.get_executor());
  std::deque<std::shared_ptr<std::promise<void>>> gates_;
};

TEST_F(LongResultsTest, OtherCallsEndWhileALongResultIsMade) {
  const Run& big = run();
  const Outgoing request = server_->sent.back();
  block();
  answer(request, std::string(100'000, 'x'));  // its parsing waits for the first gate
  block();                                     // what follows its parsing, for the second
  const Run& small = run();
  EXPECT_TRUE(server_->is_paused);
  release();
  wait_until_in_flight(1);
  answer(server_->sent.back(), "short");
  EXPECT_THAT(small.words(), HasSubstr("short"));
  EXPECT_EQ(big.words(), "nothing yet");
  EXPECT_TRUE(server_->is_paused);
  EXPECT_EQ(calls_->running(), 1u);
  release();
  while (!big.result) io_.run_one();
  EXPECT_THAT(big.words(), HasSubstr("xxx"));
  EXPECT_FALSE(server_->is_paused);
  EXPECT_EQ(idle_, 1);
}

TEST_F(LongResultsTest, ACallThatIsGivenUpMeanwhileEndsOnce) {
  const Run& big = run();
  block();
  answer(server_->sent.back(), std::string(100'000, 'x'));
  block();
  release();
  wait_until_in_flight(0);
  calls_->give_up(big.invocation);
  EXPECT_EQ(big.words(), "the call was cancelled");
  release();
  while (server_->is_paused) io_.run_one();
  EXPECT_EQ(big.words(), "the call was cancelled");
  EXPECT_EQ(idle_, 1);
}

TEST_F(LongResultsTest, ACallWhoseUpstreamIsGoneMeanwhileEnds) {
  const Run& big = run();
  block();
  answer(server_->sent.back(), std::string(100'000, 'x'));
  block();
  release();
  wait_until_in_flight(0);
  calls_.reset();
  connection_.reset();
  release();
  while (!big.result) io_.run_one();
  EXPECT_THAT(big.words(), HasSubstr("xxx"));
}

TEST_F(QuestionsTest, AResultThatCameMeanwhileIsForTheNextRun) {
  make();
  const Run& first = run();
  const Outgoing request = server_->sent.back();
  ask("7");
  answer(request, "without an answer");
  const Run& second = run(answered(first));
  EXPECT_THAT(second.words(), HasSubstr("without an answer"));
}

// A server that waits no longer for its user answers the call, or dies.
TEST_F(QuestionsTest, ACallThatEndsWhileItAsksNeedsNoAnswerAnyMore) {
  make();
  const Run& first = run();
  const Outgoing request = server_->sent.back();
  ask("7");
  const auto over = first.round().over;
  ASSERT_NE(over, nullptr);
  EXPECT_FALSE(over->requested());
  answer(request, "without an answer");
  EXPECT_TRUE(over->requested());
  tool::Continuation unanswered;
  unanswered.state = first.round().state;
  EXPECT_THAT(run(unanswered).words(), HasSubstr("without an answer"));
  const Run& second = run();
  ask("8");
  calls_->retire("it was removed");
  EXPECT_TRUE(second.round().over->requested());
}

TEST_F(QuestionsTest, APrincipalWithManyParkedCallsMakesRoomForOthers) {
  settings_.most_parked = 3;
  make();
  int questions = 0;
  const auto say_of = [&](const std::string& text) {
    server_->listener->message(text, server_->sent.back().id);
  };
  const auto run_and_ask = [&](const std::string& principal) -> const Run& {
    const Run& made = run({}, principal);
    say_of(R"({"jsonrpc":"2.0","id":)" + std::to_string(++questions) + "," + kQuestion);
    return made;
  };
  const Run& oldest = run_and_ask("ada");
  run_and_ask("ada");
  run_and_ask("ada");
  EXPECT_FALSE(run_and_ask("ada").asks()) << "one that has the most makes no room for itself";
  EXPECT_FALSE(oldest.round().over->requested());
  run({}, "bob");
  say_of(R"({"jsonrpc":"2.0","id":9,"method":"roots/list"})");
  EXPECT_THAT(last(), HasSubstr("it lacks roots"));
  EXPECT_FALSE(oldest.round().over->requested()) << "nobody gets its place";
  EXPECT_TRUE(run_and_ask("bob").asks());
  EXPECT_TRUE(oldest.round().over->requested());
  EXPECT_FALSE(run_and_ask("bob").asks()) << "none has many more than another";
  EXPECT_THAT(last(), HasSubstr("limits.upstream_parked_calls"));
}

TEST_F(QuestionsTest, ACallWithAResultIsGivenUpLastAndItsClientHearsThatItMayHaveActed) {
  settings_.most_parked = 2;
  make();
  int questions = 0;
  const auto ask_in = [&](const Run& made) -> const Run& {
    server_->listener->message(
        R"({"jsonrpc":"2.0","id":)" + std::to_string(++questions) + "," + kQuestion,
        server_->sent.back().id);
    return made;
  };
  const Run& finished = run();
  const Outgoing request = server_->sent.back();
  ask_in(finished);
  answer(request, "without an answer");
  const Run& open = ask_in(write());
  ASSERT_TRUE(ask_in(run({}, "bob")).asks());
  EXPECT_TRUE(open.round().over->requested());
  const std::string words = write(answered(open)).text();
  EXPECT_THAT(words, HasSubstr("limits.upstream_parked_calls"));
  EXPECT_THAT(words, HasSubstr("find out before you call again"));
  EXPECT_THAT(run(answered(finished)).words(), HasSubstr("without an answer"));
}

TEST_F(QuestionsTest, ACallThatNobodyTakesUpEnds) {
  settings_.park_timeout = 1ms;
  make();
  const Run& first = run();
  ask("7");
  ASSERT_TRUE(first.asks());
  io_.run();
  EXPECT_THAT(last(), HasSubstr(R"({"action":"cancel"})"));
  EXPECT_THAT(server_->cancelled, SizeIs(1));
  EXPECT_EQ(idle_, 1);
  EXPECT_THAT(run(answered(first)).words(), HasSubstr("too late"));
}

TEST_F(QuestionsTest, AnAbandonedCallEndsAtOnce) {
  make();
  const Run& first = run();
  ask("7");
  calls_->abandon("another state");
  EXPECT_EQ(calls_->running(), 1u);
  calls_->abandon(first.round().state);
  EXPECT_EQ(calls_->running(), 0u);
  EXPECT_THAT(server_->cancelled, SizeIs(1));
}

// A time limit that is left would keep the event loop of a host that stops from ending.
TEST_F(QuestionsTest, NoParkedCallIsLeftWhenItsUpstreamEnds) {
  settings_.park_timeout = std::chrono::hours(24);
  make();
  const Run& first = run();
  ask("7");
  ASSERT_TRUE(first.asks());
  calls_->abandon_all();
  EXPECT_EQ(calls_->running(), 0u);
  connection_.reset();
  io_.run();
}

TEST_F(QuestionsTest, OnlyItsOwnCallerTakesItUp) {
  make();
  const Run& first = run();
  ask("7");
  EXPECT_THAT(run(answered(first), "bob").words(), HasSubstr("too late"));
  EXPECT_EQ(calls_->running(), 1u);
  run(answered(first));
  EXPECT_THAT(last(), HasSubstr(R"("id":7,"result")"));
}

TEST_F(QuestionsTest, WhatItsClientCannotBeAskedIsRefused) {
  settings_.most_parked = 1;
  make();
  const Run& first = run();
  say(R"({"jsonrpc":"2.0","id":5,"method":"roots/list"})");
  EXPECT_THAT(last(), HasSubstr("it lacks roots"));
  EXPECT_EQ(first.words(), "nothing yet");
  ask("6");
  ASSERT_TRUE(first.asks());
  const Run& other = run();
  ask("7");  // for the newest call of this client
  EXPECT_THAT(last(), HasSubstr("limits.upstream_parked_calls"));
  EXPECT_EQ(other.words(), "nothing yet");
}

TEST_F(QuestionsTest, AConnectionThatEndsFailsTheNextRun) {
  make();
  const Run& first = write();
  ask("7");
  ASSERT_TRUE(first.asks());
  server_->listener->ended(Error{ErrorKind::Unavailable, "exited"});
  EXPECT_TRUE(first.round().over->requested());
  EXPECT_THAT(write(answered(first)).text(), HasSubstr("exited"));
  EXPECT_EQ(calls_->running(), 0u);
}

// As a call that asks nothing is.
TEST_F(QuestionsTest, AParkedCallThatOnlyReadsIsSentOnceMoreAfterItsConnectionEnded) {
  make();
  const Run& first = run();
  ask("7");
  server_->listener->ended(Error{ErrorKind::Unavailable, "exited"});
  EXPECT_TRUE(first.round().over->requested());
  connect({});
  const Run& next = run(answered(first));
  EXPECT_EQ(next.words(), "nothing yet");
  EXPECT_THAT(last(), HasSubstr("resources/read"));
  EXPECT_THAT(last(), Not(HasSubstr("io.toolpost")));
  ask("8");
  ASSERT_TRUE(next.asks());
  server_->listener->ended(Error{ErrorKind::Unavailable, "exited again"});
  connect({});
  EXPECT_THAT(run(answered(next)).words(), HasSubstr("exited again"));
  EXPECT_EQ(calls_->running(), 0u);
}

TEST_F(QuestionsTest, ACallThatPerhapsArrivedFailsWithAWarningWhateverTheReasonIs) {
  make();
  for (const ErrorKind kind :
       {ErrorKind::DeadlineExceeded, ErrorKind::Io, ErrorKind::PluginFault, ErrorKind::Denied}) {
    const Run& call = write();
    const std::string id = server_->sent.back().id;
    server_->listener->failed(id, Reached::Perhaps, Error{kind, "no answer"});
    EXPECT_THAT(call.text(), HasSubstr("may have carried out the call")) << to_string(kind);
    EXPECT_TRUE(call.invocation->may_have_acted) << to_string(kind);
    const Run& reading = run();
    server_->listener->failed(server_->sent.back().id, Reached::Perhaps, Error{kind, "no answer"});
    EXPECT_THAT(reading.words(), HasSubstr("You can call again")) << to_string(kind);
  }
  const Run& unsent = run();
  server_->listener->failed(server_->sent.back().id, Reached::No, Error{ErrorKind::Io, "no way"});
  EXPECT_THAT(unsent.words(), Not(HasSubstr("may have carried out")));
}

TEST_F(QuestionsTest, RetiredCallsGoOnAndNoOtherOneIsTaken) {
  make();
  const Run& goes_on = run();
  const Outgoing first = server_->sent.back();
  const Run& other = run();
  const Outgoing second = server_->sent.back();
  EXPECT_NE(first.id, second.id);
  const std::size_t sent = server_->sent.size();
  calls_->retire("it was removed");
  const Run& late = run();
  EXPECT_THAT(late.words(), HasSubstr("it was removed"));
  EXPECT_EQ(server_->sent.size(), sent);
  EXPECT_EQ(goes_on.words(), "nothing yet");
  answer(first, "done");
  EXPECT_THAT(goes_on.words(), HasSubstr("done"));
  EXPECT_EQ(idle_, 0);
  answer(second, "done");
  EXPECT_THAT(other.words(), HasSubstr("done"));
  EXPECT_EQ(idle_, 1);
}

TEST_F(QuestionsTest, RetiredItAsksNoClientAnyMore) {
  make();
  const Run& parked = run();
  ask("7");
  ASSERT_TRUE(parked.asks());
  EXPECT_EQ(calls_->running(), 1u);
  calls_->retire("it was removed");
  EXPECT_EQ(calls_->running(), 0u);  // nobody can answer any more
  EXPECT_EQ(idle_, 1);
  EXPECT_THAT(run(answered(parked)).words(), HasSubstr("was changed or removed: call again"));
}

// ---- questions as a result (2026-07-28)

class RoundsTest : public QuestionsTest {
 protected:
  RoundsTest() {
    open({}, Era::Unknown);
    end_with(R"("supportedVersions":["2026-07-28"],"capabilities":{})");
    make();
  }
  void end_with(const std::string& members) {
    say(R"({"jsonrpc":"2.0","id":)" + server_->sent.back().id + R"(,"result":{)" + members + "}}");
  }
  // A run of a call that the upstream answers with questions.
  const Run& asks(const std::string& requests, const std::string& state = "s",
                  const tool::Continuation& resumed = {}) {
    const Run& made = run(resumed);
    end_with(R"("resultType":"input_required","requestState":")" + state +
             R"(","inputRequests":{)" + requests + "}");
    return made;
  }
  static std::string form(const std::string& key, const std::string& message = "Who?") {
    return "\"" + key + R"(":{"method":"elicitation/create","params":{"message":")" + message +
           R"(","requestedSchema":{},"_meta":{"a":1}}})";
  }
};

TEST_F(RoundsTest, TheAnswersReachTheUpstreamWithItsState) {
  const Run& first = asks(form("q"));
  ASSERT_TRUE(first.asks());
  EXPECT_EQ(first.round().questions.at(0).params, kShown);
  run(answered(first));
  EXPECT_THAT(last(), HasSubstr(R"("inputResponses":{"q":)"));
  EXPECT_THAT(last(), HasSubstr(R"("requestState":"s")"));
}

TEST_F(RoundsTest, AKindThatTheOperatorOrTheClientDoesNotAllowEndsTheCall) {
  EXPECT_THAT(asks(R"("q":{"method":"roots/list"})").words(), HasSubstr("it lacks roots"));
  settings_.passed_on = {.roots = true};
  make();
  EXPECT_THAT(
      asks(form("q")).words(),
      HasSubstr("`questions` of its [[upstream]] section does not allow it: it lacks elicitation"));
  EXPECT_THAT(asks(R"("q":{"method":"sampling/createMessage","params":{"messages":[]}})").words(),
              HasSubstr("it lacks sampling"));
  EXPECT_EQ(calls_->running(), 0u);
}

TEST_F(RoundsTest, AnUpstreamThatAsksInVainMayHaveCarriedOutAPart) {
  const std::string members =
      R"("resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}})";
  const Run& writing = write();
  end_with(members);
  EXPECT_THAT(writing.text(), HasSubstr("it lacks roots"));
  EXPECT_THAT(writing.text(), HasSubstr("may have carried out a part of the call"));
  EXPECT_TRUE(writing.invocation->may_have_acted);
  const Run& reading = run();
  end_with(members);
  EXPECT_THAT(reading.words(), Not(HasSubstr("may have carried out")));
  EXPECT_FALSE(reading.invocation->may_have_acted);
}

TEST_F(RoundsTest, MalformedQuestionsAndKeysOfTheHostAreAFault) {
  for (const std::string& wrong :
       {std::string(R"("q":{"method":"tools/call","params":{}})"), std::string(R"("q":7)"),
        std::string(R"("q":{"method":"elicitation/create","params":{}})"), form(""),
        form(std::string(129, 'q')), form("toolpost.approval.0"), form("toolpost.code.1"),
        form("q", std::string(300u << 10u, 'x'))}) {
    const Run& only = asks(wrong);
    EXPECT_FALSE(only.asks()) << wrong.substr(0, 100);
    EXPECT_THAT(only.words(), HasSubstr("is faulty: ")) << wrong.substr(0, 100);
  }
  EXPECT_THAT(asks(form("q"), std::string((64u << 10u) + 1, 's')).words(), HasSubstr("is faulty"));
}

TEST_F(RoundsTest, NoCallAsksMoreQuestionsThanItMay) {
  tool::Continuation resumed;
  resumed.state = bound_state(settings_.server, "s");
  for (int number = 0; number < 63; ++number)
    resumed.answers.emplace("q" + std::to_string(number), "{}");
  EXPECT_TRUE(asks(form("last"), "s", resumed).asks());
  EXPECT_THAT(asks(form("last") + "," + form("next"), "s", resumed).words(),
              HasSubstr("64 questions"));
}

TEST_F(RoundsTest, TheUpstreamGetsTheAnswersOfItsQuestions) {
  run({});
  EXPECT_THAT(last(), Not(HasSubstr("inputResponses")));
  run({bound_state(settings_.server, "s"), {{"q", R"({"action":"accept"})"}}});
  EXPECT_THAT(last(), HasSubstr(R"("inputResponses":{"q":{"action":"accept"}})"));
}

TEST_F(RoundsTest, AServerThatDidNotAskGetsNeitherTheStateNorTheAnswers) {
  settings_.server = "a";
  make();
  const Run& read = asks(form("q"), "of a");
  ASSERT_TRUE(read.asks());
  const Run& written = write();
  end_with(R"("resultType":"input_required","inputRequests":{)" + form("q") + "}");
  ASSERT_TRUE(written.asks());
  settings_.server = "b";
  make();
  const std::size_t sent = server_->sent.size();
  const Run& reads = run(answered(read));
  EXPECT_THAT(reads.words(), HasSubstr("another server answers now: call again"));
  EXPECT_FALSE(reads.invocation->may_have_acted);
  const Run& writes = write(answered(written));
  EXPECT_THAT(writes.text(), HasSubstr("It may have carried out the call: find out before"));
  EXPECT_TRUE(writes.invocation->may_have_acted);
  EXPECT_FALSE(writes.invocation->refused);
  const Run& unknown = run({"of nobody", {}});
  EXPECT_THAT(unknown.words(), HasSubstr("the call that asked has ended"));
  const Run& stateless = run({"", {{"q", "{}"}}});
  EXPECT_THAT(stateless.words(), HasSubstr("the call that asked has ended"));
  EXPECT_THAT(server_->sent, SizeIs(sent));
  // As after a start of the host with the first section.
  settings_.server = "a";
  make();
  run(answered(read));
  EXPECT_THAT(last(), HasSubstr(R"("requestState":"of a")"));
  write(answered(written));
  EXPECT_THAT(last(), HasSubstr(R"("inputResponses":{"q":)"));
  EXPECT_THAT(last(), Not(HasSubstr("requestState"))) << "the upstream gave none";
}

TEST_F(RoundsTest, AStateThatLooksLikeOneOfTheHostReachesItsUpstream) {
  for (const char* const state :
       {"io.toolpost/parked:x", "io.toolpost/urls:1::x", "io.toolpost/asked::x"}) {
    const Run& first = asks(form("q"), state);
    ASSERT_TRUE(first.asks());
    run(answered(first));
    EXPECT_THAT(last(), HasSubstr(R"("requestState":")" + std::string(state) + "\""));
  }
}

// The server would begin the call once more, and ignore the answers.
TEST_F(RoundsTest, AServerThatNowSpeaksAnEarlierProtocolDoesNotGetTheCallAgain) {
  const Run& asked = write();
  end_with(R"("resultType":"input_required","inputRequests":{)" + form("q") + "}");
  ASSERT_TRUE(asked.asks());
  connect({});
  const std::size_t sent = server_->sent.size();
  const Run& again = write(answered(asked));
  EXPECT_THAT(again.text(), HasSubstr("an earlier protocol version"));
  EXPECT_TRUE(again.invocation->may_have_acted);
  EXPECT_THAT(server_->sent, SizeIs(sent));
}

TEST_F(QuestionsTest, AServerThatNowSpeaksALaterProtocolGetsNoAnswerToAParkedCall) {
  make();
  const Run& parked = write();
  ask("7");
  ASSERT_TRUE(parked.asks());
  settings_.server = "b";
  make();
  open({}, Era::Unknown);
  say(R"({"jsonrpc":"2.0","id":)" + server_->sent.back().id +
      R"(,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}})");
  const std::size_t sent = server_->sent.size();
  EXPECT_THAT(write(answered(parked)).text(), HasSubstr("the call that asked has ended"));
  EXPECT_THAT(server_->sent, SizeIs(sent));
}

TEST_F(RoundsTest, RetiredItNeedsNoMoreAnswers) {
  const Run& asked = write();
  end_with(R"("resultType":"input_required","inputRequests":{)" + form("q") + "}");
  ASSERT_TRUE(asked.asks());
  ASSERT_TRUE(asked.round().over);
  EXPECT_FALSE(asked.round().over->requested());
  calls_->retire("it was removed");
  EXPECT_TRUE(asked.round().over->requested());
  const Run& again = write({asked.round().state, {}});
  EXPECT_THAT(again.text(), HasSubstr("it was removed. If you called with a requestState, call"));
  EXPECT_TRUE(again.invocation->refused) << "its state and answers are good for a later call";
}

// ---- an upstream that has ended

TEST_F(RoundsTest, AnUpstreamThatHasEndedSaysWhy) {
  EndedCalls ended("u", settings_.secrets);
  ended.set_reason("it was removed from the configuration");
  const auto take = [&](const tool::Continuation& resumed) {
    auto invocation = std::make_shared<tool::Invocation>();
    invocation->tool = writer_;
    invocation->continuation = resumed;
    std::string text;
    invocation->set_on_finish(
        [&](const Result<tool::CallResult>& result) { text = result->content; });
    ended.take(invocation, {"t"});
    return std::make_pair(invocation, text);
  };
  const auto [fresh, removed] = take({});
  EXPECT_THAT(removed, HasSubstr(R"(The upstream \"u\" did not answer: it was removed)"));
  EXPECT_TRUE(fresh->refused);
  EXPECT_FALSE(fresh->may_have_acted);
  const auto [resumable, later] = take({bound_state(settings_.server, "s"), {}});
  EXPECT_THAT(later, HasSubstr("call again with the same requestState"));
  EXPECT_TRUE(resumable->refused);
  const auto [begun, changed] = take({"s", {}});
  EXPECT_THAT(changed, HasSubstr("it was removed from the configuration"));
  EXPECT_THAT(changed, HasSubstr("It may have carried out the call"));
  EXPECT_FALSE(begun->refused);
  EXPECT_TRUE(begun->may_have_acted);
}

// ---- a session that the upstream has forgotten

// The upstream can have carried out the call before it answered.
TEST_F(QuestionsTest, ACallThatMayBeRepeatedIsSentOnceMoreIfItsErrorNamesALostSession) {
  make();
  const auto lose = [&] {
    const protocol::Id id = server_->sent.back().id;
    server_->listener->names_lost_session(id);
    say(R"({"jsonrpc":"2.0","id":)" + id +
        R"(,"error":{"code":-32600,"message":"expired session"}})");
    server_->listener->ended({ErrorKind::NotFound, "it has forgotten the session"});
    connect({});
  };
  const Run& reads = run();
  lose();
  EXPECT_EQ(reads.words(), "nothing yet");
  calls_->connected();
  answer(server_->sent.back(), "hi");
  EXPECT_THAT(reads.words(), HasSubstr("hi"));
  const Run& unlucky = run();
  lose();
  calls_->connected();
  lose();
  EXPECT_THAT(unlucky.words(), HasSubstr("expired session"));
  const Run& writes = write();
  const std::size_t sent = server_->sent.size();
  lose();
  EXPECT_THAT(writes.text(), HasSubstr("expired session"));
  EXPECT_THAT(server_->sent, SizeIs(sent + 2)) << "more than initialize and initialized";
  EXPECT_EQ(calls_->running(), 0u);
}

TEST_F(QuestionsTest, ACallWhoseQuestionCannotBeAnsweredAnyMoreFails) {
  make();
  const Run& other = write();
  const Run& asks = write();
  ask("7");  // of the newest call
  ASSERT_TRUE(asks.asks());
  calls_->left(*connection_, {ErrorKind::NotFound, "it has forgotten the session"});
  EXPECT_EQ(other.words(), "nothing yet");
  EXPECT_THAT(server_->cancelled, SizeIs(1));
  EXPECT_TRUE(asks.round().over->requested());
  const Run& again = write({asks.round().state, {}});
  EXPECT_THAT(again.text(), HasSubstr("forgotten the session"));
}

// ---- error -32042 of 2025-11-25

class UrlsTest : public QuestionsTest {
 protected:
  UrlsTest() { make(); }
  void require_urls(const std::string& elicitations) {
    say(R"({"jsonrpc":"2.0","id":)" + server_->sent.back().id +
        R"(,"error":{"code":-32042,"message":"Sign in","data":{"elicitations":[)" + elicitations +
        "]}}}");
  }
  static std::string url(const std::string& where, const std::string& id = "e") {
    return R"({"mode":"url","elicitationId":")" + id + R"(","message":"Sign in","url":")" + where +
           R"("})";
  }
  void complete(const std::string& elicitation) {
    say(R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
        R"("params":{"elicitationId":)" +
        elicitation + "}}");
    io_.restart();
    io_.poll();
  }
  Run& run_with_urls(const tool::Continuation& resumed = {}) {
    urls_ = true;
    return run(resumed);
  }
  static tool::Continuation accepted(const Run& asked, const std::string& action = "accept") {
    tool::Continuation resumed;
    resumed.state = asked.round().state;
    for (const tool::Question& question : asked.round().questions)
      resumed.answers.emplace(question.key, R"({"action":")" + action + R"("})");
    return resumed;
  }
};

TEST_F(UrlsTest, TheUserOpensThemAndTheCallIsSentAgain) {
  const Run& first = run_with_urls();
  require_urls(url("https://a.example/1") + "," + url("https://a.example/2"));
  ASSERT_TRUE(first.asks());
  EXPECT_EQ(first.round().questions.at(1).method, "elicitation/create");
  EXPECT_EQ(first.round().questions.at(1).params,
            R"({"mode":"url","url":"https://a.example/2",)"
            R"("message":"The upstream \"u\" asks: Sign in"})");
  EXPECT_EQ(calls_->running(), 0u);
  const std::size_t sent = server_->sent.size();
  complete(R"("e")");
  const Run& second = run_with_urls(accepted(first));
  ASSERT_THAT(server_->sent, SizeIs(sent + 1));
  EXPECT_THAT(last(), Not(HasSubstr("io.toolpost")));
  require_urls(url("https://a.example/3"));  // still not done
  ASSERT_TRUE(second.asks());
  complete(R"("e")");
  tool::Continuation resumed = accepted(second);
  const Run& third = run_with_urls(resumed);
  answer(server_->sent.back(), "signed in");
  EXPECT_THAT(third.words(), HasSubstr("signed in"));
}

TEST_F(UrlsTest, ACallIsNotSentAgainIfTheUserDoesNotAgreeToAll) {
  const Run& first = run_with_urls();
  require_urls(url("https://a.example/1") + "," + url("https://a.example/2"));
  ASSERT_TRUE(first.asks());
  const std::size_t sent = server_->sent.size();
  EXPECT_THAT(run_with_urls(accepted(first, "decline")).words(), HasSubstr("did not agree"));
  tool::Continuation half = accepted(first);
  half.answers.erase("url_2");
  EXPECT_THAT(run_with_urls(half).words(), HasSubstr("did not agree"));
  EXPECT_THAT(server_->sent, SizeIs(sent));
}

TEST_F(UrlsTest, AClientThatCannotOpenUrlsGetsTheError) {
  const Run& only = run();
  require_urls(url("https://a.example/1"));
  EXPECT_THAT(only.words(), HasSubstr("it lacks elicitation.url"));
}

TEST_F(UrlsTest, ACompletionCannotAskAndItsErrorSaysSo) {
  auto invocation = std::make_shared<tool::Invocation>();
  invocation->function = tool::Function::Complete;
  invocation->arguments = R"({"ref":{"type":"ref/resource","uri":"a:{b}"},)"
                          R"("argument":{"name":"b","value":""}})";
  invocation->abilities = {true, true, true, true, true};
  std::string text;
  invocation->set_on_finish([&](const Result<tool::CallResult>& result) {
    text = result ? "asks" : result.error().message;
  });
  calls_->take(invocation, {"a:{b}", Listed::ByUpstream});
  require_urls(url("https://a.example/1"));
  EXPECT_THAT(text, HasSubstr("for a completion"));
  EXPECT_THAT(text, Not(HasSubstr("lacks")));
}

TEST_F(UrlsTest, AServerThatDidNotRequireTheUrlsDoesNotGetTheCall) {
  settings_.server = "a";
  make();
  urls_ = true;
  const Run& first = write();
  require_urls(url("https://a.example/1"));
  ASSERT_TRUE(first.asks());
  const tool::Continuation resumed = accepted(first);
  settings_.server = "b";
  make();
  const std::size_t sent = server_->sent.size();
  const Run& other = write(resumed);
  EXPECT_THAT(other.text(), HasSubstr("another server answers now: call again without a request"));
  EXPECT_FALSE(other.invocation->may_have_acted) << "the first server had refused the call";
  EXPECT_TRUE(other.invocation->refused);
  EXPECT_THAT(server_->sent, SizeIs(sent));
  settings_.server = "a";
  make();
  write(resumed);
  EXPECT_THAT(server_->sent, SizeIs(sent + 1));
}

TEST_F(UrlsTest, MalformedQuestionsAreAnOrdinaryError) {
  std::string many = url("https://a.example");
  for (int i = 0; i < 16; ++i) many += "," + url("https://a.example");
  for (const std::string& wrong :
       {std::string("7"), many, std::string(R"({"mode":"url","message":"m"})"),
        std::string(R"({"mode":"form","message":"m","requestedSchema":{}})")}) {
    const Run& only = run_with_urls();
    require_urls(wrong);
    EXPECT_THAT(only.words(), HasSubstr("refused: Sign in")) << wrong;
  }
}

TEST_F(UrlsTest, AUrlThatIsNoPageIsRefusedAndTheErrorSaysWhy) {
  for (const char* const scheme : {"vscode://x/", "file:///etc/passwd", "http://a.example/"}) {
    const Run& only = run_with_urls();
    require_urls(url("https://a.example/1") + "," + url(scheme));
    EXPECT_FALSE(only.asks()) << scheme;
    EXPECT_THAT(only.words(), HasSubstr("did not ask the user to open its URLs")) << scheme;
    EXPECT_THAT(only.words(), HasSubstr("https")) << scheme;
  }
  const Run& asked = run_with_urls();
  say(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":)" + url("javascript:1") +
      "}");
  EXPECT_FALSE(asked.asks());
  EXPECT_THAT(last(), HasSubstr("the URL to open must begin with https://"));
}

// ---- notifications/elicitation/complete of 2025-11-25

class UrlEndsTest : public UrlsTest {
 protected:
  static const tool::Question& question(const Run& asked) { return asked.round().questions.at(0); }
};

TEST_F(UrlEndsTest, AnEndReachesOnlyTheQuestionWithItsId) {
  const Run& one = run_with_urls();
  server_->listener->message(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":)" +
                                 url("https://a.example/") + "}",
                             server_->sent.back().id);
  const Run& two = run_with_urls();
  require_urls(url("https://a.example/", "f"));
  ASSERT_TRUE(one.asks());
  ASSERT_TRUE(two.asks());
  ASSERT_TRUE(question(one).ended && question(two).ended);
  for (const char* const unknown : {R"("x")", R"("")", "7", "null"}) complete(unknown);
  EXPECT_FALSE(question(one).ended->requested());
  EXPECT_FALSE(question(two).ended->requested());
  complete(R"("f")");
  EXPECT_FALSE(question(one).ended->requested());
  EXPECT_TRUE(question(two).ended->requested());
  complete(R"("e")");
  EXPECT_TRUE(question(one).ended->requested());
}

// The host checks a call again before each of its rounds.
TEST_F(UrlEndsTest, TheCallHasARoundMoreWhenTheUserHasFinishedAtAllUrls) {
  const Run& first = run_with_urls();
  require_urls(url("https://a.example/1") + "," + url("https://a.example/2", "f"));
  ASSERT_TRUE(first.asks());
  const std::size_t sent = server_->sent.size();
  const Run& second = run_with_urls(accepted(first));
  EXPECT_EQ(calls_->running(), 1u);
  complete(R"("f")");
  EXPECT_EQ(second.words(), "nothing yet") << "the user is still busy at the other URL";
  complete(R"("e")");
  ASSERT_TRUE(second.asks());
  EXPECT_TRUE(second.invocation->refused) << "the upstream has not begun it";
  EXPECT_THAT(second.round().questions, SizeIs(0));
  EXPECT_EQ(second.round().state, first.round().state);
  EXPECT_THAT(server_->sent, SizeIs(sent));
  EXPECT_EQ(calls_->running(), 0u);
  const Run& third = run_with_urls(accepted(first));
  ASSERT_THAT(server_->sent, SizeIs(sent + 1));
  answer(server_->sent.back(), "signed in");
  EXPECT_THAT(third.words(), HasSubstr("signed in"));
  EXPECT_EQ(calls_->running(), 0u);
}

TEST_F(UrlEndsTest, TheCallContinuesAfterAWhileIfTheUpstreamDoesNotReportTheEnd) {
  settings_.url_timeout = 1ms;
  make();
  const Run& first = run_with_urls();
  require_urls(url("https://a.example/1"));
  ASSERT_TRUE(first.asks());
  const std::size_t sent = server_->sent.size();
  const Run& second = run_with_urls(accepted(first));
  io_.restart();
  while (!second.asks()) ASSERT_EQ(io_.run_one(), 1u);
  EXPECT_THAT(server_->sent, SizeIs(sent));
  const Run& third = run_with_urls(accepted(first));
  answer(server_->sent.back(), "signed in");
  EXPECT_THAT(third.words(), HasSubstr("signed in"));
}

TEST_F(UrlEndsTest, ACallThatIsCancelledMeanwhileIsNotSentAgain) {
  const Run& first = run_with_urls();
  require_urls(url("https://a.example/1"));
  ASSERT_TRUE(first.asks());
  const std::size_t sent = server_->sent.size();
  const Run& cancelled = run_with_urls(accepted(first));
  calls_->give_up(cancelled.invocation);
  EXPECT_THAT(cancelled.words(), HasSubstr("cancelled"));
  complete(R"("e")");
  EXPECT_THAT(server_->sent, SizeIs(sent));
  EXPECT_EQ(idle_, 2);
}

TEST_F(UrlEndsTest, RetiredItNeedsNoMoreUrls) {
  const Run& first = run_with_urls();
  require_urls(url("https://a.example/1"));
  ASSERT_TRUE(first.asks());
  calls_->retire("it was removed");
  EXPECT_TRUE(first.round().over->requested());
  EXPECT_THAT(run_with_urls({first.round().state, {}}).words(), HasSubstr("it was removed"));
}

TEST_F(UrlEndsTest, AQuestionWithoutAnIdHasNoEnd) {
  const Run& only = run_with_urls();
  say(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":)"
      R"({"mode":"url","message":"m","url":"https://a.example/"}})");
  ASSERT_TRUE(only.asks());
  EXPECT_FALSE(question(only).ended);
}

TEST(Elicitations, QuestionsWithOneIdEndTogetherAndOnce) {
  Elicitations open;
  tool::Question first;
  first.elicitation = "e";
  tool::Question second = first;
  tool::Question later = first;
  open.watch(first);
  open.watch(second);
  open.complete("e");
  EXPECT_TRUE(first.ended->requested() && second.ended->requested());
  open.watch(later);
  EXPECT_FALSE(later.ended->requested());
}

TEST(Elicitations, TheOldestAreForgottenAndThoseThatNobodyWaitsForFirst) {
  Elicitations open;
  std::vector<tool::Question> waiting(Elicitations::kMost);
  const auto watch = [&open](tool::Question& question, const std::string& id) {
    question.elicitation = id;
    open.watch(question);
  };
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    watch(waiting[i], "w" + std::to_string(i));
    tool::Question given_up;
    watch(given_up, "g" + std::to_string(i));
  }
  tool::Question more;
  watch(more, "more");
  open.complete("w0");
  open.complete("w1");
  open.complete("more");
  EXPECT_FALSE(waiting[0].ended->requested());
  EXPECT_TRUE(waiting[1].ended->requested());
  EXPECT_TRUE(more.ended->requested());
}

// ---- secrets that the upstream repeats

class EchoTest : public QuestionsTest {
 protected:
  static constexpr const char* kSecret = "tok_0123456789abcdefghijklmnopqrstuvwxyz";

  EchoTest() {
    const auto secrets = std::make_shared<Secrets>();
    secrets->add(kSecret);
    settings_.secrets = secrets;
    ConnectionSettings connection;
    connection.secrets = secrets;
    connect(connection);
    make();
  }
  void answer_last(const std::string& members) {
    say(R"({"jsonrpc":"2.0","id":)" + server_->sent.back().id + "," + members + "}");
  }
  static std::string with_secret(std::string text) {
    const std::size_t at = text.find('%');
    return text.replace(at, 1, kSecret);
  }
  static void expect_hidden(const std::string& text) {
    EXPECT_THAT(text, HasSubstr("[secret]"));
    EXPECT_THAT(text, Not(HasSubstr("tok_0123"))) << text;
  }
};

TEST_F(EchoTest, TheDataOfAnErrorOfAReadArePassedOnWithoutThem) {
  const Run& reading = run();
  answer_last(with_secret(R"("error":{"code":-32000,"message":"m","data":{"token":"%"}})"));
  EXPECT_EQ(reading.invocation->refusal_data, R"({"token":"[secret]"})");
  const Run& too_long = run();
  answer_last(R"("error":{"code":-32000,"message":"m","data":")" +
              std::string(protocol::kMostErrorDataBytes, 'x') + R"("})");
  EXPECT_EQ(too_long.invocation->refusal_data, "");
  const Run& none = run();
  answer_last(R"("error":{"code":-32000,"message":"m","data":null})");
  EXPECT_EQ(none.invocation->refusal_data, "");
  const Run& must_open = run();  // its client cannot open URLs
  answer_last(R"("error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url",)"
              R"("elicitationId":"e","url":"vscode://a","message":"m"}]}})");
  EXPECT_EQ(must_open.invocation->refusal_data, "");
}

TEST_F(EchoTest, NoErrorOfACallHasThem) {
  const std::string padding(40, 'x');  // so that a quote of the text is cut in the secret
  for (const std::string& said :
       {std::string(R"("result":{"content":[{"type":"%"}]})"),
        R"("result":{"content":[{"type":")" + padding + R"(%"}]})",
        std::string(R"("error":{"code":-32000,"message":"% is wrong"})")}) {
    const Run& tool = write();
    answer_last(with_secret(said));
    expect_hidden(tool.text());
  }
  const Run& resource = run();
  answer_last(with_secret(R"("error":{"code":-32002,"message":"% is not there"})"));
  expect_hidden(resource.words());
  const Run& lost = write();
  server_->listener->failed(server_->sent.back().id, Reached::Perhaps,
                            Error{ErrorKind::Io, with_secret("it said %")});
  expect_hidden(lost.text());
  const Run& ended = write();
  server_->listener->ended(Error{ErrorKind::Io, with_secret("it said %")});
  expect_hidden(ended.text());
}

TEST_F(EchoTest, AResultOfTheUpstreamIsItsOwn) {
  const Run& tool = write();
  answer_last(with_secret(R"("result":{"content":[{"type":"text","text":"%"}]})"));
  EXPECT_THAT(tool.text(), HasSubstr(kSecret));
}

TEST_F(EchoTest, NeitherProgressNorLogsNorQuestionsHaveThem) {
  std::vector<std::string> said;
  const auto invocation = std::make_shared<tool::Invocation>();
  invocation->function = tool::Function::ReadResource;
  invocation->abilities = {true, false, false, false, false};
  invocation->passport = std::make_shared<tool::Passport>();
  invocation->on_progress = [&](double, double, std::string_view text) { said.emplace_back(text); };
  invocation->on_log = [&](auto, std::string_view logger, std::string_view text, const auto&) {
    said.emplace_back(logger);
    said.emplace_back(text);
  };
  invocation->set_on_finish([&](Result<tool::CallResult> result) {
    said.push_back(result->round->questions.at(0).params);
  });
  calls_->take(invocation, {"a:b", Listed::ByUpstream});
  const std::string token = server_->sent.back().id;
  say(with_secret(
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
      R"(,"progress":1,"message":"at %"}})"));
  server_->listener->message(
      with_secret(with_secret(R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
                              R"({"level":"info","logger":"%","data":"at %"}})")),
      token);
  say(with_secret(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create",)"
                  R"("params":{"message":"Is it %?","requestedSchema":{}}})"));
  ASSERT_THAT(said, SizeIs(4));
  for (const std::string& text : said) expect_hidden(text);
}

}  // namespace
}  // namespace host::upstream
