#include "router/step/session_step.h"

#include <gmock/gmock.h>

#include "router/view/route.h"
#include "support/fake_provider.h"
#include "support/manual_clock.h"
#include "support/passports.h"
#include "support/run_loop.h"

namespace host::router {
namespace {

using ::testing::HasSubstr;
using Kind = tool::ProviderIdentity::Kind;

Route route_to(Kind kind, std::string schema = R"({"type":"object"})") {
  auto provider = std::make_shared<test::FakeProvider>("p", kind);
  tool::Declaration declared = test::declaration("look");
  declared.input_schema = std::move(schema);
  provider->add_answering(std::move(declared), "");
  return {provider->tools().front(), provider, nullptr};
}

tool::Call call_in(const std::string& session, std::string_view arguments) {
  tool::Call call;
  call.passport = test::passport_with([&](tool::Passport& passport) {
    passport.who.principal = "anna";
    passport.who.session = session;
  });
  call.arguments = json::parse(arguments).value();
  return call;
}

// The arguments after the step; or the words of its refusal.
std::string after_step(tool::Call call, const Route& route) {
  const auto refusal = SessionStep::set_session_id(call, route);
  return refusal ? refusal->content : json::write(call.arguments.root());
}

TEST(SessionStep, FillsInTheIdForAToolOfTheClient) {
  const Route route = route_to(Kind::Session);
  EXPECT_EQ(after_step(call_in("s_1", "{}"), route), R"({"sessionId":"s_1"})");
  EXPECT_EQ(after_step(call_in("s_1", "null"), route), R"({"sessionId":"s_1"})");
  EXPECT_EQ(after_step(call_in("s_1", R"({"sessionId":"s_1"})"), route), R"({"sessionId":"s_1"})");
}

TEST(SessionStep, RefusesAnotherSessionThanTheCallsOwn) {
  for (const Kind kind : {Kind::Session, Kind::Plugin}) {
    for (const char* id : {R"("s_2")", "7", "null", R"("")"}) {
      const std::string arguments = std::string(R"({"sessionId":)") + id + "}";
      EXPECT_THAT(after_step(call_in("s_1", arguments), route_to(kind)),
                  HasSubstr("/sessionId: must be"));
    }
  }
}

TEST(SessionStep, RemovesTheIdForToolsThatDoNotKnowIt) {
  const Route route = route_to(Kind::Plugin);
  EXPECT_EQ(after_step(call_in("s_1", R"({"a":1,"sessionId":"s_1"})"), route), R"({"a":1})");
  EXPECT_EQ(after_step(call_in("", R"({"sessionId":"x"})"), route), R"({"sessionId":"x"})");
}

TEST(SessionStep, LeavesAToolsOwnArgumentAlone) {
  const Route route =
      route_to(Kind::Plugin, R"({"type":"object","properties":{"sessionId":{"type":"string"}}})");
  EXPECT_EQ(after_step(call_in("s_1", R"({"sessionId":"x"})"), route), R"({"sessionId":"x"})");
}

TEST(SessionStep, NobodyButTheHostSaysWhatTheStateOfASessionIs) {
  tool::Call call = call_in("", "{}");
  auto given = std::make_shared<tool::CallContext>();
  given->entries = {{"toolpost.session", R"({"mode":"bypass"})"}, {"User", "1"}};
  auto passport = std::make_shared<tool::Passport>(*call.passport);
  passport->given = given;
  call.passport = passport;
  SessionStep(nullptr).enter(call);
  EXPECT_FALSE(call.passport->given->entries.contains("toolpost.session"));
  EXPECT_TRUE(call.passport->given->entries.contains("User"));
}

TEST(SessionStep, ACallGetsTheContextOfItsSession) {
  test::RunLoop loop;
  test::ManualClock clock;
  const auto sessions = std::make_shared<session::Sessions>(loop.io.get_executor(), nullptr, clock,
                                                            session::Sessions::Limits());
  sessions->adopt("s_1", "anna", "", clock.wall());
  session::Context context;
  context.values = {{"tenant", "7"}, {"locale", "de"}};
  session::Settings settings;
  settings.context = std::make_shared<const session::Context>(context);
  ASSERT_FALSE(loop.get(sessions->change("s_1", 1, settings))->clash);
  clock.advance(std::chrono::hours(1));
  tool::Call call = call_in("s_1", "{}");
  auto given = std::make_shared<tool::CallContext>();
  given->values = {{"locale", "en"}};  // the call's own has priority
  auto passport = std::make_shared<tool::Passport>(*call.passport);
  passport->given = given;
  call.passport = passport;
  SessionStep(sessions).enter(call);
  EXPECT_EQ(call.passport->given->values.at("tenant"), "7");
  EXPECT_EQ(call.passport->given->values.at("locale"), "en");
  EXPECT_EQ(sessions->used("s_1"), clock.wall());
  tool::Call other = call_in("s_2", "{}");
  SessionStep(sessions).enter(other);
  EXPECT_FALSE(other.passport->given);
}

}  // namespace
}  // namespace host::router
