// What plugins ask of the host's services, in both isolations, through the public SDK.
#include "plugin/services/service_table.h"

#include <fcntl.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "json/json.h"
#include "plugin/services/attachments.h"
#include "plugin/services/history.h"
#include "plugin/services/http.h"
#include "plugin/services/kv.h"
#include "plugin_fixture.h"
#include "store/desk.h"
#include "support/places.h"

namespace host::plugin {
namespace {

class ServicesTest : public PluginTest {
 protected:
  ServicesTest() { settings("services").isolation = GetParam(); }
  ~ServicesTest() override { stop(); }

  void serve(store::KvQuota quota = {}) {
    KvService::Settings settings;
    settings.quota = quota;
    const auto desk = std::make_shared<store::Desk>(io_.get_executor(), [this] {
      ++opened_;
      return store::open_sqlite_store(folder_ / "state/kv.db", system_clock());
    });
    kv_.emplace(settings, desk);
    kv_->offer_in(*table_);
    attachments_.emplace(io_.get_executor());
    attachments_->offer_in(*table_);
    history_.emplace(
        options_.plugins, [this](const tool::Peer& who, std::uint64_t before, std::uint32_t most) {
          asked_.push_back(who.principal + " " + who.session + " " + std::to_string(before) + " " +
                           std::to_string(most));
          return HistoryService::Page{
              R"([{"number":7,"call":"c1","tool":"t","arguments":{"a":1},"outcome":"ok",)"
              R"("result":{"content":[]},"left_out":false,"ended":"2026-01-02T03:04:05Z"},)"
              R"({"number":6,"call":"c0","tool":"t","arguments":null,"outcome":"timeout",)"
              R"("result":null,"left_out":true,"ended":"2026-01-02T03:04:04Z"}])",
              true};
        });
    history_->offer_in(*table_);
    options_.services = table_;
    install_file(places::build() / "tests/plugins/services.so", "services");
    start();
    ASSERT_EQ(status("services").last_error, "");
  }
  void stop() {
    PluginTest::stop();
    kv_.reset();
    attachments_.reset();
    history_.reset();
  }
  tool::Attachment attachment(const std::string& id, const std::string& bytes) {
    const fs::path file = folder_ / id;
    std::ofstream(file, std::ios::binary) << bytes;
    tool::Attachment made{id, id + ".txt", "text/plain", bytes.size(), nullptr};
    made.file = std::make_shared<const UniqueFd>(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return made;
  }
  void give(std::vector<tool::Attachment> attachments) {
    auto given = std::make_shared<tool::CallContext>();
    given->attachments = std::move(attachments);
    passport_ = test::passport_with([&](tool::Passport& passport) { passport.given = given; });
  }
  void with_session(const std::string& session) {
    passport_ =
        test::passport_with([&](tool::Passport& passport) { passport.who.session = session; });
  }

  const std::shared_ptr<ServiceTable> table_ = std::make_shared<ServiceTable>();
  std::optional<KvService> kv_;
  std::optional<AttachmentService> attachments_;
  std::optional<HistoryService> history_;
  std::vector<std::string> asked_;  // of the history
  std::atomic<int> opened_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, ServicesTest,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(ServicesTest, APluginKeepsWhatItWritesOverItsOwnEndAndTheStoresEnd) {
  serve();
  EXPECT_EQ(opened_, 0);  // nothing is opened before something is asked
  EXPECT_EQ(text("kv_get", R"({"key":"k"})"), "nothing");
  EXPECT_EQ(text("kv_set", R"({"key":"k","value":"v"})"), "1");
  stop();
  serve();
  EXPECT_EQ(text("kv_get", R"({"key":"k"})"), "1 v");
  EXPECT_EQ(text("kv_remove", R"({"key":"k"})"), "removed");
  EXPECT_EQ(text("kv_remove", R"({"key":"k"})"), "nothing");
  EXPECT_EQ(opened_, 2);
}

TEST_P(ServicesTest, WhatACallKeepsForItsSessionIsThatSessions) {
  serve();
  with_session("s1");
  EXPECT_EQ(text("kv_set", R"({"key":"k","value":"of s1","session":true})"), "1");
  with_session("s2");
  EXPECT_EQ(text("kv_get", R"({"key":"k","session":true})"), "nothing");
  EXPECT_EQ(text("kv_get", R"({"key":"k"})"), "nothing");
  with_session("s1");
  EXPECT_EQ(text("kv_get", R"({"key":"k","session":true})"), "1 of s1");
  with_session("");
  EXPECT_EQ(text("kv_get", R"({"key":"k","session":true})"), "the call has no session");
}

TEST_P(ServicesTest, WritesThatInsistOnAVersionLoseNothingWhenManyCallsWriteAtOnce) {
  serve();
  std::vector<Running> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(begin("kv_count", R"({"key":"n"})"));
  for (const Running& call : calls) ASSERT_TRUE(finish(call));
  const std::string last = text("kv_get", R"({"key":"n"})");
  EXPECT_EQ(last.substr(last.find(' ')), " 20");
  EXPECT_EQ(text("kv_set", R"({"key":"n","value":"x","expected":1})"), "conflict");
}

TEST_P(ServicesTest, AGrantedPluginReadsTheHistoryOfItsCallsSessionAndPrincipal) {
  settings("services").history = true;
  serve();
  with_session("s1");
  std::string wanted;
  json::write_string(
      R"({"calls":[{"number":7,"call":"c1","tool":"t","arguments":{"a":1},"outcome":"ok",)"
      R"("result":{"content":[]},"left_out":false,"ended":"2026-01-02T03:04:05Z"},)"
      R"({"number":6,"call":"c0","tool":"t","arguments":null,"outcome":"timeout",)"
      R"("result":null,"left_out":true,"ended":"2026-01-02T03:04:04Z"}],"more":true})",
      wanted);
  EXPECT_EQ('"' + text("history", R"({"most":2,"before":9})") + '"', wanted);
  EXPECT_EQ(asked_, std::vector<std::string>{"local s1 9 2"});
  for (const char* most : {"0", "1001"}) {
    EXPECT_EQ(text("history", std::string(R"({"most":)") + most + "}"),
              "-1 a malformed request, or a length that is not 1 to 1000");
  }
  with_session("");
  EXPECT_EQ(text("history"), "-2 the call has no session");
}

TEST_P(ServicesTest, APluginWithoutTheGrantReadsNoHistory) {
  serve();
  with_session("s1");
  EXPECT_EQ(text("history"),
            "-2 the operator does not allow it: [plugin.services] needs history = true");
  EXPECT_TRUE(asked_.empty());
}

TEST_P(ServicesTest, AnswersLaterWhereTheCallDoesNotWait) {
  serve();
  EXPECT_EQ(text("kv_later", R"({"key":"k"})"), "later");
}

TEST_P(ServicesTest, RefusesToWaitOnAThreadThatBringsTheAnswers) {
  serve();
  EXPECT_EQ(text("kv_impatient", R"({"key":"k"})"),
            "this thread may not wait for an answer: use the form with a function");
  EXPECT_EQ(text("kv_impatient_later", R"({"key":"k"})"), "-9");
}

TEST_P(ServicesTest, RefusesToWaitWhereACallIsCancelled) {
  serve();
  std::atomic<bool> inside = false;  // a thread of the plugin sets it
  prepare_ = [&inside](tool::Invocation& invocation) {
    invocation.on_progress = [&inside](double, double, const std::string&) { inside = true; };
  };
  const Running call = begin("kv_until_cancelled");
  prepare_ = nullptr;
  ASSERT_TRUE(run_until([&] { return inside.load(); }));
  call.invocation->cancel->request();
  call.provider->cancel(call.invocation);
  EXPECT_FALSE(finish(call));
  EXPECT_TRUE(run_until([&] { return text("kv_cancel_status") == "-9"; }));
}

TEST_P(ServicesTest, HoldsAPluginToItsBoundOfOpenRequestsAndGoesOn) {
  serve();
  const Running flood = begin("kv_flood", R"({"key":"k"})");
  std::this_thread::sleep_for(200ms);  // no request is answered meanwhile
  EXPECT_EQ(text_in(finish(flood)), "-6");
  EXPECT_EQ(text("kv_set", R"({"key":"k","value":"v"})"), "1");
}

TEST_P(ServicesTest, HoldsAPluginToItsQuotaAndKeysToTheirForm) {
  serve({2u << 20u, 2});
  EXPECT_EQ(text("kv_set_large", R"({"key":"a","bytes":1048576})"), "1048576");
  EXPECT_EQ(text("kv_set_large", R"({"key":"b","bytes":1048576})"),
            "over the plugin's quota, store.kv_bytes or kv_keys");
  EXPECT_EQ(text("kv_set_large", R"({"key":"a","bytes":1048577})"), "a value is at most 1 MiB");
  EXPECT_EQ(text("kv_set_large", R"({"key":"a","bytes":5000000})"), "the request is too large");
  EXPECT_EQ(text("kv_set", R"({"key":"","value":"v"})"), "a key is 1 to 512 bytes of UTF-8");
  EXPECT_EQ(text("kv_set", R"({"key":")" + std::string(513, 'k') + R"(","value":"v"})"),
            "a key is 1 to 512 bytes of UTF-8");
  EXPECT_EQ(text("kv_list", R"({"limit":1001})"),
            "a malformed request, or a limit that is not 1 to 1000");
  EXPECT_EQ(text("kv_list", "{}"), "a=1048576 end");
}

TEST_P(ServicesTest, ACallThatIsCancelledStopsWaitingAtOnce) {
  bool asked = false;
  serve();
  std::vector<std::shared_ptr<ServiceCall>> kept;  // never answered
  table_->add(ServiceId::KvGet, [&](const std::shared_ptr<ServiceCall>& call) {
    asked = true;
    kept.push_back(call);
  });
  const Running call = begin("kv_get", R"({"key":"k"})");
  ASSERT_TRUE(run_until([&] { return asked; }));
  EXPECT_EQ(kept[0]->plugin, "services");
  EXPECT_EQ(kept[0]->call, call.invocation);
  call.invocation->cancel->request();
  call.provider->cancel(call.invocation);
  const Answer answer = finish(call);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled);
  EXPECT_TRUE(run_until([&] { return kept[0]->cancel->requested(); }));
  kept[0]->answer({});  // late: nobody is harmed
  run_for(10ms);
}

TEST_P(ServicesTest, APluginThatIsRetiredWithOpenRequestsIsNotWaitedFor) {
  serve();
  std::vector<std::shared_ptr<ServiceCall>> kept;
  table_->add(ServiceId::KvSet,
              [&](const std::shared_ptr<ServiceCall>& call) { kept.push_back(call); });
  EXPECT_EQ(text("kv_leave", R"({"key":"k"})"), "done");
  ASSERT_TRUE(run_until([&] { return !kept.empty(); }));
  EXPECT_EQ(kept[0]->call, nullptr);
  EXPECT_FALSE(kept[0]->cancel->requested());
  const auto began = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 3s);
  EXPECT_TRUE(kept[0]->cancel->requested());
}

TEST_P(ServicesTest, ServicesThatTheHostDoesNotOfferAreRefused) {
  options_.services = nullptr;
  install_file(places::build() / "tests/plugins/services.so", "services");
  start();
  EXPECT_EQ(text("kv_get", R"({"key":"k"})"), "this host offers no services");
}

TEST_P(ServicesTest, ACallKnowsWhoIsBehindItAndWhatWasGivenAlong) {
  serve();
  passport_ = test::passport("c7", "anna");
  EXPECT_EQ(text("whose", R"({"name":""})"), "anna||c7|||||(none)|null");
  passport_ = test::passport_with([](tool::Passport& passport) {
    passport.call = "c8";
    passport.who.principal = "anna";
    passport.who.agent = "desk";
    passport.who.session = "s1";
    passport.trace = {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=b", "k=v"};
    tool::CallContext given;
    given.values = {{"shop", "north"}, {"empty", ""}};
    given.entries = {{"org.example.cart/1", R"({"loaves":3})"}};
    passport.given = std::make_shared<const tool::CallContext>(given);
  });
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(text("whose", R"({"name":""})"),
            "anna|s1|c8|" + trace + R"(|a=b|k=v|desk|north|{\"loaves\":3} of 3)");
}

TEST_P(ServicesTest, ArgumentsAreReadByTheirPointers) {
  serve();
  const auto read = [&](const std::string& pointer, const std::string& as) {
    const std::string any =
        R"({"text":"a\u00e4\n","whole":7,"exact":-3.0,"part":2.5,"yes":true,"none":null,)"
        R"("large":18446744073709551615,"list":[{"a/b":1},"x"],"":"empty"})";
    return text("argument",
                R"({"any":)" + any + R"(,"pointer":")" + pointer + R"(","as":")" + as + "\"}");
  };
  EXPECT_EQ(read("/any/text", "text"), R"(aä\n)");  // as JSON writes it
  EXPECT_EQ(read("/any/list/1", "text"), "x");
  EXPECT_EQ(read("/any/", "text"), "empty");
  EXPECT_EQ(read("/any/whole", "integer"), "7");
  EXPECT_EQ(read("/any/exact", "integer"), "-3");
  EXPECT_EQ(read("/any/list/0/a~1b", "integer"), "1");
  EXPECT_EQ(read("/any/part", "number"), "2.500000");
  EXPECT_EQ(read("/any/whole", "number"), "7.000000");
  EXPECT_EQ(read("/any/yes", "truth"), "1");
  EXPECT_EQ(read("/any/list", "count"), "2");
  EXPECT_EQ(read("", "count"), "3");
  for (const char* absent : {"/any/none", "/any/other", "/any/list/2", "no pointer"}) {
    EXPECT_EQ(read(absent, "text"), "status -2") << absent;
  }
  EXPECT_EQ(read("/any/part", "integer"), "status -1");
  EXPECT_EQ(read("/any/large", "integer"), "status -1");
  EXPECT_EQ(read("/any/whole", "text"), "status -1");
  EXPECT_EQ(read("/any/text", "number"), "status -1");
  EXPECT_EQ(read("/any/text", "count"), "status -1");
  EXPECT_EQ(read("/any/whole", "truth"), "status -1");
}

TEST_P(ServicesTest, ArgumentsStayForACallThatReadThemBeforeItsFunctionReturned) {
  serve();
  EXPECT_EQ(text("argument_later", R"({"any":"x","pointer":"/any","as":"text"})"), "x");
  EXPECT_EQ(text("argument_later", R"({"any":"x","pointer":"/any","as":"too late"})"), "status -2");
}

TEST_P(ServicesTest, WhatIsAttachedToACallIsReadThere) {
  serve();
  EXPECT_EQ(text("attached_list"), "");
  give({attachment("a", "first"), attachment("b", "")});
  EXPECT_EQ(text("attached_list"), "a a.txt text/plain 5|b b.txt text/plain 0|");
  EXPECT_EQ(text("attached_read"), "first");
  EXPECT_EQ(text("attached_piece", R"({"id":"a","offset":1,"most":3})"), "irs");
  EXPECT_EQ(text("attached_piece", R"({"id":"a","offset":5,"most":3})"), "");
  EXPECT_EQ(text("attached_piece", R"({"id":"a","offset":18446744073709551615,"most":3})"), "");
  fs::remove(folder_ / "a");  // it is held open
  EXPECT_EQ(text("attached_read"), "first");
}

// As in a check function: the host opens the file of an upload when the tool runs.
TEST_P(ServicesTest, AnAttachmentThatIsNotOpenYetIsListedAndNotRead) {
  serve();
  give({tool::Attachment{"a", "a.txt", "text/plain", 5, nullptr}});
  EXPECT_EQ(text("attached_list"), "a a.txt text/plain 5|");
  const std::string told = text("attached_piece", R"({"id":"a","offset":0,"most":1})");
  EXPECT_NE(told.find("not open yet"), std::string::npos) << told;
  EXPECT_EQ(told.find("no attachment of that id"), std::string::npos) << told;
}

TEST_P(ServicesTest, ALargeAttachmentIsReadInPieces) {
  serve();
  give({attachment("a", std::string(5'000'000, 'x'))});
  EXPECT_EQ(text("attached_read"), "5000000 bytes");
  EXPECT_EQ(text("attached_piece", R"({"id":"a","offset":4999999,"most":1048576})"), "x");
}

TEST_P(ServicesTest, AnAttachmentOfAnotherCallIsNotThere) {
  serve();
  give({attachment("a", "first")});
  const std::string none = "no attachment of that id";
  EXPECT_NE(text("attached_piece", R"({"id":"b","offset":0,"most":1})").find(none),
            std::string::npos);
  passport_ = nullptr;
  EXPECT_NE(text("attached_piece", R"({"id":"a","offset":0,"most":1})").find(none),
            std::string::npos);
  give({attachment("a", "first")});
  const std::string bounds = "not 1 byte to 1 MiB";
  EXPECT_NE(text("attached_piece", R"({"id":"a","offset":0,"most":0})").find(bounds),
            std::string::npos);
  EXPECT_NE(text("attached_piece", R"({"id":"a","offset":0,"most":1048577})").find(bounds),
            std::string::npos);
}

TEST_P(ServicesTest, SettingsAreReadByTheirPlace) {
  settings("services").settings = R"({"server":{"ports":[1,2],"a/b":"x"}})";
  serve();
  EXPECT_EQ(text("config_get", R"({"name":"/server/ports/1"})"), "2");
  EXPECT_EQ(text("config_get", R"({"name":"/server/a~1b"})"), R"(\"x\")");
  EXPECT_EQ(text("config_get", R"({"name":"/server/none"})"), "nothing");
  EXPECT_EQ(text("config_get", R"({"name":"no pointer"})"), "nothing");
}

TEST_P(ServicesTest, SecretsAreThoseThatTheConfigurationNames) {
  ::setenv("SERVICES_TEST_SECRET", "swordfish", 1);
  ::setenv("SERVICES_TEST_OTHER", "another", 1);
  settings("services").secrets = {"SERVICES_TEST_SECRET", "SERVICES_TEST_UNSET"};
  serve();
  EXPECT_EQ(text("secret_length", R"({"name":"SERVICES_TEST_SECRET"})"), "9");
  EXPECT_EQ(text("secret_length", R"({"name":"SERVICES_TEST_UNSET"})"), "nothing");
  EXPECT_EQ(text("secret_length", R"({"name":"SERVICES_TEST_OTHER"})"), "nothing");
}

TEST_P(ServicesTest, SecretsDoNotReachTheLog) {
  ::setenv("SERVICES_TEST_SECRET", "sword\"fish", 1);
  settings("services").secrets = {"SERVICES_TEST_SECRET"};
  serve();
  std::string told;
  prepare_ = [&told](tool::Invocation& call) {
    call.on_log = [&told](int, const std::string&, const std::string& message,
                          const std::string& fields) { told += message + fields; };
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(text("secret_spill", R"({"name":"SERVICES_TEST_SECRET"})"), "done");
  run_for(100ms);
  const std::string logged = ::testing::internal::GetCapturedStderr() + told;
  EXPECT_NE(logged.find("logged [SERVICES_TEST_SECRET]"), std::string::npos) << logged;
  EXPECT_EQ(logged.find("fish"), std::string::npos) << logged;
}

TEST_P(ServicesTest, TimersTickUntilTheyAreStopped) {
  serve();
  EXPECT_EQ(text("timer_ticks", R"({"period_ms":5,"count":5})"), "ticked");
  EXPECT_EQ(text("timer_many"), "256");
  EXPECT_EQ(text("timer_ticks", R"({"period_ms":5,"count":1})"), "ticked");  // they are free again
}

TEST_P(ServicesTest, ATimerThatIsLeftDoesNotHoldItsPlugin) {
  serve();
  EXPECT_EQ(text("timer_leave", R"({"period_ms":1,"count":0})"), "left");
  const auto began = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 3s);
}

// The gate sends nothing until its event loop runs.
TEST(HttpService, OnePluginCannotTakeAllRequests) {
  boost::asio::io_context io;
  outbound::Settings settings;
  settings.concurrent = 20;
  settings.look_up = [](const std::string&) -> Result<outbound::Addresses> {
    return Error{ErrorKind::Io, "cannot find it"};
  };
  outbound::Gate gate(io.get_executor(), settings);
  config::Plugins plugins;
  for (const char* name : {"a", "b"}) plugins.by_name[name].net = {"https://x.example"};
  HttpService service(gate, plugins, settings.concurrent);
  ServiceTable table;
  service.offer_in(table);
  std::vector<std::pair<std::string, tp_status>> answers;
  std::string body;
  BodyWriter(body).text(R"({"url":"https://x.example/"})");
  const auto ask = [&](const std::string& plugin) {
    table.start(ServiceId::HttpRequest,
                std::make_shared<ServiceCall>(plugin, nullptr, body, [&, plugin](HostAnswer given) {
                  answers.emplace_back(plugin, given.status);
                }));
  };
  for (int i = 0; i < 6; ++i) ask("a");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0], std::pair(std::string("a"), tp_status{TP_E_BUSY}));
  ask("b");
  EXPECT_EQ(answers.size(), 1u);
  io.run();
  EXPECT_EQ(answers.size(), 7u);
  answers.clear();
  ask("a");  // those before have ended
  EXPECT_TRUE(answers.empty());
  io.restart();
  io.run();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NE(answers[0].second, TP_E_BUSY);
}

}  // namespace
}  // namespace host::plugin
