#include "router/step/interceptor_effect.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "router/step/arguments.h"
#include "support/fake_provider.h"
#include "support/manual_clock.h"
#include "support/passports.h"
#include "tool/provider/catalog.h"

namespace host::router {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A call of `say`, which needs the text `why`.
struct Effect : testing::Test {
  std::shared_ptr<test::FakeProvider> provider = std::make_shared<test::FakeProvider>("worker");
  config::Interceptor one;
  tool::Call call;
  Route route;
  test::ManualClock clock;  // the pause does not pass by itself
  CheckTurns turns{clock};

  Effect() {
    tool::Declaration say = test::declaration("say");
    say.input_schema =
        R"({"type":"object","properties":{"text":{"type":"string"},"why":{"type":"string"}},)"
        R"("required":["why"]})";
    provider->add_answering(say, "said");
    route = {provider->tools().front(), provider, nullptr};
    one.plugin = "mapper";
    call.passport = test::passport_with([](tool::Passport& passport) { passport.call = "c1"; });
    call.name = "say";
    send("{}");
  }
  void send(const char* arguments) { call.arguments = *json::parse(arguments); }
  tool::CallResult fail() { return refused_by_failure(call, route, one, Failed::Function, &turns); }
  std::string change_to(const char* arguments) {
    change_arguments(call, route, one, *json::parse(arguments));
    const auto refused = Arguments().prepare(call, *route.tool);
    return refused ? refused->content : std::string();
  }
};

TEST_F(Effect, AFaultThatTheModelMadeIsToldAsItsOwn) {
  send(R"({"text":"a"})");
  const std::string told = change_to(R"({"text":"A"})");
  EXPECT_THAT(told, HasSubstr("Invalid arguments"));
  EXPECT_THAT(told, HasSubstr("why"));
  EXPECT_THAT(told, HasSubstr("Correct them and call again."));
  EXPECT_THAT(told, Not(HasSubstr("mapper")));
  EXPECT_THAT(call.interceptions, ElementsAre("mapper changed the arguments"));
}

TEST_F(Effect, AFaultThatTheInterceptorMadeIsItsOwn) {
  send(R"({"why":"a"})");
  EXPECT_THAT(change_to(R"({"why":7})"), HasSubstr("mapper"));
  send(R"({"text":"a"})");  // which the interceptor should have corrected
  call.changed_by.clear();
  EXPECT_THAT(change_to(R"({"why":7})"), HasSubstr("mapper"));
}

TEST_F(Effect, TheMembersThatTheHostTakesOutAreNoFaults) {
  tool::Declaration strict = test::declaration("say");
  strict.input_schema = R"({"type":"object","properties":{},"additionalProperties":false})";
  provider->add_answering(strict, "said");
  route.tool = provider->tools().back();
  send(R"({"idempotency_key":"k","attachments":[]})");
  EXPECT_THAT(fail().content, HasSubstr("interceptor"));
}

TEST_F(Effect, AFailureOverArgumentsThatAreNotValidAsksForOthers) {
  const auto invalid = fail();
  EXPECT_TRUE(invalid.is_error);
  EXPECT_THAT(invalid.content, HasSubstr("Correct them and call again."));
  EXPECT_EQ(call.outcome, tool::kBadArguments);
  send(R"({"why":"a"})");
  const auto failed = fail();
  EXPECT_THAT(failed.content, HasSubstr("host's log, call c1"));
  EXPECT_EQ(call.outcome, "interceptor_failed");
}

TEST_F(Effect, AFaultBesideTheArgumentsIsToldInPlaceOfAFailure) {
  const AttachmentStep attachments(nullptr, 1);
  const auto told = [&](const char* arguments) {
    send(arguments);
    EXPECT_THAT(fail().content, HasSubstr("interceptor"));
    const auto fault = other_fault_behind_failure(call, route, attachments);
    EXPECT_EQ(call.outcome, fault ? tool::kBadArguments : "interceptor_failed");
    return fault ? fault->content : std::string();
  };
  call.passport =
      test::passport_with([](tool::Passport& passport) { passport.who.session = "s1"; });
  EXPECT_THAT(told(R"({"why":"a","sessionId":"s2"})"), HasSubstr("/sessionId"));
  EXPECT_THAT(told(R"({"why":"a","attachments":7})"), HasSubstr("/attachments"));
  EXPECT_THAT(told(R"({"why":"a","idempotency_key":7})"), HasSubstr("/idempotency_key"));
  EXPECT_EQ(told(R"({"why":"a","sessionId":"s1"})"), "");
  send(R"({"why":"a","attachments":7})");  // which an earlier interceptor removed
  change_arguments(call, route, one, *json::parse(R"({"why":"b"})"));
  EXPECT_THAT(fail().content, HasSubstr("interceptor"));
  const auto fault = other_fault_behind_failure(call, route, attachments);
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->content, HasSubstr("/attachments"));
  call.outcome = "intercepted";
  EXPECT_FALSE(other_fault_behind_failure(call, route, attachments));
}

TEST_F(Effect, TheCallersFaultIsFoundBehindSeveralChanges) {
  send(R"({"text":"a"})");
  change_arguments(call, route, one, *json::parse(R"({"text":"A"})"));
  one.plugin = "ring";
  EXPECT_THAT(change_to(R"({"text":"B"})"), HasSubstr("Correct them and call again."));
  EXPECT_THAT(fail().content, HasSubstr("Correct them and call again."));
  EXPECT_THAT(change_to(R"({"why":7})"), HasSubstr("ring"));
}

TEST_F(Effect, ArgumentsThatFitAreNotKept) {
  send(R"({"why":"a"})");
  EXPECT_EQ(change_to(R"({"why":"b"})"), "");
  EXPECT_EQ(call.sent, nullptr);
}

// Few bytes can take long to check, by the schema of a server that is not the operator's.
TEST_F(Effect, TheChecksAfterAFailureCountForThePrincipal) {
  tool::Declaration costly = test::declaration("say");
  costly.input_schema = R"({"type":"object","$ref":"#/$defs/d0","$defs":{"d22":{"required":["x"]})";
  for (int i = 0; i < 22; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    costly.input_schema +=
        ",\"d" + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]}";
  }
  costly.input_schema += "}}";
  provider->add_answering(costly, "said");
  route.tool = provider->tools().back();
  EXPECT_THAT(fail().content, HasSubstr("Invalid arguments"));
  for (int i = 0; i < 9; ++i) fail();
  EXPECT_TRUE(turns.must_wait(call));
  EXPECT_THAT(fail().content, HasSubstr("interceptor")) << "is not checked";
}

// A call of `say`, in which somebody has fixed the text.
struct PresetEffect : Effect {
  PresetEffect() { route.tool = *route.tool->with_presets(R"({"text":"fixed"})"); }
};

TEST_F(PresetEffect, BeforeSeesThePresetsInPlaceOfTheModelsValues) {
  send(R"({"text":"mine","why":"a"})");
  EXPECT_EQ(arguments_for_before(call, route), R"({"text":"fixed","why":"a"})");
  call.arguments = json::Document();
  EXPECT_EQ(arguments_for_before(call, route), R"({"text":"fixed"})");
}

TEST_F(PresetEffect, AnotherValueForAPresetDoesNotCountAndIsNoted) {
  send(R"({"why":"a"})");
  EXPECT_EQ(change_to(R"({"why":"a","text":"other"})"), "");
  EXPECT_EQ(call.arguments_text, R"({"why":"a","text":"fixed"})");
  EXPECT_THAT(call.interceptions,
              ElementsAre("mapper changed preset arguments, which does not count: text"));
  EXPECT_EQ(change_to(R"({"why":"b"})"), "");
  EXPECT_EQ(call.arguments_text, R"({"why":"b","text":"fixed"})");
  EXPECT_EQ(call.interceptions.back(), "mapper changed the arguments");
}

TEST_F(Effect, TheSameArgumentsAreNoChange) {
  send(R"({"text":"a","why":{"x":1,"y":2},"idempotency_key":"k"})");
  change_arguments(call, route, one, *json::parse(R"({"why":{"y":2,"x":1},"text":"a"})"));
  EXPECT_THAT(call.interceptions, ElementsAre());
  EXPECT_EQ(call.changed_by, "");
  EXPECT_EQ(call.sent, nullptr);
  call.arguments = json::Document();  // which is {}
  change_arguments(call, route, one, *json::parse("{}"));
  EXPECT_THAT(call.interceptions, ElementsAre());
}

TEST_F(Effect, ContextThatIsAddedIsNotedByItsNames) {
  tool::Interception from;
  from.values = {{"mark", "secret"}};
  from.entries = {{"org.example.User", "{}"}};
  add_context(call, one, from);
  EXPECT_THAT(call.interceptions,
              ElementsAre("mapper added to the context: mark, org.example.User"));
  EXPECT_EQ(call.passport->given->values.at("mark"), "secret");

  from = {};
  for (int i = 10; i < 60; ++i) from.values.emplace("n" + std::to_string(i), "");
  from.values.emplace("a" + std::string(60'000, 'x'), "");
  add_context(call, one, from);
  EXPECT_LT(call.interceptions.back().size(), 300u);
  EXPECT_THAT(call.interceptions.back(), testing::EndsWith(", ..."));
}

TEST_F(Effect, TheLastThatWroteTheResultIsItsWriter) {
  EXPECT_EQ(writer_of_result(call), "");
  note(call, one, "changed the arguments");
  EXPECT_EQ(writer_of_result(call), "");
  note(call, one, "answered the call");
  EXPECT_EQ(writer_of_result(call), "mapper");
  one.plugin = "ring";
  note(call, one, "changed the result");
  note(call, one, "changed a message");
  EXPECT_EQ(writer_of_result(call), "ring");
}

}  // namespace
}  // namespace host::router
