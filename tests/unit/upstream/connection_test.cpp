#include "upstream/connection/connection.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "fake_transport.h"
#include "upstream/connection/list_fetch.h"

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    ConnectionSettings settings;
    settings.name = "u";
    settings.info = R"({"name":"t","version":"1"})";
    settings.messages_per_second = 10;
    settings.probe_timeout = 1ms;
    settings.close_timeout = 1ms;
    settings.jobs = jobs_;
    Connection::Events events;
    events.on_ready = [this] { ++ready_; };
    events.on_ended = [this](const Error& why, bool) { ended_ = why.message; };
    events.on_list_changed = [this](ListKind) { ++changes_; };
    events.on_resource_updated = [this](const std::string& uri) { updated_.push_back(uri); };
    events.on_dropped = [this](std::string_view reason) { dropped_.emplace_back(reason); };
    connection_ =
        std::make_unique<Connection>(io_.get_executor(), std::make_unique<FakeTransport>(state_),
                                     std::move(settings), std::move(events));
  }

  void say(const std::string& text) { state_->listener->message(text, {}); }
  void answer(const std::string& id, const std::string& result) {
    say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
  }
  void become_legacy() {
    connection_->open(Era::Legacy);
    answer("1", R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}},)"
                R"("serverInfo":{"name":"s","version":"2"}})");
  }
  void become_modern() {
    connection_->open(Era::Modern);
    answer("1", R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)"
                R"({"tools":{"listChanged":true},"resources":{"subscribe":true}}})");
  }
  // What each open subscription is for: "lists", or the number of its resources.
  std::vector<std::string> listens() const {
    std::vector<std::string> out;
    for (const Outgoing& one : state_->sent) {
      const bool is_over = std::count(state_->cancelled.begin(), state_->cancelled.end(), one.id);
      if (one.method != "subscriptions/listen" || is_over || over_.contains(one.id)) continue;
      const auto tree = json::parse(one.text);
      const json::Value* const wanted = json::at(tree->root(), "/params/notifications");
      const json::Value* const uris = json::find(*wanted, "resourceSubscriptions");
      EXPECT_NE(uris != nullptr, json::find(*wanted, "toolsListChanged") != nullptr);
      out.push_back(uris ? std::to_string(uris->Size()) : "lists");
    }
    return out;
  }
  const Outgoing& last_listen() const { return state_->sent.back(); }
  void acknowledge(const std::string& id) {
    say(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)"
        R"({"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
        id + "}}}");
  }
  void refuse_listen(const std::string& id, int code = -32602) {
    over_.insert(id);
    say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":)" + std::to_string(code) +
        R"(,"message":"too many"}})");
  }
  RequestNumber call(std::vector<std::string>& into) {
    Request request;
    request.method = "tools/call";
    request.members = protocol::call_members("a", "{}", {});
    request.on_answer = [&into](const Answer& got) {
      if (got.kind == Answer::Kind::Result) into.push_back(json::write(*got.result));
      if (got.kind == Answer::Kind::Refused) into.push_back("refused: " + got.refusal.message);
      if (got.kind == Answer::Kind::Failed)
        into.push_back(got.reached == Reached::No ? "not sent" : "failed: " + got.why.message);
    };
    return connection_->send(std::move(request));
  }
  std::vector<std::string> methods() const {
    std::vector<std::string> out;
    for (const Outgoing& one : state_->sent) out.push_back(one.method);
    return out;
  }

  // What is read on the other thread comes then.
  template <class Condition>
  void run_until(Condition condition) {
    while (!condition()) {
      io_.restart();
      io_.run_one();
    }
  }

  boost::asio::io_context io_;
  std::shared_ptr<JobThread> jobs_ = std::make_shared<JobThread>(io_.get_executor());
  std::shared_ptr<FakeTransport::State> state_ = std::make_shared<FakeTransport::State>();
  std::unique_ptr<Connection> connection_;
  int ready_ = 0;
  int changes_ = 0;
  std::string ended_;
  std::vector<std::string> dropped_;
  std::vector<std::string> updated_;
  std::set<std::string> over_;  // subscriptions that the upstream has ended
};

TEST_F(ConnectionTest, AnAnswerToDiscoverMakesItModern) {
  connection_->open(Era::Unknown);
  EXPECT_THAT(state_->sent[0].text, HasSubstr("io.modelcontextprotocol/protocolVersion"));
  answer("1", R"({"resultType":"complete","supportedVersions":["2026-07-28"],)"
              R"("capabilities":{"tools":{"listChanged":true}}})");
  EXPECT_EQ(ready_, 1);
  EXPECT_EQ(state_->version, protocol::Version::v2026_07_28);
  EXPECT_THAT(methods(), ElementsAre("server/discover", "subscriptions/listen"));
}

TEST_F(ConnectionTest, AnyOtherErrorOfDiscoverLeadsToInitialize) {
  connection_->open(Era::Unknown);
  say(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"what?"}})");
  answer("2", R"({"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{}})");
  EXPECT_EQ(ready_, 1);
  EXPECT_THAT(methods(), ElementsAre("server/discover", "initialize", "notifications/initialized"));
}

TEST_F(ConnectionTest, SilenceLeadsToInitializeOverStdio) {
  connection_->open(Era::Unknown);
  io_.run_for(200ms);
  EXPECT_THAT(methods(), ElementsAre("server/discover", "initialize"));
}

TEST_F(ConnectionTest, AModernServerOfAnotherVersionIsGivenUp) {
  connection_->open(Era::Unknown);
  say(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":[]}}})");
  EXPECT_TRUE(state_->closed);
  state_->listener->ended(Error{ErrorKind::Unavailable, "closed"});
  EXPECT_THAT(ended_, HasSubstr("2026-07-28"));
}

TEST_F(ConnectionTest, AnUnknownVersionInInitializeIsGivenUp) {
  connection_->open(Era::Legacy);
  answer("1", R"({"protocolVersion":"2031-01-01","capabilities":{},"serverInfo":{}})");
  EXPECT_EQ(ready_, 0);
  EXPECT_TRUE(state_->closed);
}

TEST_F(ConnectionTest, EachRequestGetsOneAnswerAndOthersAreDropped) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  answer("77", "{}");
  answer("\"" + std::to_string(number) + "\"", "{}");  // a text is not the number
  answer(std::to_string(number), R"({"a":1})");
  answer(std::to_string(number), R"({"a":2})");
  EXPECT_THAT(got, ElementsAre(R"({"a":1})"));
  EXPECT_THAT(dropped_, ElementsAre("unexpected", "unexpected", "unexpected"));
}

TEST_F(ConnectionTest, AnAnswerThatCannotBeReadFailsItsRequestAtOnce) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  say(R"({"jsonrpc":"2.0","id":)" + std::to_string(number) + R"(,"result":{"a":)" +
      std::string(2000, '['));
  EXPECT_THAT(got, ElementsAre(HasSubstr("failed: its answer cannot be read: line 1, column ")));
  EXPECT_THAT(dropped_, ElementsAre("garbage"));
}

TEST_F(ConnectionTest, AnAnswerThatOtherClientsCanReadIsRead) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  answer(std::to_string(number), R"({"a":[123456789012345678901234567890,1e400,"cut \ud83d"]})");
  EXPECT_THAT(got, ElementsAre("{\"a\":[1.2345678901234568e+29,1.7976931348623157e+308,"
                               "\"cut \xEF\xBF\xBD\"]}"));
  EXPECT_THAT(dropped_, ElementsAre());
}

TEST_F(ConnectionTest, ALineOfTheLogIsNotGivenToACallThatBeganAfterAnotherOneEnded) {
  become_legacy();
  std::vector<std::string> got;
  int lines = 0;
  const auto call_with_log = [&] {
    Request request;
    request.method = "tools/call";
    request.members = protocol::call_members("a", "{}", {});
    request.on_log = [&](const protocol::ForeignLog&) { ++lines; };
    return connection_->send(std::move(request));
  };
  const char* const line =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}})";
  const RequestNumber first = call_with_log();
  say(line);
  EXPECT_EQ(lines, 1);
  connection_->cancel(first, "nobody waits");
  call_with_log();
  say(line);
  EXPECT_EQ(lines, 1) << "it may be of the first call, which was somebody else's";
}

TEST_F(ConnectionTest, ALineOfTheLogIsGivenToTheNextCallOfTheSameClientAndTool) {
  become_legacy();
  std::string got;
  const auto call = [&](const std::string& reader) {
    Request request;
    request.method = "tools/call";
    request.members = protocol::call_members("a", "{}", {});
    request.log_reader = reader;
    request.on_log = [&got, reader](const protocol::ForeignLog&) { got += reader; };
    return connection_->send(std::move(request));
  };
  const auto speak = [&] {
    say(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}})");
  };
  for (int i = 0; i < 3; ++i) {
    const RequestNumber number = call("a");
    speak();
    connection_->cancel(number, "done");
  }
  EXPECT_EQ(got, "aaa");
  const RequestNumber other = call("b");
  speak();
  connection_->cancel(other, "done");
  call("a");
  speak();
  EXPECT_EQ(got, "aaa") << "it may be of the call of the other one";
}

TEST_F(ConnectionTest, GarbageIsDroppedAndKeptForPeople) {
  become_legacy();
  say("Welcome!\x1B[0m");
  say("{\"jsonrpc\":\"2.0\"}");
  EXPECT_THAT(dropped_, ElementsAre("garbage", "garbage"));
  EXPECT_EQ(connection_->first_garbage(), "Welcome!<U+001B>[0m");
}

TEST_F(ConnectionTest, RequestsOfTheUpstreamAreAnsweredOrRefused) {
  become_legacy();
  say(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(state_->sent.back().text, R"({"jsonrpc":"2.0","id":"p","result":{}})");
  say(R"({"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{}})");
  EXPECT_THAT(state_->sent.back().text, HasSubstr("-32601"));
  say(R"({"jsonrpc":"2.0","id":6,"method":"roots/list"})");
  EXPECT_THAT(state_->sent.back().text,
              HasSubstr("no call of a client that can be asked is in flight"));
}

TEST_F(ConnectionTest, TheRefusalOfAQuestionNamesTheCapabilityThatTheClientLacks) {
  become_legacy();
  Request request;
  request.method = "tools/call";
  request.client = "ada";
  request.abilities = {.roots = true};
  request.on_answer = [](const Answer&) {};
  const std::string number = std::to_string(connection_->send(std::move(request)));
  constexpr const char* kSampling =
      R"({"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"messages":[]}})";
  for (const std::string& stream : {std::string(), number}) {  // over stdio and over HTTP
    state_->listener->message(kSampling, stream);
    EXPECT_THAT(state_->sent.back().text, HasSubstr("cannot be asked: it lacks sampling"));
  }
}

TEST_F(ConnectionTest, AQuestionIsForTheOneClientWhoseCallsAreInFlight) {
  become_legacy();
  std::vector<std::string> asked;
  const auto ask = [&](const std::string& client) {
    Request request;
    request.method = "tools/call";
    request.client = client;
    request.on_answer = [](const Answer&) {};
    request.on_question = [&asked, client](const protocol::Id& id, const tool::Question& question) {
      asked.push_back(client + " " + id + " " + question.params);
    };
    return connection_->send(std::move(request));
  };
  constexpr const char* kForm =
      R"("method":"elicitation/create","params":{"message":"m","requestedSchema":{},"_meta":{}}})";
  const auto elicit = [&](const std::string& id) {
    say(R"({"jsonrpc":"2.0","id":)" + id + "," + kForm);
  };
  const RequestNumber first = ask("ada");
  ask("ada");
  elicit("1");
  EXPECT_THAT(asked, ElementsAre(R"(ada 1 {"message":"m","requestedSchema":{}})"));
  connection_->answer("1", R"({"action":"decline"})");
  EXPECT_EQ(state_->sent.back().text, R"({"jsonrpc":"2.0","id":1,"result":{"action":"decline"}})");
  const RequestNumber other = ask("bob");
  elicit("2");
  EXPECT_THAT(state_->sent.back().text, HasSubstr("calls of several clients are in flight"));
  // Over HTTP it comes on the stream of its call.
  state_->listener->message(R"({"jsonrpc":"2.0","id":3,)" + std::string(kForm),
                            std::to_string(first));
  EXPECT_THAT(asked.back(), HasSubstr("ada 3"));
  // The upstream may still work on a call that was cancelled.
  connection_->cancel(other, "over");
  elicit("4");
  EXPECT_THAT(state_->sent.back().text, HasSubstr("calls of several clients are in flight"));
  say(R"({"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":7}})");
  EXPECT_THAT(asked, ::testing::SizeIs(2));
}

TEST_F(ConnectionTest, AnAnswerToAQuestionNamesTheRequestThatWaitsForIt) {
  become_legacy();
  const auto begin = [this] {
    Request request;
    request.method = "tools/call";
    request.on_answer = [](const Answer&) {};
    request.on_question = [](const protocol::Id&, const tool::Question&) {};
    return std::to_string(connection_->send(std::move(request)));
  };
  const auto elicit = [this](const std::string& id, const std::string& request) {
    state_->listener->message(R"({"jsonrpc":"2.0","id":)" + id +
                                  R"(,"method":"elicitation/create","params":)"
                                  R"({"message":"m","requestedSchema":{}}})",
                              request);
  };
  const std::string first = begin();
  const std::string second = begin();
  elicit("7", first);
  elicit("8", second);
  connection_->answer("8", "{}");
  EXPECT_EQ(state_->sent.back().asker, second);
  connection_->refuse("7", -32603, "m");
  EXPECT_EQ(state_->sent.back().asker, first);
  elicit("9", "");  // on the stream of messages without a request
  connection_->answer("9", "{}");
  EXPECT_EQ(state_->sent.back().asker, second);
  elicit("10", first);
  for (const std::string method : {"ping", "no/such"}) {
    say(R"({"jsonrpc":"2.0","id":10,"method":")" + method + R"("})");
    EXPECT_EQ(state_->sent.back().asker, "") << method;
  }
  connection_->answer("10", "{}");
  EXPECT_EQ(state_->sent.back().asker, first) << "a ping with the same id is no answer";
}

TEST_F(ConnectionTest, ARefusalOfAQuestionNamesTheRequestThatWaitsForIt) {
  become_legacy();
  std::string id;
  for (const bool can_ask : {false, true}) {
    Request request;
    request.method = "tools/call";
    request.on_answer = [](const Answer&) {};
    if (can_ask) request.on_question = [](const protocol::Id&, const tool::Question&) {};
    id = std::to_string(connection_->send(std::move(request)));
    state_->listener->message(
        R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":7}})", id);
    EXPECT_THAT(state_->sent.back().text, HasSubstr("\"error\""));
    EXPECT_EQ(state_->sent.back().asker, id) << can_ask;
  }
}

TEST_F(ConnectionTest, OnlyTheAnswerToACallOfAClientCounts) {
  become_legacy();
  for (const bool is_call : {false, true}) {
    Request request;
    request.method = "tools/call";
    request.outlives_session = is_call;
    request.on_answer = [](const Answer&) {};
    answer(std::to_string(connection_->send(std::move(request))), "{}");
    EXPECT_EQ(connection_->answered_a_call(), is_call);
  }
}

TEST_F(ConnectionTest, ATransportThatDoesNotEndIsLeft) {
  become_legacy();
  std::vector<std::string> got;
  call(got);
  connection_->close();
  EXPECT_TRUE(state_->closed);
  EXPECT_EQ(ended_, "");
  while (ended_.empty()) io_.run_one();
  EXPECT_EQ(ended_, "the host ended the connection");
  EXPECT_THAT(got, ElementsAre("failed: the host ended the connection"));
}

TEST_F(ConnectionTest, AGapInItsMessagesMayHaveHadAChange) {
  become_legacy();
  connection_->follow({"x:a"});
  state_->listener->missed();
  EXPECT_EQ(changes_, 3);  // of tools, resources and prompts
  EXPECT_THAT(updated_, ElementsAre("x:a"));
}

TEST_F(ConnectionTest, ASubscriptionThatTheUpstreamEndsIsMadeAgain) {
  become_modern();
  connection_->follow({"x:a"});
  EXPECT_THAT(listens(), ElementsAre("lists", "1"));
  for (const std::string& id : {state_->sent.end()[-2].id, state_->sent.back().id}) {
    over_.insert(id);
    answer(id, R"({"resultType":"complete"})");
  }
  EXPECT_THAT(listens(), IsEmpty());
  run_until([&] { return listens().size() == 2; });
  EXPECT_THAT(listens(), ElementsAre("lists", "1"));
  run_until([&] { return changes_ > 0; });
  EXPECT_EQ(changes_, 3);
  EXPECT_THAT(updated_, ElementsAre("x:a"));
}

TEST_F(ConnectionTest, AServerThatIsNotReadyIsAskedAgainForTheChangesOfItsLists) {
  become_modern();
  const auto end_all_with = [&](const std::string& how) {
    const std::string id = last_listen().id;
    over_.insert(id);
    say(R"({"jsonrpc":"2.0","id":)" + id + "," + how + "}");
    EXPECT_THAT(listens(), IsEmpty());
  };
  end_all_with(R"("error":{"code":-32603,"message":"starting"})");
  run_until([&] { return listens().size() == 1; });
  EXPECT_EQ(changes_, 3);                       // what changed meanwhile is not known
  end_all_with(R"("result":{},"error":null)");  // no valid answer
  run_until([&] { return listens().size() == 1; });
  EXPECT_THAT(listens(), ElementsAre("lists"));
  acknowledge(last_listen().id);
  EXPECT_EQ(changes_, 6);  // what changed until now
  end_all_with(R"("error":{"code":-32603,"message":"stopping"})");
  run_until([&] { return listens().size() == 1; });
  EXPECT_EQ(changes_, 9);
  end_all_with(R"("error":{"code":-32601,"message":"no such method"})");
  connection_->follow({"x:a"});
  EXPECT_THAT(listens(), ElementsAre("1"));
}

TEST_F(ConnectionTest, ARefusedSubscriptionCostsOnlyTheResourcesThatAreRefusedAlone) {
  become_modern();
  connection_->follow({"x:a", "x:b", "x:c"});
  const auto has_b = [&](const Outgoing& one) {
    return !over_.contains(one.id) && one.text.find("x:b") != std::string::npos;
  };
  for (int i = 0; i < 3; ++i) {  // of three, of two, of one
    const auto found = std::find_if(state_->sent.begin(), state_->sent.end(), has_b);
    if (found == state_->sent.end()) break;
    refuse_listen(std::string(found->id));
  }
  EXPECT_THAT(listens(), ElementsAre("lists", "1", "1"));
}

// As a server whose handler throws, or one that is not ready yet.
TEST_F(ConnectionTest, ResourcesThatAreRefusedForAFaultAreAskedForAgain) {
  become_modern();
  connection_->follow({"x:a", "x:b"});
  const auto refuse_all = [&] {
    std::vector<std::string> ids;
    for (const Outgoing& one : state_->sent) {
      const bool is_listen = one.text.find("resourceSubscriptions") != std::string::npos;
      if (is_listen && over_.insert(one.id).second) ids.push_back(one.id);
    }
    for (const std::string& id : ids)
      say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32603,"message":"starting"}})");
  };
  refuse_all();  // both together
  refuse_all();  // each alone
  EXPECT_THAT(listens(), ElementsAre("lists"));
  run_until([&] { return listens().size() == 3; });
  EXPECT_THAT(listens(), ElementsAre("lists", "1", "1"));
}

TEST_F(ConnectionTest, WhatIsRefusedForAFaultAgainLetsTheSubscriptionsOfOthersBe) {
  become_modern();
  connection_->follow({"x:a", "x:bad1", "x:bad2", "x:bad3", "x:bad4", "x:bad5"});
  std::size_t at = 2;
  std::size_t good = 0;
  const auto answer_all = [&] {
    for (; at < state_->sent.size(); ++at) {
      const Outgoing one = state_->sent[at];
      if (one.method != "subscriptions/listen") continue;
      if (one.text.find("x:a") != std::string::npos) ++good;
      one.text.find("x:bad") == std::string::npos ? acknowledge(one.id)
                                                  : refuse_listen(one.id, -32603);
    }
  };
  answer_all();
  EXPECT_THAT(listens(), ElementsAre("lists", "1"));
  const std::size_t before = std::exchange(good, 0);
  EXPECT_GT(before, 0u);
  run_until([&] { return state_->sent.size() > at; });
  answer_all();
  EXPECT_EQ(good, 0u);
  EXPECT_THAT(listens(), ElementsAre("lists", "1"));
}

TEST_F(ConnectionTest, ManyRefusedResourcesCostTheOthersNothing) {
  become_modern();
  std::set<std::string> uris;
  for (int i = 0; i < 300; ++i) uris.insert("x:" + std::to_string(1000 + i));
  connection_->follow(uris);
  const auto is_refused = [](const Outgoing& one) {
    for (int i = 0; i < 300; i += 25) {
      if (one.text.find("x:" + std::to_string(1000 + i)) != std::string::npos) return true;
    }
    return false;
  };
  const auto answer_all = [&](std::size_t from) {
    std::size_t refused = 0;
    for (; from < state_->sent.size(); ++from) {
      const Outgoing one = state_->sent[from];
      if (one.method != "subscriptions/listen") continue;
      if (is_refused(one)) ++refused;
      is_refused(one) ? refuse_listen(one.id) : acknowledge(one.id);
    }
    return refused;
  };
  answer_all(2);
  std::size_t followed = 0;
  for (const std::string& one : listens()) followed += one == "lists" ? 0 : std::stoul(one);
  EXPECT_EQ(followed, 288u);
  EXPECT_LE(listens().size(), 17u);
  const std::size_t sent = state_->sent.size();
  uris.erase("x:1001");
  connection_->follow(uris);
  EXPECT_EQ(answer_all(sent), 0u);  // those that were refused are remembered
  EXPECT_THAT(listens(), ElementsAre("lists", "100", "100", "87"));
}

TEST_F(ConnectionTest, ASubscriptionEndsAlsoIfTheLastOfTheNextOnesIsRefused) {
  become_modern();
  connection_->follow({"x:a"});
  acknowledge(last_listen().id);
  connection_->follow({"x:b"});
  refuse_listen(std::string(last_listen().id));
  EXPECT_THAT(listens(), ElementsAre("lists"));
}

TEST_F(ConnectionTest, ASubscriptionEndsAlsoIfTheLastOfTheNextOnesFails) {
  become_modern();
  connection_->follow({"x:a"});
  acknowledge(last_listen().id);
  connection_->follow({"x:b"});
  const std::string id = last_listen().id;
  over_.insert(id);
  state_->listener->failed(id, Reached::No, Error{ErrorKind::Denied, "log in"});
  EXPECT_THAT(listens(), ElementsAre("lists"));
}

TEST_F(ConnectionTest, ARefusedResourceIsAskedForAgainOnceTheListOfResourcesHasChanged) {
  become_modern();
  connection_->follow({"x:a"});
  refuse_listen(std::string(last_listen().id));
  connection_->follow({"x:a", "x:b"});
  EXPECT_THAT(listens(), ElementsAre("lists", "1"));
  say(R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})");
  connection_->follow({"x:a", "x:b", "x:c"});
  acknowledge(last_listen().id);
  EXPECT_THAT(listens(), ElementsAre("lists", "3"));
}

TEST_F(ConnectionTest, ARefusedResourceIsAskedForAgainThoughNobodyFollowsAnother) {
  become_modern();
  connection_->follow({"x:a"});
  refuse_listen(std::string(last_listen().id));
  EXPECT_THAT(listens(), ElementsAre("lists"));
  say(R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})");
  run_until([&] { return listens().size() == 2; });
  EXPECT_THAT(listens(), ElementsAre("lists", "1"));
}

TEST_F(ConnectionTest, ASearchThatInterruptsTheNotificationsMayHaveMissedAChange) {
  become_modern();
  std::set<std::string> uris;
  for (int i = 0; i < 1600; ++i) uris.insert("x:" + std::to_string(1000 + i));
  connection_->follow(uris);
  std::size_t at = 0;
  const auto answer_all = [&] {
    for (; at < state_->sent.size(); ++at) {
      const Outgoing one = state_->sent[at];
      if (one.method != "subscriptions/listen") continue;
      one.text.find("x:bad") == std::string::npos ? acknowledge(one.id) : refuse_listen(one.id);
    }
  };
  answer_all();
  EXPECT_EQ(changes_, 0);
  uris.insert("x:bad");  // there is no place for its halves beside the earlier subscriptions
  connection_->follow(uris);
  answer_all();
  EXPECT_EQ(changes_, 3);
  EXPECT_EQ(updated_.size(), uris.size());
}

TEST_F(ConnectionTest, SubscriptionsToManyResourcesAreSeveral) {
  become_modern();
  std::set<std::string> uris;
  for (int i = 0; i < 250; ++i) uris.insert("x:" + std::to_string(i));
  connection_->follow(uris);
  EXPECT_THAT(listens(), ElementsAre("lists", "100", "100", "50"));
}

TEST_F(ConnectionTest, ASubscriptionEndsOnceTheNextOneIsAcknowledged) {
  become_modern();
  connection_->follow({"x:a"});
  acknowledge(last_listen().id);
  connection_->follow({"x:a", "x:b"});
  EXPECT_THAT(listens(), ElementsAre("lists", "1", "2"));
  acknowledge(last_listen().id);
  EXPECT_THAT(listens(), ElementsAre("lists", "2"));
  connection_->follow({});
  EXPECT_THAT(listens(), ElementsAre("lists"));
}

TEST_F(ConnectionTest, AnAnswerThatIsNoMessageFailsItsRequestAtOnce) {
  become_legacy();
  std::vector<std::string> got;
  const auto id = [&] { return std::to_string(call(got)); };
  say(R"({"jsonrpc":"2.0","id":)" + id() + R"(,"error":"boom"})");
  say(R"({"jsonrpc":"2.0","id":)" + id() +
      R"(,"result":{"a":1},"error":{"code":1,"message":"m"}})");
  EXPECT_THAT(got, ElementsAre(HasSubstr("no valid response of JSON-RPC"), HasSubstr("no valid")));
  EXPECT_THAT(dropped_, ElementsAre("garbage", "garbage"));
  got.clear();
  say(R"({"jsonrpc":"2.0","id":)" + id() + R"(,"result":{"a":1},"error":null})");
  EXPECT_THAT(got, ElementsAre(R"({"a":1})"));
}

TEST_F(ConnectionTest, TheEndFailsWhatIsInFlight) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber unsent = call(got);
  call(got);
  state_->listener->failed(std::to_string(unsent), Reached::No, Error{});
  state_->listener->ended(Error{ErrorKind::Unavailable, "exited"});
  EXPECT_THAT(got, ElementsAre("not sent", "failed: exited"));
  EXPECT_EQ(ended_, "exited");
}

TEST_F(ConnectionTest, ACancelledRequestIsToldAndItsLateAnswerDropped) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  connection_->cancel(number, "why not");
  EXPECT_THAT(state_->cancelled, ElementsAre(std::to_string(number)));
  answer(std::to_string(number), "{}");
  EXPECT_THAT(got, IsEmpty());
  EXPECT_THAT(dropped_, ElementsAre("unexpected"));
}

TEST_F(ConnectionTest, AFloodOfNotificationsHasToWait) {
  become_legacy();
  for (int i = 0; i < 30; ++i)
    say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_EQ(changes_, 30);
  EXPECT_GT(state_->pauses, 10);
}

TEST_F(ConnectionTest, AnAnswerMayDestroyTheConnection) {
  become_legacy();
  Request request;
  request.method = "tools/list";
  request.on_answer = [this](const Answer&) { connection_.reset(); };
  const RequestNumber number = connection_->send(std::move(request));
  answer(std::to_string(number), "{}");
  EXPECT_EQ(connection_, nullptr);
}

TEST_F(ConnectionTest, SeveralMessagesInOneTextAreTaken) {
  become_legacy();
  say(R"([{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},7,[]])");
  EXPECT_EQ(changes_, 1);
}

TEST_F(ConnectionTest, MessagesInOneTextCountOneByOneAndTheirNumberHasALimit) {
  become_legacy();
  std::string batch;
  for (int i = 0; i < 30; ++i)
    batch += R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"},)";
  say("[" + batch + "7]");
  EXPECT_EQ(changes_, 10);
  EXPECT_THAT(dropped_, ElementsAre("batch"));
  say("[[],7]");
  EXPECT_EQ(state_->pauses, 2);
}

TEST_F(ConnectionTest, ALongMessageIsReadOnAnotherThreadAndMeanwhileNothingMore) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  answer(std::to_string(number), R"({"text":")" + std::string(100'000, 'x') + "\"}");
  EXPECT_THAT(got, IsEmpty());
  EXPECT_EQ(state_->pauses, 1);
  run_until([&] { return !got.empty(); });
  EXPECT_EQ(got.front().size(), 100'011u);
  EXPECT_EQ(state_->pauses, 2);  // goes on
}

TEST_F(ConnectionTest, AFloodInLongMessagesHasToWaitToo) {
  become_legacy();
  const std::string one =
      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":)"
      R"({"text":")" +
      std::string(10'000, 'x') + "\"}}";
  std::string batch = one;
  for (int i = 1; i < 10; ++i) batch += "," + one;
  say("[" + batch + "]");
  say("[" + batch + "]");
  run_until([&] { return changes_ == 20; });
  EXPECT_TRUE(state_->is_paused);
}

TEST_F(ConnectionTest, AFloodDoesNotShortenThePauseForALongMessage) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  answer(std::to_string(number), R"({"text":")" + std::string(100'000, 'x') + "\"}");
  for (int i = 0; i < 20; ++i)
    say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_EQ(state_->pause, 1h);
  run_until([&] { return !got.empty(); });
  EXPECT_TRUE(state_->is_paused) << "for the flood";
  EXPECT_LT(state_->pause, 1h);
}

TEST_F(ConnectionTest, OnlyAFewResourcesAreSubscribedToAtOnce) {
  connection_->open(Era::Legacy);
  answer("1", R"({"protocolVersion":"2025-06-18","capabilities":{"resources":{"subscribe":true}},)"
              R"("serverInfo":{"name":"s","version":"2"}})");
  const auto ids = [&](const std::string& method) {
    std::vector<std::string> out;
    for (const Outgoing& one : state_->sent)
      if (one.method == method) out.push_back(one.id);
    return out;
  };
  std::set<std::string> uris;
  for (int i = 0; i < 50; ++i) uris.insert("memo:///" + std::to_string(i));
  connection_->follow(uris);
  ASSERT_EQ(ids("resources/subscribe").size(), 4u);
  state_->listener->failed(ids("resources/subscribe")[0], Reached::No,
                           Error{ErrorKind::Io, "too many requests are on their way"});
  std::size_t answered = 1;
  const auto answer_all = [&](const std::string& method) {
    while (answered < ids(method).size()) {
      EXPECT_LE(ids(method).size() - answered, 4u);
      answer(ids(method)[answered++], "{}");
    }
  };
  run_until([&] {
    answer_all("resources/subscribe");
    return answered == 51;  // the one that failed was sent again
  });
  connection_->follow({"memo:///7"});
  answered = 0;
  answer_all("resources/unsubscribe");
  EXPECT_EQ(answered, 49u);
  EXPECT_EQ(ids("resources/subscribe").size(), 51u);
}

class UnansweredSubscriptions : public ConnectionTest,
                                public ::testing::WithParamInterface<ErrorKind> {};

TEST_P(UnansweredSubscriptions, DoNotKeepOthersFromBeingSent) {
  connection_->open(Era::Legacy);
  answer("1", R"({"protocolVersion":"2025-06-18","capabilities":{"resources":{"subscribe":true}},)"
              R"("serverInfo":{"name":"s","version":"2"}})");
  connection_->follow({"a://1", "a://2", "a://3", "a://4", "b://x"});
  std::size_t seen = 0;
  std::size_t tries = 0;
  bool is_alive_told = false;
  run_until([&] {
    for (; !is_alive_told && tries < 20 && seen < state_->sent.size(); ++seen) {
      const Outgoing one = state_->sent[seen];
      is_alive_told = one.text.find("b://x") != std::string::npos;
      if (is_alive_told || one.text.find("a://") == std::string::npos) continue;
      ++tries;
      state_->listener->failed(one.id, Reached::Perhaps, Error{GetParam(), "no answer"});
    }
    return is_alive_told || tries >= 20;
  });
  EXPECT_TRUE(is_alive_told);
  EXPECT_EQ(tries, 4u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, UnansweredSubscriptions,
                         ::testing::Values(ErrorKind::DeadlineExceeded, ErrorKind::Io));

TEST_F(ConnectionTest, ALongMessageIsTakenBeforeTheEndThatFollowsIt) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  answer(std::to_string(number), R"({"text":")" + std::string(100'000, 'x') + "\"}");
  state_->listener->failed(std::to_string(number), Reached::Perhaps, Error{ErrorKind::Io, "broke"});
  state_->listener->ended(Error{ErrorKind::Unavailable, "exited"});
  EXPECT_EQ(ended_, "");
  run_until([&] { return !ended_.empty(); });
  ASSERT_EQ(got.size(), 1u);
  EXPECT_THAT(got.front(), HasSubstr("xxx"));
}

TEST_F(ConnectionTest, ALongMessageMayComeAfterTheConnectionIsGone) {
  become_legacy();
  std::vector<std::string> got;
  const RequestNumber number = call(got);
  answer(std::to_string(number), R"({"text":")" + std::string(100'000, 'x') + "\"}");
  connection_.reset();
  io_.restart();
  io_.run();
  EXPECT_THAT(got, IsEmpty());
}

TEST_F(ConnectionTest, ALongTextThatIsNoMessageIsShownByItsBeginning) {
  become_legacy();
  say("Welcome! " + std::string(100'000, 'x'));
  run_until([&] { return !dropped_.empty(); });
  EXPECT_THAT(dropped_, ElementsAre("garbage"));
  EXPECT_THAT(connection_->first_garbage(), HasSubstr("Welcome! xxx"));
}

TEST_F(ConnectionTest, ARequestThatIsMadeWhileTheConnectionEndsWasNotSent) {
  become_legacy();
  std::vector<std::string> got;
  call(got);
  connection_->close();
  call(got);
  EXPECT_THAT(methods(), ElementsAre("initialize", "notifications/initialized", "tools/call"));
  state_->listener->ended(Error{ErrorKind::Unavailable, "exited"});
  EXPECT_THAT(got, ElementsAre("failed: the host ended the connection", "not sent"));
}

TEST_F(ConnectionTest, TheTimeOfAListIsForAllItsPages) {
  become_legacy();
  ListLimits limits;
  limits.timeout = 100ms;
  std::optional<Result<FetchedList>> list;
  fetch_list(*connection_, kTools, limits, jobs_,
             [&](Result<FetchedList> got) { list = std::move(got); });
  for (int page = 2; page < 40 && !list; ++page) {
    io_.restart();
    io_.run_for(10ms);
    const std::string number = std::to_string(page);
    answer(number, R"({"tools":[],"nextCursor":")" + number + "\"}");
  }
  ASSERT_TRUE(list);
  EXPECT_EQ(list->error().kind, ErrorKind::DeadlineExceeded);
}

TEST_F(ConnectionTest, AListIsReadPageByPageWithinItsLimits) {
  become_legacy();
  ListLimits limits;
  limits.entries = 3;
  limits.timeout = 0ms;
  std::optional<Result<FetchedList>> list;
  fetch_list(*connection_, kTools, limits, jobs_,
             [&](Result<FetchedList> got) { list = std::move(got); });
  answer("2", R"({"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"x"})");
  run_until([&] { return state_->sent.size() == 4; });
  EXPECT_THAT(state_->sent.back().text, HasSubstr(R"("cursor":"x")"));
  answer("3", R"({"tools":[{"name":"c"},{"name":"d"}]})");
  run_until([&] { return list.has_value(); });
  ASSERT_TRUE(list && list->has_value());
  EXPECT_THAT((*list)->entries, ::testing::SizeIs(3));
  EXPECT_THAT((*list)->cut, HasSubstr("limits.upstream_tools"));
}

TEST_F(ConnectionTest, AListThatGivesTheSameCursorTwiceIsCut) {
  become_legacy();
  std::optional<Result<FetchedList>> list;
  fetch_list(*connection_, kTools, {}, jobs_,
             [&](Result<FetchedList> got) { list = std::move(got); });
  answer("2", R"({"tools":[],"nextCursor":"x"})");
  run_until([&] { return state_->sent.size() == 4; });
  answer("3", R"({"tools":[],"nextCursor":"x"})");
  run_until([&] { return list.has_value(); });
  ASSERT_TRUE(list && list->has_value());
  EXPECT_THAT((*list)->cut, HasSubstr("same cursor"));
  io_.poll();
}

// ---- a session that the upstream has forgotten

TEST_F(ConnectionTest, ALeavingConnectionStillTakesTheAnswersToCalls) {
  become_legacy();
  const auto begin = [this](std::vector<std::string>& into, bool outlives) {
    Request request;
    request.method = outlives ? "tools/call" : "tools/list";
    request.outlives_session = outlives;
    request.on_question = [](const protocol::Id&, const tool::Question&) {};
    request.on_answer = [&into](const Answer& got) {
      into.push_back(got.kind == Answer::Kind::Result ? json::write(*got.result) : got.why.message);
    };
    return std::to_string(connection_->send(std::move(request)));
  };
  std::vector<std::string> one;
  std::vector<std::string> two;
  std::vector<std::string> of_session;
  const std::string first = begin(one, true);
  const std::string second = begin(two, true);
  const std::string list = begin(of_session, false);
  state_->listener->leaving({ErrorKind::NotFound, "it has forgotten the session"});
  EXPECT_TRUE(connection_->is_leaving());
  EXPECT_FALSE(connection_->ready());
  EXPECT_THAT(state_->cancelled, ElementsAre(list));
  say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_EQ(changes_, 0);
  answer(first, R"({"a":1})");
  EXPECT_THAT(one, ElementsAre(R"({"a":1})"));
  state_->listener->message(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":)"
                            R"({"message":"Who?","requestedSchema":{}}})",
                            second);
  EXPECT_THAT(two, ElementsAre(HasSubstr("it asks a question")));
  state_->listener->ended({ErrorKind::NotFound, "it has forgotten the session"});
  EXPECT_THAT(ended_, HasSubstr("forgotten"));
  EXPECT_THAT(of_session, IsEmpty());
}

}  // namespace
}  // namespace host::upstream
