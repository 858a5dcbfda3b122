// The shipped interceptors, over their libraries.
#include <gmock/gmock.h>

#include <string>

#include "plugin_test.h"

namespace {

using Api = tp_interceptor_api;

std::string text_result(const std::string& text) {
  return R"({"content":[{"type":"text","text":)" + json_text(text) + "}]}";
}

// With the member that the SDK always writes.
std::string failed_not(std::string result) {
  result.insert(result.size() - 1, R"(,"isError":false)");
  return result;
}

std::string left(fake::Plugin& plugin, const std::string& result) {
  fake::Call call;
  return plugin.intercept(&Api::leave, result, "echo", call);
}

std::string sent(fake::Plugin& plugin, const std::string& message) {
  fake::Call call;
  return plugin.intercept(&Api::message, message, "echo", call);
}

TEST(Redact, ReplacesPatternsInTextAndStructuredContent) {
  fake::Plugin redact(library("redact"), R"({"patterns":["sk-[a-z]+","\\d{4}"]})");
  ASSERT_EQ(redact.created(), TP_OK);
  EXPECT_EQ(left(redact, text_result("key sk-abc, pin 1234")),
            R"({"result":)" + failed_not(text_result("key [redacted], pin [redacted]")) + "}");
  EXPECT_EQ(left(redact, text_result("nothing")), "");
  EXPECT_EQ(
      left(redact, R"({"content":[],"structuredContent":{"a":["1234",5678,{"1111":"x"}]}})"),
      R"({"result":{"content":[],"structuredContent":{"a":["[redacted]",5678,{"[redacted] 1":"x"}]},"isError":false}})");
}

TEST(Redact, LeavesBinaryDataAndTheFormOfBlocksAlone) {
  fake::Plugin redact(library("redact"), R"({"patterns":["a"]})");
  EXPECT_EQ(left(redact, R"({"content":[{"type":"image","mimeType":"image/a","data":"aaaa"}]})"),
            "");
  EXPECT_THAT(left(redact, R"({"content":[{"type":"resource_link","uri":"x:a","name":"a"}]})"),
              testing::HasSubstr(R"("uri":"x:[redacted]","name":"[redacted]")"));
}

TEST(Redact, ReplacesInMessagesAndTheirFieldsOrDropsThem) {
  fake::Plugin redact(library("redact"), R"({"patterns":["1234"],"replacement":"#"})");
  EXPECT_EQ(sent(redact, R"({"text":"pin 1234","fields":{"pin":"1234"}})"),
            R"({"text":"pin #","fields":{"pin":"#"}})");
  fake::Plugin drops(library("redact"), R"({"messages":"drop"})");
  EXPECT_EQ(sent(drops, R"({"text":"anything"})"), "null");
}

TEST(Redact, WarnsIfItHasNoPatternsAlsoIfItDropsMessages) {
  for (const char* settings : {"{}", R"({"messages":"drop"})"}) {
    fake::Plugin redact(library("redact"), settings);
    ASSERT_EQ(redact.created(), TP_OK);
    EXPECT_THAT(redact.host().log,
                testing::ElementsAre(testing::HasSubstr("the setting `patterns` is empty")))
        << settings;
  }
  fake::Plugin redact(library("redact"), R"({"patterns":["a"],"messages":"drop"})");
  EXPECT_THAT(redact.host().log, testing::IsEmpty());
}

TEST(Redact, RefusesSettingsThatItCannotUse) {
  for (const char* pattern : {"(", "x*", "\\\\C"}) {
    fake::Plugin redact(library("redact"), R"({"patterns":[")" + std::string(pattern) + R"("]})");
    EXPECT_EQ(redact.created(), TP_E_INVALID) << pattern;
  }
}

TEST(Redact, FailsWhereASearchCostsTooMuch) {
  fake::Plugin redact(library("redact"), R"({"patterns":["(a+)+$"]})");
  EXPECT_THAT(left(redact, text_result(std::string(60, 'a') + "b")),
              testing::HasSubstr("takes too long"));
}

TEST(Redact, FailsInTimeWhereEachStepScansALongWord) {
  fake::Plugin redact(library("redact"), R"({"patterns":["[\\w.+-]+@[\\w.]+"]})");
  const std::string quick(1'000'000, ' ');  // what is searched fast comes first
  EXPECT_THAT(left(redact, text_result(quick + std::string(1'000'000, 'a') + '@')),
              testing::HasSubstr("takes too long"));
}

TEST(Redact, FindsMatchesFarBehindTheBegin) {
  fake::Plugin redact(library("redact"), R"({"patterns":["secret"]})");
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "\xC3\xA4 ";
  EXPECT_THAT(left(redact, text_result(text + "secret")), testing::HasSubstr("[redacted]"));
}

TEST(Redact, ReplacesInMeta) {
  fake::Plugin redact(library("redact"), R"({"patterns":["sk-[a-z]+"]})");
  EXPECT_THAT(left(redact, R"({"content":[],"_meta":{"x":"sk-abc"}})"),
              testing::HasSubstr(R"("_meta":{"x":"[redacted]"})"));
}

std::string asked(fake::Plugin& plugin, const std::string& principal, const std::string& tool) {
  fake::Call call;
  call.context["principal"] = principal;
  return plugin.intercept(&Api::before, "{}", tool, call);
}

TEST(RateLimit, RefusesCallsBeyondTheRateOfEachPrincipalAndTool) {
  fake::Plugin limit(library("rate_limit"), R"({"calls":2,"per_s":86400})");
  ASSERT_EQ(limit.created(), TP_OK);
  EXPECT_EQ(asked(limit, "anna", "echo"), "");
  EXPECT_EQ(asked(limit, "anna", "echo"), "");
  EXPECT_THAT(asked(limit, "anna", "echo"),
              testing::HasSubstr(R"(Too many calls of \"echo\": at most 2 in 86400 s)"));
  EXPECT_EQ(asked(limit, "anna", "other"), "");
  EXPECT_EQ(asked(limit, "ben", "echo"), "");
}

TEST(RateLimit, CountsAllToolsTogetherWhereTheSettingSaysSo) {
  fake::Plugin limit(library("rate_limit"), R"({"calls":1,"per_s":86400,"per_tool":false})");
  EXPECT_EQ(asked(limit, "anna", "echo"), "");
  EXPECT_THAT(asked(limit, "anna", "other"), testing::HasSubstr("Too many calls: at most 1"));
}

}  // namespace
