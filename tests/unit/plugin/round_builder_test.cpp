#include "plugin/instance/round_builder.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

constexpr std::uint32_t kAll = 31;
constexpr std::string_view kForm =
    R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})";
constexpr std::string_view kSampling =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":5})";

TEST(RoundBuilder, TakesQuestionsOfEachKind) {
  RoundBuilder builder(kAll);
  EXPECT_EQ(builder.ask("a", "elicitation/create", kForm), TP_OK);
  EXPECT_EQ(
      builder.ask("b", "elicitation/create", R"({"mode":"url", "message":"m", "url":"https://x"})"),
      TP_OK);
  EXPECT_EQ(builder.ask("c", "sampling/createMessage", kSampling), TP_OK);
  EXPECT_EQ(builder.ask("d", "roots/list", "{}"), TP_OK);
  EXPECT_EQ(builder.keep("first"), TP_OK);
  EXPECT_EQ(builder.keep("second"), TP_OK);
  const tool::Round round = builder.take();
  ASSERT_EQ(round.questions.size(), 4u);
  EXPECT_EQ(round.questions[1].params, R"({"mode":"url","message":"m","url":"https://x"})");
  EXPECT_EQ(round.state, "second");
}

TEST(RoundBuilder, RefusesWhatIsMalformed) {
  RoundBuilder builder(kAll);
  EXPECT_EQ(builder.ask("a", "tools/call", "{}"), TP_E_INVALID);
  EXPECT_EQ(builder.ask("", "roots/list", "{}"), TP_E_INVALID);
  EXPECT_EQ(builder.ask("toolpost.approval", "roots/list", "{}"), TP_E_INVALID);
  EXPECT_EQ(builder.ask(std::string(129, 'k'), "roots/list", "{}"), TP_E_INVALID);
  EXPECT_EQ(builder.ask("\xff", "roots/list", "{}"), TP_E_INVALID);
  EXPECT_EQ(builder.ask("a", "roots/list", "[]"), TP_E_INVALID);
  EXPECT_EQ(builder.ask("a", "roots/list", "{"), TP_E_INVALID);
  for (const char* params :
       {R"({"message":"m"})", R"({"requestedSchema":{"type":"object","properties":{}}})",
        R"({"message":"m","requestedSchema":{"type":"string","properties":{}}})",
        R"({"mode":"url","message":"m"})",
        R"({"mode":"url","message":"m","url":"file:///etc/passwd"})",
        R"({"mode":"url","message":"m","url":"http://x.example/"})",
        R"({"mode":"smoke","message":"m","url":"x:y"})"}) {
    EXPECT_EQ(builder.ask("a", "elicitation/create", params), TP_E_INVALID) << params;
  }
  for (const char* params :
       {R"({"messages":[],"maxTokens":5})", R"({"messages":[{"role":"user"}],"maxTokens":5})",
        R"({"messages":[{"role":"user","content":{}}]})",
        R"({"messages":[{"role":"user","content":{}}],"maxTokens":0})"}) {
    EXPECT_EQ(builder.ask("a", "sampling/createMessage", params), TP_E_INVALID) << params;
  }
  EXPECT_EQ(builder.ask("a", "roots/list", "{}"), TP_OK);
  EXPECT_EQ(builder.ask("a", "roots/list", "{}"), TP_E_INVALID);
}

TEST(RoundBuilder, HasBounds) {
  RoundBuilder builder(kAll);
  const std::string long_text = R"({"x":")" + std::string(64u << 10u, 'x') + R"("})";
  EXPECT_EQ(builder.ask("a", "roots/list", long_text), TP_E_NOMEM);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(builder.ask("k" + std::to_string(i), "roots/list", "{}"), TP_OK);
  }
  EXPECT_EQ(builder.ask("one more", "roots/list", "{}"), TP_E_NOMEM);
  EXPECT_EQ(builder.keep(std::string(16u << 10u, 's')), TP_OK);
  EXPECT_EQ(builder.keep(std::string((16u << 10u) + 1, 's')), TP_E_NOMEM);
}

TEST(RoundBuilder, SaysWhatTheClientLacks) {
  RoundBuilder builder(TP_ASK_FORM | TP_ASK_SAMPLING);
  EXPECT_EQ(
      builder.ask("a", "elicitation/create", R"({"mode":"url","message":"m","url":"https://x"})"),
      TP_E_UNSUPPORTED);
  EXPECT_EQ(capabilities_text(builder.lacking()), R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(builder.ask("a", "roots/list", "{}"), TP_E_UNSUPPORTED);
  const std::string with_tools =
      std::string(kSampling.substr(0, kSampling.size() - 1)) + R"(,"tools":[]})";
  EXPECT_EQ(builder.ask("a", "sampling/createMessage", with_tools), TP_E_UNSUPPORTED);
  EXPECT_EQ(capabilities_text(builder.lacking()),
            R"({"elicitation":{"url":{}},"sampling":{"tools":{}},"roots":{}})");
  EXPECT_FALSE(builder.asks());
  EXPECT_EQ(builder.ask("a", "elicitation/create", kForm), TP_OK);
}

}  // namespace
}  // namespace host::plugin
