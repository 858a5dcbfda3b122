#include "router/step/result_step.h"

#include <gtest/gtest.h>

#include "support/fake_provider.h"

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

}  // namespace
}  // namespace host::router
