// Calls that their upstream executes as tasks. The upstream is the test.
#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fake_transport.h"
#include "upstream/call/calls.h"
#include "upstream/provider/served_tools.h"

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kLegacyServer =
    R"({"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":)"
    R"({"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}}})";
constexpr const char* kModernServer = R"({"supportedVersions":["2026-07-28"],"capabilities":)"
                                      R"({"extensions":{"io.modelcontextprotocol/tasks":{}}}})";
constexpr const char* kDone = R"({"content":[{"type":"text","text":"done"}]})";

class TaskCallsTest : public ::testing::Test {
 protected:
  struct Run {
    std::shared_ptr<tool::Invocation> invocation;
    std::optional<Result<tool::CallResult>> result;
    std::vector<std::pair<double, std::string>> progress;

    bool asks() const { return result && *result && (*result)->round; }
    const tool::Round& round() const { return *(*result)->round; }
    std::string words() const {
      if (!result) return "nothing yet";
      return *result ? (*result)->content : (*result).error().message;
    }
  };

  TaskCallsTest() {
    settings_.upstream = "u";
    settings_.secrets = std::make_shared<Secrets>();
    settings_.passed_on = {true, true, true, true, true};
    settings_.pace = {1ms, 20ms, 1ms, 60s, 1ms};
  }

  void connect(Era era = Era::Legacy, std::string self = {}) {
    if (self.empty()) self = era == Era::Legacy ? kLegacyServer : kModernServer;
    server_ = servers_.emplace_back(std::make_shared<FakeTransport::State>());
    server_->stdio = false;
    ConnectionSettings connection;
    connection.close_timeout = 1ms;
    connection.last_number = last_number_;
    connection_ =
        std::make_unique<Connection>(io_.get_executor(), std::make_unique<FakeTransport>(server_),
                                     std::move(connection), Connection::Events{});
    connection_->open(era == Era::Legacy ? Era::Legacy : Era::Unknown);
    answer(server_->sent.back(), self);
    if (calls_) return calls_->connected();
    calls_ = std::make_shared<Calls>(
        io_.get_executor(), settings_,
        Calls::Line{[this] { return is_ending_ ? nullptr : connection_.get(); },
                    [this] { ++needed_; }, [](const auto&, const auto&) { return ""; },
                    [this] { ++idle_; }});
  }
  // As the Upstream does at the end of a connection.
  void disconnect(bool keeps_tasks) {
    const Error why{ErrorKind::Unavailable, "it is gone"};
    server_->listener->ended(why);
    auto gone = std::move(connection_);
    last_number_ = gone->last_number();
    calls_->disconnected(why, keeps_tasks);
  }

  // As the Upstream does when the upstream has forgotten the session of open requests.
  void leave() {
    const Error why{ErrorKind::NotFound, "it has forgotten the session"};
    server_->listener->leaving(why);
    calls_->left(*connection_, why);
    last_number_ = connection_->last_number();
    left_.push_back(std::move(connection_));
    calls_->disconnected(why, true);
  }

  Run& run(protocol::TaskSupport tasks = protocol::TaskSupport::Required, bool outlives = false,
           const tool::Continuation& resumed = {}) {
    Run& made = *runs_.emplace_back(std::make_unique<Run>());
    made.invocation = std::make_shared<tool::Invocation>();
    made.invocation->tool = tool_;
    made.invocation->arguments = "{}";
    made.invocation->abilities = abilities_;
    made.invocation->continuation = resumed;
    made.invocation->outlives = outlives;
    made.invocation->deadline = deadline_;
    made.invocation->passport = passport_;
    made.invocation->on_progress = [&made](double done, double, std::string message) {
      made.progress.emplace_back(done, std::move(message));
    };
    made.invocation->set_on_finish(
        [&made](Result<tool::CallResult> result) { made.result = std::move(result); });
    calls_->take(made.invocation, {"t", Listed::ByUpstream, tasks});
    return made;
  }

  void say(const std::string& text) { server_->listener->message(text, {}); }
  void answer(const Outgoing& request, const std::string& result) {
    say(R"({"jsonrpc":"2.0","id":)" + request.id + R"(,"result":)" + result + "}");
  }
  void report_progress(const std::string& token, const std::string& more = "") {
    say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
        R"(,"progress":7,"total":9,"message":"own")" + more + "}}");
  }
  void ask_who(const std::string& id) {
    say(R"({"jsonrpc":"2.0","id":)" + id +
        R"(,"method":"elicitation/create","params":)"
        R"({"message":"Who?","requestedSchema":{}}})");
  }
  void break_off(const Outgoing& request) {
    server_->listener->failed(request.id, Reached::Perhaps, {ErrorKind::Io, "error 503"});
  }
  // Calls after this one are another client's.
  void change_client() {
    auto other = std::make_shared<tool::Passport>();
    other->connection = "another";
    passport_ = std::move(other);
  }
  void make_modern_task() {
    answer(server_->sent.back(), R"({"resultType":"task",)" + state("working").substr(1));
  }
  static std::string asking(const std::string& key, const std::string& request) {
    return state("input_required", R"(,"inputRequests":{")" + key + "\":" + request + "}");
  }
  static tool::Continuation decline(const Run& asked) {
    tool::Continuation resumed;
    resumed.state = asked.round().state;
    resumed.answers.emplace(asked.round().questions.at(0).key, R"({"action":"decline"})");
    return resumed;
  }
  void refuse(const Outgoing& request, const std::string& code) {
    say(R"({"jsonrpc":"2.0","id":)" + request.id + R"(,"error":{"code":)" + code +
        R"(,"message":"no such task"}})");
  }
  static std::string state(const std::string& status, const std::string& more = "",
                           const std::string& id = "t1") {
    return R"({"taskId":")" + id + R"(","status":")" + status + R"(","ttl":null)" + more + "}";
  }
  void make_task(const std::string& made) {
    answer(server_->sent.back(), R"({"task":)" + made + "}");
  }
  // The next request of this method.
  Outgoing next(const std::string& method) {
    const auto most = steady_now() + 60s;
    std::size_t& at = seen_[server_.get()];
    for (;;) {
      for (; at < server_->sent.size(); ++at) {
        if (server_->sent[at].method == method) return server_->sent[at++];
      }
      if (steady_now() > most) break;
      io_.restart();
      io_.run_one_for(1s);
    }
    ADD_FAILURE() << "no " << method;
    return {};
  }
  std::vector<std::string> methods() const {
    std::vector<std::string> all;
    for (const Outgoing& one : server_->sent) all.push_back(one.method);
    return all;
  }
  std::size_t sent(const std::string& method) const {
    const auto all = methods();
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), method));
  }

  boost::asio::io_context io_;
  std::vector<std::shared_ptr<FakeTransport::State>> servers_;
  std::shared_ptr<FakeTransport::State> server_;  // of the last connection
  std::unique_ptr<Connection> connection_;
  std::vector<std::unique_ptr<Connection>> left_;  // earlier connections, which are leaving
  CallSettings settings_;
  std::shared_ptr<Calls> calls_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::map<const void*, std::size_t> seen_;
  std::shared_ptr<const tool::Tool> tool_ =
      served_tools(
          [] {
            config::Upstream made;
            made.name = "u";
            return made;
          }(),
          {R"({"name":"t","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}})"})
          .tools.at(0);
  tool::Abilities abilities_{true, false, true, false, false};
  SteadyTime deadline_{};
  tool::PassportPtr passport_ = tool::unnamed_passport();
  RequestNumber last_number_ = 0;
  int idle_ = 0;
  int needed_ = 0;          // how often Calls needed a connection
  bool is_ending_ = false;  // the upstream takes no calls, as after Upstream::end()
};

TEST_F(TaskCallsTest, ATaskIsPolledAndItsResultIsTheResultOfTheCall) {
  deadline_ = steady_now() + 10s;
  connect();
  const Run& call = run();
  EXPECT_THAT(server_->sent.back().text, HasSubstr(R"("task":{"ttl":)"));
  make_task(state("working", R"(,"statusMessage":"begun","pollInterval":0)"));
  answer(next("tasks/get"), state("working", R"(,"statusMessage":"half\u202e way")"));
  answer(next("tasks/get"), state("working", R"(,"statusMessage":"half\u202e way")"));
  EXPECT_EQ(call.words(), "nothing yet");
  answer(next("tasks/get"), state("completed"));
  const Outgoing get = next("tasks/result");
  EXPECT_THAT(get.text, HasSubstr(R"("taskId":"t1")"));
  answer(get, kDone);
  EXPECT_THAT(call.words(), HasSubstr("done"));
  EXPECT_THAT(call.progress, ElementsAre(std::pair(1.0, std::string("begun")),
                                         std::pair(2.0, std::string("half<U+202E> way"))));
  EXPECT_EQ(sent("tools/call"), 1u);
  EXPECT_EQ(idle_, 1);
}

TEST_F(TaskCallsTest, OnlyARequestThatNeedsATaskAsksForOne) {
  using protocol::TaskSupport;
  connect();
  const auto asks = [&](TaskSupport support, bool outlives) {
    run(support, outlives);
    return server_->sent.back().text.find(R"("task":{})") != std::string::npos;
  };
  EXPECT_FALSE(asks(TaskSupport::Forbidden, false));
  EXPECT_FALSE(asks(TaskSupport::Forbidden, true));
  EXPECT_FALSE(asks(TaskSupport::Optional, false));
  EXPECT_TRUE(asks(TaskSupport::Optional, true));
  EXPECT_TRUE(asks(TaskSupport::Required, false));
}

TEST_F(TaskCallsTest, AServerWithoutTasksGetsAPlainCall) {
  // The version before has no tasks, whatever its capabilities say.
  connect(Era::Legacy, R"({"protocolVersion":"2025-06-18","capabilities":)"
                       R"({"tasks":{"requests":{"tools":{"call":{}}}}}})");
  run();
  EXPECT_EQ(server_->sent.back().text.find(R"("task")"), std::string::npos);
  connect(Era::Legacy, R"({"protocolVersion":"2025-11-25","capabilities":{"tasks":{}}})");
  run();
  EXPECT_EQ(server_->sent.back().text.find(R"("task")"), std::string::npos);
}

TEST_F(TaskCallsTest, TheIntervalIsBoundedOnBothSides) {
  settings_.pace = {1h, 2h, 1h, 60s};
  connect();
  run();
  make_task(state("working", R"(,"pollInterval":0)"));
  io_.poll();
  EXPECT_EQ(sent("tasks/get"), 0u);
  calls_.reset();
  settings_.pace = {1ms, 2ms, 1ms, 60s};
  connect();
  for (const char* const interval : {"1e12", "9223372036854775807", "-5", "\"soon\""}) {
    run();
    make_task(state("working", std::string(R"(,"pollInterval":)") + interval,
                    interval[0] == '"' ? "x" : interval));
    next("tasks/get");
  }
}

TEST_F(TaskCallsTest, ANotificationMakesItPollAtOnceAndAFloodDoesNot) {
  settings_.pace = {5ms, 1h, 1h, 60s};
  connect();
  Run& call = run();
  make_task(state("working"));
  for (int i = 0; i < 100; ++i) {
    say(R"({"jsonrpc":"2.0","method":"notifications/tasks/status","params":)" +
        state("working", R"(,"statusMessage":"step )" + std::to_string(i) + "\"") + "}");
  }
  EXPECT_THAT(call.progress, SizeIs(100));  // the client's own limit is behind this
  for (int i = 0; i < 100; ++i) {
    say(R"({"jsonrpc":"2.0","method":"notifications/tasks/status","params":)" + state("completed") +
        "}");
    say(R"({"jsonrpc":"2.0","method":"notifications/tasks/status","params":)" +
        state("completed", "", "another") + "}");
  }
  EXPECT_EQ(call.words(), "nothing yet");
  answer(next("tasks/get"), state("completed"));
  answer(next("tasks/result"), kDone);
  EXPECT_EQ(sent("tasks/get"), 1u);
  EXPECT_THAT(call.words(), HasSubstr("done"));
}

TEST_F(TaskCallsTest, ProgressOfTheUpstreamItselfReplacesTheStatusMessages) {
  connect();
  Run& call = run();
  const std::string id = server_->sent.back().id;
  make_task(state("working"));
  report_progress(id);
  answer(next("tasks/get"), state("working", R"(,"statusMessage":"not passed on")"));
  EXPECT_THAT(call.progress, ElementsAre(std::pair(7.0, std::string("own"))));
  const Run& second = run();
  const std::string other = server_->sent.back().id;
  make_task(state("working", R"(,"statusMessage":"begun")", "t2"));
  report_progress(other);  // progress must increase
  EXPECT_THAT(second.progress, ElementsAre(std::pair(1.0, std::string("begun")),
                                           std::pair(8.0, std::string("own"))));
}

TEST_F(TaskCallsTest, AFaultyTaskEndsTheCallWithItsFault) {
  connect();
  const auto fault = [&](const std::string& made) {
    const Run& call = run();
    make_task(made);
    return call.words();
  };
  EXPECT_THAT(fault(state("dancing")), HasSubstr("status \\\"dancing\\\" is not known"));
  EXPECT_THAT(fault(R"({"status":"working"})"), HasSubstr("it has no id"));
  EXPECT_THAT(fault(state("working", "", std::string(1025, 'x'))),
              HasSubstr("more than 1024 bytes"));
  EXPECT_THAT(fault("{}"), HasSubstr("it has no id"));
  EXPECT_EQ(sent("tasks/cancel"), 0u);
  Run& first = run();
  make_task(state("working"));
  EXPECT_THAT(fault(state("working")), HasSubstr("the id of another call's task"));
  EXPECT_EQ(sent("tasks/cancel"), 0u);  // it is the other call's
  EXPECT_EQ(first.words(), "nothing yet");
  const Run& plain = run(protocol::TaskSupport::Forbidden);
  make_task(state("working", "", "uninvited"));
  EXPECT_THAT(plain.words(), HasSubstr("had not asked for one"));
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr("uninvited"));
}

TEST_F(TaskCallsTest, APlainResultIsTakenAlthoughATaskWasAsked) {
  connect();
  const Run& call = run();
  answer(server_->sent.back(), kDone);
  EXPECT_THAT(call.words(), HasSubstr("done"));
  EXPECT_EQ(sent("tasks/get"), 0u);
}

TEST_F(TaskCallsTest, FaultyAnswersToPollsEndTheCall) {
  connect();
  const auto fault = [&](const std::string& told) {
    const Run& call = run();
    make_task(state("working"));
    answer(next("tasks/get"), told);
    return call.words();
  };
  EXPECT_THAT(fault(state("working", "", "t2")), HasSubstr("the state of another task"));
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr("t1"));
  EXPECT_THAT(fault("[]"), HasSubstr("it is no object"));
  EXPECT_THAT(fault(state("cancelled", R"(,"statusMessage":"no money")")),
              HasSubstr("it cancelled its task: no money"));
  EXPECT_EQ(sent("tasks/cancel"), 2u);
  EXPECT_EQ(calls_->running(), 0u);
}

TEST_F(TaskCallsTest, ALostTaskEndsTheCallAndIsNotRepeated) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  refuse(next("tasks/get"), "-32602");
  EXPECT_THAT(call.words(),
              HasSubstr("does not know its task any more: no such task (error -32602)"));
  EXPECT_THAT(call.words(), HasSubstr("may have carried out the call"));
  const Run& busy = run();
  make_task(state("working"));
  for (int i = 0; i < 5; ++i) refuse(next("tasks/get"), "-32603");
  EXPECT_EQ(busy.words(), "nothing yet");
  answer(next("tasks/get"), state("working"));
  for (int i = 0; i < 6; ++i) refuse(next("tasks/get"), "-32603");
  EXPECT_THAT(busy.words(), HasSubstr("could not be read"));
  EXPECT_EQ(sent("tools/call"), 2u);
}

TEST_F(TaskCallsTest, AnErrorOfATaskIsTheErrorOfTheCall) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  answer(next("tasks/get"), state("failed"));
  refuse(next("tasks/result"), "-32000");
  EXPECT_THAT(call.words(), HasSubstr("refused the call: no such task (error -32000)"));
}

TEST_F(TaskCallsTest, ACallThatIsGivenUpCancelsItsTask) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  next("tasks/get");
  calls_->give_up(call.invocation);
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr(R"("taskId":"t1")"));
  EXPECT_THAT(server_->cancelled, SizeIs(1));  // the poll
  EXPECT_EQ(calls_->running(), 0u);
  // Its id was not known yet.
  const Run& early = run();
  calls_->give_up(early.invocation);
  EXPECT_EQ(early.words(), "the call was cancelled");
  EXPECT_THAT(server_->cancelled, SizeIs(1));
  Outgoing request;
  for (const Outgoing& one : server_->sent) {
    if (one.method == "tools/call") request = one;
  }
  answer(request, R"({"task":)" + state("working", "", "late") + "}");
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr(R"("taskId":"late")"));
}

TEST_F(TaskCallsTest, AModernCallThatIsGivenUpBeforeItsAnswerCancelsItsTask) {
  connect(Era::Modern);
  const Run& call = run(protocol::TaskSupport::Forbidden);
  calls_->give_up(call.invocation);
  EXPECT_EQ(call.words(), "the call was cancelled");
  EXPECT_THAT(server_->cancelled, IsEmpty());
  make_modern_task();
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr(R"("taskId":"t1")"));
  // A call that has progress is no task.
  const Run& other = run(protocol::TaskSupport::Forbidden);
  report_progress(server_->sent.back().id);
  calls_->give_up(other.invocation);
  EXPECT_THAT(server_->cancelled, SizeIs(1));
}

TEST_F(TaskCallsTest, AModernCallIsCancelledIfNoTaskFollows) {
  settings_.modern_unwanted_timeout = 1ms;
  connect(Era::Modern);
  calls_->give_up(run(protocol::TaskSupport::Forbidden).invocation);
  const auto most = steady_now() + 60s;
  while (server_->cancelled.empty() && steady_now() < most) io_.run_one_for(1s);
  EXPECT_THAT(server_->cancelled, ElementsAre(server_->sent.back().id));
}

TEST_F(TaskCallsTest, TheEndOfTheUpstreamCancelsItsTasks) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  next("tasks/get");
  bool ended = false;
  calls_->end_running(*connection_, "it was removed", [&] { ended = true; });
  EXPECT_THAT(call.words(), HasSubstr("it was removed"));
  const Outgoing cancel = next("tasks/cancel");
  EXPECT_FALSE(ended);
  answer(cancel, "{}");
  EXPECT_TRUE(ended);
  ended = false;
  calls_->end_running(*connection_, "it was removed", [&] { ended = true; });
  EXPECT_TRUE(ended) << "there is no task";
}

TEST_F(TaskCallsTest, TheEndOfTheUpstreamWaitsForTasksThatAreBeingCancelled) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  next("tasks/get");
  calls_->give_up(call.invocation);
  const Outgoing cancel = next("tasks/cancel");
  bool ended = false;
  calls_->end_running(*connection_, "the host stops", [&] { ended = true; });
  EXPECT_FALSE(ended);
  answer(cancel, "{}");
  EXPECT_TRUE(ended);
}

TEST_F(TaskCallsTest, TheEndOfTheUpstreamWaitsForTasksWhoseIdsAreStillToCome) {
  for (const bool is_given_up : {true, false}) {
    is_ending_ = false;
    connect();
    const Run& call = run();
    const Outgoing request = server_->sent.back();
    if (is_given_up) calls_->give_up(call.invocation);
    bool ended = false;
    is_ending_ = true;
    calls_->end_running(*connection_, "the host stops", [&] { ended = true; });
    EXPECT_NE(call.words(), "nothing yet");
    EXPECT_FALSE(ended);
    answer(request, R"({"task":)" + state("working") + "}");
    EXPECT_FALSE(ended);
    answer(next("tasks/cancel"), "{}");
    EXPECT_TRUE(ended);
    disconnect(false);
  }
}

TEST_F(TaskCallsTest, AtTheEndOfTheUpstreamATaskWithoutAnIdIsForgotten) {
  connect();
  calls_->give_up(run().invocation);
  const Outgoing request = server_->sent.back();
  bool ended = false;
  is_ending_ = true;
  calls_->end_running(*connection_, "the host stops", [&] { ended = true; });
  EXPECT_FALSE(ended);
  calls_->forget_tasks();
  EXPECT_THAT(server_->cancelled, ElementsAre(request.id));
  EXPECT_TRUE(ended);
}

TEST_F(TaskCallsTest, TheEndOfTheUpstreamFailsCallsWithoutATaskBeforeItWaits) {
  connect();
  run();
  make_task(state("working"));
  const Run& plain = run(protocol::TaskSupport::Forbidden);
  const std::string id = server_->sent.back().id;
  bool ended = false;
  is_ending_ = true;
  calls_->end_running(*connection_, "the host stops", [&] { ended = true; });
  EXPECT_THAT(plain.words(), HasSubstr("the host stops"));
  EXPECT_THAT(server_->cancelled, ::testing::Contains(id));
  EXPECT_FALSE(ended);
  answer(next("tasks/cancel"), "{}");
  EXPECT_TRUE(ended);
}

TEST_F(TaskCallsTest, OnlySoManyRequestsWaitForTheirTaskToBeCancelled) {
  connect();
  for (int i = 0; i < 9; ++i) calls_->give_up(run().invocation);
  EXPECT_THAT(server_->cancelled, SizeIs(1));
  EXPECT_EQ(connection_->in_flight(), 8u);
}

TEST_F(TaskCallsTest, ARequestThatGetsNoTaskIsCancelledAfterATime) {
  settings_.unwanted_timeout = 1ms;
  connect();
  calls_->give_up(run().invocation);
  const auto most = steady_now() + 60s;
  while (server_->cancelled.empty() && steady_now() < most) io_.run_one_for(1s);
  EXPECT_THAT(server_->cancelled, ElementsAre(server_->sent.back().id));
  EXPECT_EQ(connection_->in_flight(), 0u);
}

TEST_F(TaskCallsTest, ARequestThatNobodyWaitsForDoesNotKeepAForgottenSessionOpen) {
  connect();
  calls_->give_up(run().invocation);
  run();
  const std::string kept = server_->sent.back().id;
  EXPECT_THAT(server_->cancelled, IsEmpty());
  leave();
  EXPECT_THAT(server_->cancelled, ElementsAre(server_->sent.at(server_->sent.size() - 2).id));
  EXPECT_EQ(left_.back()->in_flight(), 1u);
  EXPECT_EQ(server_->sent.back().id, kept);
}

TEST_F(TaskCallsTest, ATaskThatIsMadeBetweenTwoSessionsGoesOnWithTheNext) {
  connect();
  const Run& call = run();
  leave();
  make_task(state("working", R"(,"statusMessage":"begun")"));
  EXPECT_EQ(call.words(), "nothing yet");
  EXPECT_THAT(call.progress, ElementsAre(std::pair(1.0, std::string("begun"))));
  EXPECT_TRUE(calls_->need_connection());
  EXPECT_EQ(needed_, 1);
  connect();
  answer(next("tasks/get"), state("completed"));
  answer(next("tasks/result"), kDone);
  EXPECT_THAT(call.words(), HasSubstr("done"));
  EXPECT_EQ(sent("tools/call"), 0u);
}

// A server that has lost its tasks can begin its ids anew.
TEST_F(TaskCallsTest, ACallDoesNotGetTheResultOfATaskThatHasItsIdInALaterSession) {
  connect();
  const Run& first = run();
  make_task(state("working", R"(,"createdAt":"2026-01-01T00:00:00Z")"));
  leave();
  connect();
  answer(next("tasks/get"), state("completed", R"(,"createdAt":"2026-01-01T00:00:09Z")"));
  EXPECT_THAT(first.words(), HasSubstr("another task has the id now"));
  EXPECT_EQ(sent("tasks/result"), 0u);
  EXPECT_EQ(sent("tasks/cancel"), 0u) << "it is not the task of this call";
}

TEST_F(TaskCallsTest, ANewTaskWithTheIdOfAnEarlierSessionsTaskEndsTheCallOfTheEarlierTask) {
  connect();
  const Run& first = run();
  make_task(state("working"));
  leave();
  connect();
  const Run& second = run();
  make_task(state("working"));
  EXPECT_THAT(first.words(), HasSubstr("it has lost the task of the call"));
  EXPECT_EQ(second.words(), "nothing yet");
  EXPECT_EQ(sent("tasks/cancel"), 0u);
  answer(next("tasks/get"), state("completed"));
  answer(next("tasks/result"), kDone);
  EXPECT_THAT(second.words(), HasSubstr("done"));
}

TEST_F(TaskCallsTest, ATaskThatIsGivenUpBetweenTwoSessionsIsCancelledInTheNext) {
  connect();
  const Run& call = run();
  leave();
  make_task(state("working"));
  calls_->give_up(call.invocation);
  EXPECT_NE(call.words(), "nothing yet");
  connect();
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr("t1"));
  leave();
  connect();
  EXPECT_EQ(sent("tasks/cancel"), 0u);
}

TEST_F(TaskCallsTest, ATaskThatIsGivenUpWhileItsConnectionEndsIsCancelledOnTheNext) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  next("tasks/get");
  connection_->close("it is restarted");
  calls_->give_up(call.invocation);
  EXPECT_EQ(call.words(), "the call was cancelled");
  EXPECT_EQ(sent("tasks/cancel"), 0u);
  disconnect(true);
  connect();
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr("t1"));
}

TEST_F(TaskCallsTest, ATaskThatIsMadeAfterTheLastSessionEndsItsCall) {
  connect();
  const Run& call = run();
  leave();
  calls_->retire("it was removed");
  make_task(state("working"));
  EXPECT_THAT(call.words(), HasSubstr("it was removed"));
  EXPECT_THAT(call.words(), HasSubstr("may have carried out the call"));
  EXPECT_EQ(idle_, 1);
}

TEST_F(TaskCallsTest, ProgressReachesItsTaskOnALaterConnectionToo) {
  connect();
  const Run& task = run();
  const std::string token = server_->sent.back().id;
  make_task(state("working"));
  disconnect(true);
  connect();
  const Run& other = run(protocol::TaskSupport::Forbidden);
  report_progress(token);
  EXPECT_THAT(task.progress, ElementsAre(std::pair(7.0, std::string("own"))));
  const std::string of_other = server_->sent.back().id;
  report_progress(of_other, R"(,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}})");
  report_progress(of_other, R"(,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"no"}})");
  EXPECT_THAT(task.progress, SizeIs(2));
  EXPECT_THAT(other.progress, IsEmpty());
}

TEST(RequestsTest, AFollowedTaskCountsLikeACallInFlight) {
  boost::asio::io_context io;
  Requests requests(io.get_executor());
  const auto call = [] {
    Request made;
    made.method = "tools/call";
    return made;
  };
  requests.follow("t1", 0, call());
  EXPECT_EQ(requests.only("tools/call"), requests.find_task("t1"));
  requests.add(call(), nullptr);
  EXPECT_EQ(requests.only("tools/call"), nullptr);
  requests.unfollow("t1");
  EXPECT_EQ(requests.only("tools/call"), nullptr);  // the task can still have sent a message
}

TEST_F(TaskCallsTest, AQuestionOfACancelledTaskReachesNoOtherClient) {
  connect();
  const Run& task = run();
  make_task(state("working"));
  calls_->give_up(task.invocation);
  change_client();
  const Run& other = run(protocol::TaskSupport::Forbidden);
  ask_who("7");
  EXPECT_EQ(other.words(), "nothing yet");
  EXPECT_THAT(server_->sent.back().text, HasSubstr("calls of several clients"));
}

TEST_F(TaskCallsTest, AQuestionOfAnUnwantedTaskReachesNoOtherClient) {
  connect();
  const Run& early = run();
  const Outgoing request = server_->sent.back();
  calls_->give_up(early.invocation);
  answer(request, R"({"task":)" + state("working") + "}");
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr("t1"));
  change_client();
  const Run& other = run(protocol::TaskSupport::Forbidden);
  ask_who("7");
  EXPECT_EQ(other.words(), "nothing yet");
}

TEST_F(TaskCallsTest, AQuestionAfterAFinishedTaskReachesTheCallInFlight) {
  connect();
  run();
  make_task(state("working"));
  answer(next("tasks/get"), state("completed"));
  answer(next("tasks/result"), kDone);
  change_client();
  const Run& other = run(protocol::TaskSupport::Forbidden);
  ask_who("7");
  EXPECT_TRUE(other.asks());
}

TEST_F(TaskCallsTest, AnUpdateThatFailsIsSentAgain) {
  const std::string asked =
      asking("q", R"({"method":"elicitation/create","params":{"message":"Who?",)"
                  R"("requestedSchema":{}}})");
  connect(Era::Modern);
  Run& first = run();
  make_modern_task();
  answer(next("tasks/get"), asked);
  const Run& second = run(protocol::TaskSupport::Required, false, decline(first));
  break_off(next("tasks/update"));
  answer(next("tasks/get"), asked);
  const Outgoing update = next("tasks/update");
  EXPECT_THAT(update.text, HasSubstr(R"("inputResponses":{"q":{"action":"decline"}})"));
  answer(update, "{}");
  answer(next("tasks/get"), asked);
  answer(next("tasks/get"), state("completed", std::string(R"(,"result":)") + kDone));
  EXPECT_EQ(sent("tasks/update"), 2u);
  EXPECT_THAT(second.words(), HasSubstr("done"));
}

TEST_F(TaskCallsTest, TheResultOfAParkedCallStaysWhenTheConnectionEnds) {
  connect();
  Run& first = run();
  make_task(state("working"));
  ask_who("7");
  ASSERT_TRUE(first.asks());
  answer(next("tasks/get"), state("completed"));
  answer(next("tasks/result"), kDone);
  disconnect(false);
  EXPECT_FALSE(calls_->need_connection());
  connect();
  const Run& second = run(protocol::TaskSupport::Required, false, decline(first));
  EXPECT_THAT(second.words(), HasSubstr("done"));
}

TEST_F(TaskCallsTest, RequestsAboutAModernTaskSayWhomTheUpstreamCanAsk) {
  connect(Era::Modern);
  Run& first = run();
  make_modern_task();
  const Outgoing get = next("tasks/get");
  EXPECT_THAT(get.text, HasSubstr(R"("elicitation")"));
  answer(get, asking("", R"({"method":"elicitation/create","params":{"message":"Who?",)"
                         R"("requestedSchema":{}}})"));  // a key may be empty
  run(protocol::TaskSupport::Required, false, decline(first));
  const Outgoing update = next("tasks/update");
  EXPECT_THAT(update.text, HasSubstr(R"("elicitation")"));
  EXPECT_THAT(update.text, HasSubstr(R"("inputResponses":{"":{"action":"decline"}})"));
}

TEST_F(TaskCallsTest, FaultyQuestionsOfAModernTaskEndIt) {
  const auto fault = [&](const std::string& key, const std::string& request) {
    const Run& call = run();
    make_modern_task();
    answer(next("tasks/get"), asking(key, request));
    EXPECT_THAT(next("tasks/cancel").text, HasSubstr("t1"));
    return call.words();
  };
  connect(Era::Modern);
  const std::string form = R"({"message":"Who?","requestedSchema":{},"x":")";
  EXPECT_THAT(fault("q", R"({"method":"tools/list","params":{}})"),
              HasSubstr("a question of its task is faulty: its method is not known"));
  EXPECT_THAT(fault("q", "7"), HasSubstr("its method is not known"));
  EXPECT_THAT(fault("q", R"({"method":"elicitation/create","params":{"message":1}})"),
              HasSubstr("must be a string"));
  EXPECT_THAT(fault("q", R"({"method":"elicitation/create","params":)" + form +
                             std::string(256u << 10u, 'x') + "\"}}"),
              HasSubstr("more than 262144 bytes"));
  std::string many = R"({"method":"roots/list"})";
  for (int i = 0; i < 16; ++i) many += ",\"q" + std::to_string(i) + R"(":{"method":"roots/list"})";
  EXPECT_THAT(fault("q", many), HasSubstr("asks more than 16 questions at once"));
}

TEST_F(TaskCallsTest, AResultThatBreaksOffWhileTheTaskWorksIsAskedForAgain) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  for (int i = 0; i < 20; ++i) {
    answer(next("tasks/get"), state("input_required"));
    break_off(next("tasks/result"));
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(call.words(), "nothing yet");
    answer(next("tasks/get"), state("completed"));
    break_off(next("tasks/result"));
  }
  EXPECT_THAT(call.words(), HasSubstr("error 503"));
}

TEST_F(TaskCallsTest, NewsDuringAPollMakesTheNextPollComeSoon) {
  settings_.pace = {1ms, 1h, 1h, 60s, 1ms};
  connect();
  run();
  make_task(state("input_required"));
  const Outgoing get = next("tasks/get");
  say(R"({"jsonrpc":"2.0","method":"notifications/tasks/status","params":)" + state("completed") +
      "}");
  answer(get, state("working"));
  next("tasks/get");
}

TEST_F(TaskCallsTest, ATaskGoesOnIfAnErrorNamesALostSession) {
  const auto lose = [&](const Outgoing& request) {
    server_->listener->names_lost_session(request.id);
    refuse(request, "-32602");
    disconnect(true);
  };
  connect();
  const Run& call = run();
  make_task(state("working"));
  lose(next("tasks/get"));
  connect();
  answer(next("tasks/get"), state("completed"));
  lose(next("tasks/result"));
  EXPECT_EQ(call.words(), "nothing yet");
  connect();
  answer(next("tasks/get"), state("completed"));
  answer(next("tasks/result"), kDone);
  EXPECT_THAT(call.words(), HasSubstr("done"));
  EXPECT_EQ(sent("tools/call"), 0u);
  EXPECT_EQ(idle_, 1);
}

TEST_F(TaskCallsTest, AnswersAreSentAgainIfTheErrorAboutThemNamesALostSession) {
  const std::string asked =
      asking("q", R"({"method":"elicitation/create","params":{"message":"Who?",)"
                  R"("requestedSchema":{}}})");
  connect(Era::Modern);
  Run& first = run();
  make_modern_task();
  answer(next("tasks/get"), asked);
  const Run& second = run(protocol::TaskSupport::Required, false, decline(first));
  const Outgoing lost = next("tasks/update");
  server_->listener->names_lost_session(lost.id);
  refuse(lost, "-32600");
  EXPECT_EQ(second.words(), "nothing yet");
  answer(next("tasks/get"), asked);
  answer(next("tasks/update"), "{}");
  answer(next("tasks/get"), state("completed", std::string(R"(,"result":)") + kDone));
  EXPECT_THAT(second.words(), HasSubstr("done"));
}

TEST_F(TaskCallsTest, ATaskGoesOnWithTheNextConnection) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  next("tasks/get");
  disconnect(true);
  EXPECT_TRUE(calls_->need_connection());
  EXPECT_EQ(call.words(), "nothing yet");
  connect();
  EXPECT_FALSE(calls_->need_connection());
  answer(next("tasks/get"), state("completed"));
  const Outgoing lost = next("tasks/result");
  disconnect(true);
  connect();
  answer(next("tasks/get"), state("completed"));
  answer(next("tasks/result"), kDone);
  EXPECT_THAT(call.words(), HasSubstr("done"));
  EXPECT_EQ(sent("tools/call"), 0u);
  EXPECT_EQ(idle_, 1);
}

TEST_F(TaskCallsTest, ATaskEndsWithItsProcess) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  disconnect(false);
  EXPECT_THAT(call.words(), HasSubstr("it is gone. It may have carried out the call"));
  EXPECT_EQ(calls_->running(), 0u);
}

TEST_F(TaskCallsTest, ATaskWithoutAConnectionEndsWithItsUpstream) {
  connect();
  const Run& call = run();
  make_task(state("working"));
  disconnect(true);
  calls_->fail_tasks("the host stops");
  EXPECT_THAT(call.words(), HasSubstr("the host stops"));
  EXPECT_EQ(idle_, 1);
}

TEST_F(TaskCallsTest, AQuestionOfATaskGoesToItsOwnClient) {
  connect();
  Run& first = run();
  make_task(state("working"));
  Run& other = run(protocol::TaskSupport::Forbidden);
  answer(next("tasks/get"), state("input_required"));
  const Outgoing result = next("tasks/result");
  say(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"Who?",)"
      R"("requestedSchema":{},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}})");
  ASSERT_TRUE(first.asks());
  EXPECT_EQ(other.words(), "nothing yet");
  tool::Continuation resumed;
  resumed.state = first.round().state;
  resumed.answers.emplace(first.round().questions.at(0).key, R"({"action":"decline"})");
  const Run& second = run(protocol::TaskSupport::Required, false, resumed);
  EXPECT_THAT(server_->sent.back().text, HasSubstr(R"("id":7,"result":{"action":"decline"})"));
  say(R"({"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"message":"Who?",)"
      R"("requestedSchema":{},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"no"}}}})");
  EXPECT_THAT(server_->sent.back().text, HasSubstr(R"("id":8,"error")"));
  answer(result, kDone);
  EXPECT_THAT(second.words(), HasSubstr("done"));
}

TEST_F(TaskCallsTest, AQuestionOfATaskIsRefusedWithTheCapabilityThatItsClientLacks) {
  abilities_ = {};
  connect();
  const Run& task = run();
  make_task(state("working"));
  say(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"Who?",)"
      R"("requestedSchema":{},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}})");
  EXPECT_THAT(server_->sent.back().text, HasSubstr("it lacks elicitation"));
  EXPECT_EQ(task.words(), "nothing yet");
}

TEST_F(TaskCallsTest, AModernServerDecidesAndInlinesTheResult) {
  connect(Era::Modern);
  const Run& call = run(protocol::TaskSupport::Forbidden);
  EXPECT_THAT(server_->sent.back().text, HasSubstr("io.modelcontextprotocol/tasks"));
  answer(server_->sent.back(), R"({"resultType":"task",)" + state("working").substr(1));
  Outgoing get = next("tasks/get");
  EXPECT_EQ(get.name, "t1");
  EXPECT_THAT(get.text, HasSubstr("io.modelcontextprotocol/tasks"));
  answer(get, state("completed", std::string(R"(,"result":)") + kDone));
  EXPECT_THAT(call.words(), HasSubstr("done"));
  const Run& broken = run();
  answer(server_->sent.back(), R"({"resultType":"task",)" + state("working").substr(1));
  answer(next("tasks/get"), state("failed", R"(,"error":{"code":-32000,"message":"it broke"})"));
  EXPECT_THAT(broken.words(), HasSubstr("it broke (error -32000)"));
  const Run& empty = run();
  answer(server_->sent.back(), R"({"resultType":"task",)" + state("working").substr(1));
  answer(next("tasks/get"), state("completed"));
  EXPECT_THAT(empty.words(), HasSubstr("tasks/get has no \\\"result\\\""));
  EXPECT_EQ(sent("tasks/result"), 0u);
}

TEST_F(TaskCallsTest, QuestionsOfAModernTaskAreAnsweredByAnUpdate) {
  const std::string asked =
      R"(,"inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Who?",)"
      R"("requestedSchema":{}}}})";
  connect(Era::Modern);
  Run& first = run();
  answer(server_->sent.back(), R"({"resultType":"task",)" + state("working").substr(1));
  answer(next("tasks/get"), state("input_required", asked));
  ASSERT_TRUE(first.asks());
  answer(next("tasks/get"), state("input_required", asked));  // the same question, asked once
  tool::Continuation resumed;
  resumed.state = first.round().state;
  resumed.answers.emplace(first.round().questions.at(0).key, R"({"action":"decline"})");
  const Run& second = run(protocol::TaskSupport::Required, false, resumed);
  const Outgoing update = next("tasks/update");
  EXPECT_THAT(update.text, HasSubstr(R"("inputResponses":{"q":{"action":"decline"}})"));
  disconnect(true);  // before the upstream has acknowledged the answer
  connect(Era::Modern);
  const auto params = [](const Outgoing& one) { return one.text.substr(one.text.find("params")); };
  EXPECT_EQ(params(next("tasks/update")), params(update));
  answer(next("tasks/get"), state("completed", std::string(R"(,"result":)") + kDone));
  EXPECT_THAT(second.words(), HasSubstr("done"));
}

TEST_F(TaskCallsTest, ATaskThatAsksMakesRoomToo) {
  settings_.most_parked = 2;
  connect(Era::Modern);
  const std::string who =
      R"({"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{}}})";
  const auto ask = [&](const std::string& task) -> const Run& {
    const Run& made = run();
    answer(server_->sent.back(), R"({"resultType":"task",)" + state("working", "", task).substr(1));
    Outgoing get = next("tasks/get");
    while (get.name != task) get = next("tasks/get");  // the others are polled meanwhile
    answer(get, state("input_required", R"(,"inputRequests":{"q":)" + who + "}", task));
    return made;
  };
  const Run& oldest = ask("t1");
  ASSERT_TRUE(ask("t2").asks());
  auto other = std::make_shared<tool::Passport>();
  other->who.principal = "bob";
  passport_ = std::move(other);
  EXPECT_TRUE(ask("t3").asks());
  EXPECT_TRUE(oldest.round().over->requested());
}

TEST_F(TaskCallsTest, AQuestionThatNobodyCanAnswerEndsTheTask) {
  abilities_ = {};
  connect(Era::Modern);
  const Run& call = run();
  answer(server_->sent.back(), R"({"resultType":"task",)" + state("working").substr(1));
  answer(next("tasks/get"),
         state("input_required", R"(,"inputRequests":{"q":{"method":"roots/list"}})"));
  EXPECT_THAT(call.words(),
              HasSubstr("its task asks a question, and the client of this call cannot be asked"));
  EXPECT_THAT(next("tasks/cancel").text, HasSubstr("t1"));
}

}  // namespace
}  // namespace host::upstream
