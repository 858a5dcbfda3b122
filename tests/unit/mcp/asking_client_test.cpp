#include "mcp/method/asking_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "json/json.h"
#include "mcp/peer/one_shot.h"
#include "support/run_loop.h"
#include "tool/call/edits.h"

namespace host::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PageOutlet : public Outlet {
 public:
  bool send(std::string_view message) override {
    sent.emplace_back(message);
    return true;
  }
  std::vector<std::string> sent;
};

// A page whose person comes when the test says so.
class FakeVisit : public tool::Visit {
 public:
  explicit FakeVisit(const boost::asio::any_io_executor& executor) : over(executor) {}
  const tool::Question& question() const override { return asked; }
  boost::asio::awaitable<bool> wait() override {
    ++waits;
    co_await over.wait();
    if (fails) throw std::runtime_error("it broke");
    co_return settled;
  }
  boost::asio::awaitable<void> answered(const std::string& answer) override {
    answers.push_back(answer);
    co_return;
  }

  void end(bool is_settled) {
    settled = is_settled;
    over.set();
  }

  tool::Question asked{"page", "elicitation/create",
                       R"({"mode":"url","message":"m","url":"http://h/#/1"})"};
  OneShot over;
  bool settled = false;
  bool fails = false;
  int waits = 0;
  std::vector<std::string> answers;
};

class SentToAPage : public ::testing::Test {
 protected:
  SentToAPage()
      : client(loop.io.get_executor(),
               [this](std::string_view message) { told.emplace_back(message); }),
        visit(loop.io.get_executor()) {
    make_asker(protocol::Version::v2025_11_25);
  }

  void make_asker(protocol::Version version) {
    tool::Abilities able;
    able.urls = true;
    asker.emplace(&client, &outlet, version, able, std::chrono::minutes(5));
  }
  // Asks a question with a URL, which the client's user agrees to open. Returns its id.
  std::string ask_and_accept(const std::shared_ptr<Cancel>& ended) {
    tool::Round round;
    round.questions = {visit.asked};
    round.questions[0].ended = ended;
    const auto asked = loop.start(asker->ask(call, round));
    loop.turn();
    const json::Document question = message(outlet.sent.size() - 1);
    answer(R"({"jsonrpc":"2.0","id":)" + json::write(*json::find(question.root(), "id")) +
           R"(,"result":{"action":"accept"}})");
    EXPECT_TRUE(asked->has_value());
    outlet.sent.clear();
    return std::string(json::text(*json::at(question.root(), "/params/elicitationId")));
  }
  static std::string completed(const std::string& id) {
    return R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
           R"("params":{"elicitationId":")" +
           id + "\"}}";
  }

  void begin() {
    sent = loop.start(asker->send_to(call, visit));
    loop.turn();
  }
  void answer(std::string_view response) {
    auto tree = json::parse(response);
    const auto read = protocol::read_message(tree->root());
    client.on_response(std::get<protocol::Message>(read));
    loop.turn();
  }
  json::Document message(std::size_t at) const { return *json::parse(outlet.sent.at(at)); }

  test::RunLoop loop;
  PageOutlet outlet;
  std::vector<std::string> told;  // messages that belong to no request
  ClientRequests client;
  FakeVisit visit;
  tool::Call call;
  std::optional<SessionAsker> asker;
  std::shared_ptr<std::optional<Result<bool>>> sent;
};

TEST_F(SentToAPage, TheQuestionIsOpenUntilItIsSettledThere) {
  begin();
  ASSERT_EQ(outlet.sent.size(), 1u);
  const json::Document asked = message(0);
  const std::string named(json::text(*json::at(asked.root(), "/params/elicitationId")));
  EXPECT_EQ(json::text(*json::at(asked.root(), "/params/url")), "http://h/#/1");
  EXPECT_FALSE(sent->has_value());
  visit.end(true);
  loop.turn();
  ASSERT_TRUE(sent->has_value());
  EXPECT_TRUE((*sent)->value());
  ASSERT_EQ(outlet.sent.size(), 3u);
  EXPECT_EQ(outlet.sent[1],
            R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{)"
            R"("elicitationId":")" +
                named + "\"}}");
  EXPECT_THAT(outlet.sent[2], HasSubstr("notifications/cancelled"));
}

TEST_F(SentToAPage, TheClientsAnswerIsToldAndEndsNothing) {
  begin();
  answer(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})");
  EXPECT_THAT(visit.answers, ElementsAre(R"({"action":"accept"})"));
  EXPECT_FALSE(sent->has_value());
  visit.end(true);
  loop.turn();
  EXPECT_TRUE(sent->has_value());
  EXPECT_EQ(outlet.sent.size(), 2u);  // nothing is left to take back
}

TEST_F(SentToAPage, AWaitThatEndsUnsettledTakesTheQuestionBack) {
  begin();
  visit.end(false);
  loop.turn();
  EXPECT_TRUE(sent->has_value());
  ASSERT_EQ(outlet.sent.size(), 2u);
  EXPECT_THAT(outlet.sent[1], HasSubstr("notifications/cancelled"));
}

TEST_F(SentToAPage, AClientThatRefusesOrGoesLeavesThePageOpen) {
  begin();
  answer(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}})");
  client.close();
  loop.turn();
  EXPECT_TRUE(visit.answers.empty());
  EXPECT_FALSE(sent->has_value());
  visit.end(true);
  loop.turn();
  EXPECT_TRUE(sent->has_value());
}

TEST_F(SentToAPage, AWaitThatBreaksLeavesNothingBehind) {
  visit.fails = true;
  begin();
  visit.end(false);
  EXPECT_THROW(loop.turn(), std::runtime_error);
  loop.turn();
  EXPECT_FALSE(sent->has_value());
  EXPECT_FALSE(client.on_response(std::get<protocol::Message>(
      protocol::read_message(json::parse(R"({"jsonrpc":"2.0","id":1,"result":{}})")->root()))));
}

// As an upstream that has answered the call meanwhile.
TEST_F(SentToAPage, ARoundThatIsOverTakesItsQuestionBack) {
  tool::Round round;
  round.questions = {visit.asked, visit.asked};
  round.over = std::make_shared<Cancel>();
  const auto asked = loop.start(asker->ask(call, round));
  loop.turn();
  ASSERT_EQ(outlet.sent.size(), 1u);
  round.over->request();
  loop.turn();
  ASSERT_TRUE(asked->has_value());
  ASSERT_TRUE(**asked) << (*asked)->error().message;
  EXPECT_TRUE((**asked)->value().empty());
  ASSERT_EQ(outlet.sent.size(), 2u);
  EXPECT_THAT(outlet.sent[1], HasSubstr("notifications/cancelled"));
}

TEST_F(SentToAPage, TheEndOfAQuestionIsToldUnderTheIdThatTheClientGot) {
  const auto first = std::make_shared<Cancel>();
  const auto second = std::make_shared<Cancel>();
  const std::string one = ask_and_accept(first);
  const std::string two = ask_and_accept(second);
  EXPECT_NE(one, two);
  second->request();
  EXPECT_THAT(outlet.sent, ElementsAre(completed(two)));
  first->request();
  EXPECT_THAT(outlet.sent, ElementsAre(completed(two), completed(one)));
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(SentToAPage, AnEndAfterTheCallIsToldWithoutItsRequest) {
  const auto ended = std::make_shared<Cancel>();
  const std::string id = ask_and_accept(ended);
  asker.reset();
  ended->request();
  EXPECT_THAT(outlet.sent, IsEmpty());
  EXPECT_THAT(told, ElementsAre(completed(id)));
}

TEST_F(SentToAPage, AnEndBeforeTheQuestionWasAskedIsToldAfterTheAnswer) {
  const auto ended = std::make_shared<Cancel>();
  ended->request();
  tool::Round round;
  round.questions = {visit.asked};
  round.questions[0].ended = ended;
  const auto asked = loop.start(asker->ask(call, round));
  loop.turn();
  ASSERT_THAT(outlet.sent, SizeIs(1));
  const json::Document question = message(0);
  answer(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})");
  ASSERT_TRUE(asked->has_value());
  ASSERT_THAT(outlet.sent, SizeIs(2));
  EXPECT_EQ(
      outlet.sent[1],
      completed(std::string(json::text(*json::at(question.root(), "/params/elicitationId")))));
}

TEST_F(SentToAPage, AnEndIsNotToldToAClientThatIsGone) {
  const auto ended = std::make_shared<Cancel>();
  ask_and_accept(ended);
  asker.reset();
  client.close();
  ended->request();
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(SentToAPage, OnlyTheEndsOfTheLatestQuestionsAreTold) {
  const auto first = std::make_shared<Cancel>();
  ask_and_accept(first);
  const auto second = std::make_shared<Cancel>();
  const std::string kept = ask_and_accept(second);
  for (std::size_t i = 1; i < UrlQuestions::kMost; ++i) ask_and_accept(std::make_shared<Cancel>());
  first->request();
  EXPECT_THAT(outlet.sent, IsEmpty());
  second->request();
  EXPECT_THAT(outlet.sent, ElementsAre(completed(kept)));
}

// The state stays good, so each approval in it would allow a run for each such request.
TEST(StatelessAsker, ARequestWithoutAnswersBringsNoApproval) {
  OpenRound open;
  open.answers = {{"toolpost.passed.1", "{}"}, {"toolpost.approval.1", "{}"}, {"who", "{}"}};
  tool::Question question;
  question.key = "toolpost.code.2";
  open.round.questions.push_back(question);
  const auto none = json::parse("{}");
  for (const json::Value* const responses :
       {static_cast<const json::Value*>(nullptr), static_cast<const json::Value*>(&none->root())}) {
    StatelessAsker asker{tool::Abilities()};
    EXPECT_EQ(asker.resume(open, responses), std::nullopt);
    EXPECT_FALSE(asker.heard());
    EXPECT_EQ(asker.left_open(tool::Round(), {}).answers, (tool::Answers{{"who", "{}"}}));
    EXPECT_EQ(asker.take_resumed().answers, (tool::Answers{{"who", "{}"}}));
  }
}

// The provider goes on with its state, and with the arguments with which it ran.
TEST(StatelessAsker, ARequestWithoutAnswersTakesNoArgumentsFromTheCall) {
  OpenRound open;
  open.answers = {{std::string(tool::kRunArguments), R"({"n":2})"},
                  {std::string(tool::kEdits), R"(["n"])"},
                  {"toolpost.passed.1", "{}"}};
  const tool::Answers kept = {{std::string(tool::kRunArguments), R"({"n":2})"},
                              {std::string(tool::kEdits), R"(["n"])"}};
  StatelessAsker asker{tool::Abilities()};
  EXPECT_EQ(asker.resume(open, nullptr), std::nullopt);
  EXPECT_EQ(asker.left_open(tool::Round(), {}).answers, kept);
  EXPECT_EQ(asker.take_resumed().answers, kept);
}

// The gate asks after the provider: the rules have changed.
TEST(StatelessAsker, AQuestionOfTheHostLeavesTheProvidersStateAndTakesNoEarlyAnswer) {
  const auto early = json::parse(R"({"toolpost.approval.1":{"action":"accept","content":{}}})");
  const std::string form =
      R"({"message":"May it?","requestedSchema":{"type":"object","properties":{}}})";
  tool::Round of_host{{{"toolpost.approval.1", "elicitation/create", form}}, {}};
  OpenRound open;
  open.round.state = "first";
  StatelessAsker asker{tool::Abilities()};
  EXPECT_EQ(asker.resume(open, nullptr), std::nullopt);
  asker.bring(early->root());
  EXPECT_EQ(asker.left_open(of_host, {}).round.state, "first");
  EXPECT_EQ(asker.take_resumed().state, "first");
  test::RunLoop loop;
  const tool::Call call;
  EXPECT_EQ(loop.get(asker.ask(call, of_host)).value(), std::nullopt);
  EXPECT_EQ(asker.left_open(of_host, "second").round.state, "second");
  EXPECT_EQ(asker.left_open(of_host, {}).round.state, "") << "the provider has left none";
  tool::Round of_provider{{{"who", "elicitation/create", form}}, {}};
  EXPECT_EQ(asker.left_open(of_provider, "second").round.state, "");
}

TEST_F(SentToAPage, WhoCallsAgainIsSentFirstAndWaitsThen) {
  tool::Abilities able;
  able.urls = true;
  StatelessAsker first(able);
  EXPECT_FALSE(loop.get(first.send_to(call, visit)).value());
  EXPECT_EQ(visit.waits, 0);

  OpenRound open;
  open.round.questions.push_back(visit.asked);
  const auto responses = json::parse(R"({"page":{"action":"accept"}})");
  StatelessAsker again(able);
  EXPECT_EQ(again.resume(open, &responses->root()), std::nullopt);
  sent = loop.start(again.send_to(call, visit));
  loop.turn();
  EXPECT_THAT(visit.answers, ElementsAre(R"({"action":"accept"})"));
  EXPECT_FALSE(sent->has_value());
  visit.end(true);
  loop.turn();
  EXPECT_TRUE(sent->has_value());
  EXPECT_TRUE((*sent)->value());
  EXPECT_TRUE(outlet.sent.empty());
}

}  // namespace
}  // namespace host::mcp
