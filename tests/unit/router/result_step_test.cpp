#include "router/step/result_step.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <optional>

#include "support/fake_provider.h"
#include "support/manual_clock.h"
#include "support/passports.h"

namespace host::router {
namespace {

tool::Declaration with_output() {
  tool::Declaration declared = test::declaration("t");
  declared.output_schema =
      R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})";
  return declared;
}

tool::CallResult with_structure(std::string json) {
  tool::CallResult result;
  result.structured = std::move(json);
  return result;
}

TEST(CheckResult, PassesWhatTheOutputSchemaPromises) {
  const auto tool = test::make_tool(with_output());
  EXPECT_FALSE(check_result(with_structure(R"({"n":1})"), *tool, 1000).is_error);
}

TEST(CheckResult, TellsTheModelThatAToolBrokeItsPromise) {
  const auto tool = test::make_tool(with_output());
  const auto wrong = check_result(with_structure(R"({"n":"x"})"), *tool, 1000);
  EXPECT_TRUE(wrong.is_error);
  EXPECT_NE(wrong.content.find("/n"), std::string::npos);
  EXPECT_TRUE(check_result(tool::CallResult::text("no structure"), *tool, 1000).is_error);
}

TEST(CheckResult, NamesTheInterceptorThatWroteAFaultyResult) {
  const auto tool = test::make_tool(with_output());
  const auto wrong = check_result(with_structure(R"({"n":"x"})"), *tool, 1000, {"ring"});
  EXPECT_TRUE(wrong.is_error);
  EXPECT_NE(wrong.content.find(R"(Interceptor \"ring\" of this host wrote the result)"),
            std::string::npos)
      << wrong.content;
  EXPECT_NE(wrong.content.find("/n"), std::string::npos);
  EXPECT_FALSE(check_result(with_structure(R"({"n":1})"), *tool, 1000, {"ring"}).is_error);
}

TEST(CheckResult, NamesTheToolIfItsOwnResultWasFaulty) {
  const auto tool = test::make_tool(with_output());
  const auto own = [](const char* structured) {
    return std::make_shared<tool::CallResult>(with_structure(structured));
  };
  for (const char* const faulty : {R"({"n":"x"})", ""}) {
    tool::CallResult redacted = with_structure(faulty);
    redacted.add_text("redacted");
    const auto wrong = check_result(redacted, *tool, 1000, {"redact", own(faulty)});
    EXPECT_TRUE(wrong.is_error);
    EXPECT_NE(wrong.content.find(R"(\"t\" is faulty)"), std::string::npos) << wrong.content;
    EXPECT_EQ(wrong.content.find("Interceptor"), std::string::npos) << wrong.content;
  }
  const auto wrong = check_result(with_structure("{}"), *tool, 1000, {"redact", own(R"({"n":1})")});
  EXPECT_NE(wrong.content.find("Interceptor"), std::string::npos) << wrong.content;
  const auto failed = own("");
  failed->is_error = true;
  const auto hidden = check_result(with_structure("{}"), *tool, 1000, {"redact", failed});
  EXPECT_NE(hidden.content.find("Interceptor"), std::string::npos) << hidden.content;
}

TEST(CheckResult, DoesNotLoseWhatAFaultyToolReturned) {
  const auto tool = test::make_tool(with_output());
  tool::CallResult told = tool::CallResult::text("ordered 7 pets");
  told.structured = R"({"n":"seven"})";
  const auto wrong = check_result(told, *tool, 1000);
  EXPECT_TRUE(wrong.is_error);
  EXPECT_TRUE(wrong.structured.empty());
  EXPECT_NE(wrong.content.find("breaks its output schema"), std::string::npos);
  EXPECT_NE(wrong.content.find("ordered 7 pets"), std::string::npos);
  EXPECT_EQ(wrong.content.find(R"(\"n\":)"), std::string::npos);  // the text says it already
  EXPECT_TRUE(json::parse("[" + wrong.content + "]"));
  const auto alone = check_result(with_structure(R"({"n":"seven"})"), *tool, 1000);
  EXPECT_NE(alone.content.find(R"(\"n\":)"), std::string::npos);
  const auto text = check_result(tool::CallResult::text("a list"), *tool, 1000);
  EXPECT_NE(text.content.find("gave no structured content"), std::string::npos);
  EXPECT_NE(text.content.find("a list"), std::string::npos);
}

TEST(CheckResult, AsksNothingOfAToolsOwnFailure) {
  const auto tool = test::make_tool(with_output());
  const auto failed = check_result(tool::CallResult::error("disk full"), *tool, 1000);
  EXPECT_NE(failed.content.find("disk full"), std::string::npos);
}

TEST(CheckResult, RefusesWhatIsTooLarge) {
  const auto tool = test::make_tool(test::declaration("t"));
  const auto large = check_result(tool::CallResult::text(std::string(2000, 'x')), *tool, 1000);
  EXPECT_TRUE(large.is_error);
  EXPECT_NE(large.content.find("limits.result_bytes"), std::string::npos);
}

// What passes without the check must be what the check would pass as it is.
TEST(ResultCheck, PassesUncheckedOnlyWhatTheCheckWouldNotChange) {
  CheckTurns turns(system_clock());
  const ResultCheck check(1000, turns);
  const auto promises = test::make_tool(with_output());
  const auto free = test::make_tool(test::declaration("t"));
  tool::CallResult asks;
  asks.round.emplace();
  tool::CallResult lacks;
  lacks.lacking = R"({"sampling":{}})";
  for (const tool::CallResult& result :
       {tool::CallResult::text("found"), asks, lacks, tool::CallResult::error("disk full")})
    EXPECT_TRUE(check.is_met_by(result, *free)) << result.content;
  for (const tool::CallResult& result : {asks, lacks, tool::CallResult::error("disk full")})
    EXPECT_TRUE(check.is_met_by(result, *promises)) << result.content;
  for (const tool::CallResult& result :
       {tool::CallResult::text("found"), with_structure(R"({"n":1})"),
        with_structure(R"({"n":"x"})")})
    EXPECT_FALSE(check.is_met_by(result, *promises)) << result.content << result.structured;
  const std::string large(2000, 'x');
  EXPECT_FALSE(check.is_met_by(tool::CallResult::text(large), *free));
  EXPECT_FALSE(check.is_met_by(tool::CallResult::error(large), *free));
}

// Few bytes can take long to check, by a schema of the client's own.
TEST(ResultCheck, CountsForThePrincipalOfTheCall) {
  tool::Declaration declared = with_output();
  declared.output_schema = R"({"type":"object","$ref":"#/$defs/d0","$defs":{"d22":{})";
  for (int i = 0; i < 22; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    declared.output_schema +=
        ",\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]}";
  }
  declared.output_schema += "}}";
  const std::shared_ptr<const tool::Tool> tool = test::make_tool(declared);
  boost::asio::io_context io;
  test::ManualClock clock;  // the pause does not pass by itself
  CheckTurns turns(clock);
  ResultCheck check(1u << 24u, turns);
  tool::Call call;
  call.passport = test::passport("c1", "anna");
  std::optional<bool> ended;  // whether the next check may begin
  boost::asio::co_spawn(
      io,
      [&]() -> boost::asio::awaitable<void> {
        for (int i = 0; i < 8; ++i) co_await check.check(call, with_structure("{}"), tool);
        ended = (co_await turns.wait(call)).has_value();
      },
      boost::asio::detached);
  io.poll();
  EXPECT_FALSE(ended) << "its principal waits";
  call.cancel->request();
  io.run();
  EXPECT_EQ(ended, false);
}

TEST(ResultCheck, LetsOthersRunWhileItChecksALongResult) {
  tool::Declaration declared = with_output();
  declared.output_schema = R"({"type":"object","additionalProperties":{"type":"integer"}})";
  const std::shared_ptr<const tool::Tool> tool = test::make_tool(declared);
  std::string right = "{\"n\":1";
  for (int i = 0; i < 20'000; ++i) right += ",\"" + std::to_string(i) + "\":1";
  boost::asio::io_context io;
  CheckTurns turns(system_clock());
  ResultCheck check(1u << 24u, turns);
  const tool::Call call;
  std::vector<std::string> ends;
  const auto run = [&](std::string name, std::string structured) {
    boost::asio::co_spawn(
        io,
        [&, name, structured]() -> boost::asio::awaitable<void> {
          const tool::CallResult result =
              co_await check.check(call, with_structure(structured), tool);
          ends.push_back(name + (result.is_error ? " is wrong" : ""));
        },
        boost::asio::detached);
  };
  run("long", right + "}");
  run("wrong", right + ",\"x\":\"y\"}");
  run("short", R"({"n":1})");
  io.run();
  EXPECT_EQ(ends, (std::vector<std::string>{"short", "long", "wrong is wrong"}));
}

}  // namespace
}  // namespace host::router
