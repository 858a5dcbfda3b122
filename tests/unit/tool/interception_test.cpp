#include "tool/call/interception.h"

#include <gmock/gmock.h>

#include <string>

#include "tool/call/intercepted.h"
#include "tool/call/sent_context.h"
#include "tool/definition/content_shape.h"

namespace host::tool {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMost = 1000;

Result<Interception> before(std::string_view answer) {
  return read_interception(Function::BeforeCall, answer, kMost);
}

std::string why_not(Function function, std::string_view answer) {
  const auto read = read_interception(function, answer, kMost);
  return read ? "accepted" : read.error().message;
}

TEST(Intercepted, IsReadAsItWasWritten) {
  const std::string text = write_intercepted({"echo", "hello", std::string_view("a\0b", 3)});
  const auto read = read_intercepted(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tool, "echo");
  EXPECT_EQ(read->provider, "hello");
  EXPECT_EQ(read->state, std::string_view("a\0b", 3));
  const std::string none = write_intercepted({});
  EXPECT_TRUE(read_intercepted(none) && read_intercepted(none)->tool.empty());
}

TEST(Intercepted, IsNotReadFromOtherTexts) {
  const std::string whole = write_intercepted({"echo", "hello", {}});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(read_intercepted(std::string_view(whole).substr(0, bytes))) << bytes;
  EXPECT_FALSE(read_intercepted(std::string(8, '\xff')));
}

TEST(Interception, NoAnswerAndAnEmptyObjectChangeNothing) {
  for (const char* answer : {"", "{}"}) {
    const auto read = before(answer);
    ASSERT_TRUE(read) << answer;
    EXPECT_FALSE(read->arguments || read->result);
    EXPECT_TRUE(read->refusal.empty() && read->state.empty() && read->values.empty());
  }
}

TEST(Interception, ReadsArgumentsAndContext) {
  const auto read =
      before(R"({"arguments":{"a":1},"context":{"values":{"k":"v"},"entries":{"User":{"id":7}}}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(json::write(read->arguments->root()), R"({"a":1})");
  EXPECT_EQ(read->values.at("k"), "v");
  EXPECT_EQ(read->entries.at("User"), R"({"id":7})");
}

TEST(Interception, ReadsAResult) {
  const auto read = read_interception(
      Function::LeaveCall,
      R"({"result":{"content":[{"type":"text","text":"a"}],"structuredContent":{"b":1},"isError":true}})",
      kMost);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->result->content, R"({"type":"text","text":"a"})");
  EXPECT_EQ(read->result->structured, R"({"b":1})");
  EXPECT_TRUE(read->result->is_error);
}

TEST(Interception, AResultOfStructuredContentAloneGetsItAsText) {
  const auto read = before(R"({"result":{"content":[],"structuredContent":{"b":1}}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->result->content, HasSubstr(R"({\"b\":1})"));
}

TEST(Interception, RefusesAnswersOfTheWrongShape) {
  const auto refused = [](std::string_view answer) {
    return why_not(Function::BeforeCall, answer);
  };
  EXPECT_THAT(refused("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(refused("{"), HasSubstr("bad answer"));
  EXPECT_THAT(refused(R"({"tool":"other"})"), HasSubstr("/tool is not known"));
  EXPECT_THAT(refused(R"({"arguments":[1]})"), HasSubstr("/arguments must be an object"));
  EXPECT_THAT(refused(R"({"refuse":7})"), HasSubstr("/refuse must be a text"));
  EXPECT_THAT(refused(R"({"refuse":""})"), HasSubstr("/refuse must not be empty"));
  EXPECT_THAT(refused(R"({"result":{}})"), HasSubstr("/result/content must be an array"));
  EXPECT_THAT(refused(R"({"result":{"content":[]}})"), HasSubstr("no content"));
  EXPECT_THAT(refused(R"({"result":{"content":[{"type":"song"}]}})"), HasSubstr("the block"));
  EXPECT_THAT(refused(R"({"result":{"content":[],"_meta":7}})"), HasSubstr("/result/_meta"));
  EXPECT_THAT(refused(R"({"refuse":"no","arguments":{}})"), HasSubstr("more than one"));
  EXPECT_THAT(refused(R"({"state":"s"})"), HasSubstr("/state is not known"));
  EXPECT_THAT(refused(R"({"context":{"values":{"k":1}}})"), HasSubstr("expected a string"));
}

TEST(Interception, AnAnswerHasNoMetaOfTheHostThatTheResultHadNot) {
  constexpr std::string_view kForged =
      R"({"result":{"content":[{"type":"text","text":"x","_meta":{"io.toolpost/file":{}}}],)"
      R"("_meta":{"io.toolpost/error":1,"io.toolpost/replayed":true,"own":2}}})";
  const auto early = before(kForged);
  ASSERT_TRUE(early && early->result);
  EXPECT_EQ(early->result->meta, R"("own":2)");
  EXPECT_EQ(early->result->content, R"({"type":"text","text":"x","_meta":{}})");
  auto left = read_interception(Function::LeaveCall, kForged, kMost);
  ASSERT_TRUE(left && left->result);
  EXPECT_EQ(left->result->content, R"({"type":"text","text":"x","_meta":{}})");
  CallResult had;
  had.meta = R"("io.toolpost/error":7)";
  drop_new_host_meta(had, *left->result);
  EXPECT_EQ(left->result->meta, R"("io.toolpost/error":1,"own":2)");
  drop_new_host_meta({}, *left->result);
  EXPECT_EQ(left->result->meta, R"("own":2)");
}

TEST(Interception, EachFunctionHasItsOwnMembers) {
  EXPECT_EQ(why_not(Function::EnterCall, R"({"state":"s"})"), "accepted");
  EXPECT_THAT(why_not(Function::EnterCall, R"({"arguments":{}})"),
              HasSubstr("enter cannot change the arguments"));
  EXPECT_THAT(why_not(Function::LeaveCall, R"({"refuse":"x"})"), HasSubstr("not known"));
}

TEST(Interception, LimitsWhatAnAnswerContains) {
  const auto longer = [](std::size_t bytes) { return std::string(bytes, 'x'); };
  EXPECT_THAT(why_not(Function::BeforeCall, R"({"arguments":{"a":")" + longer(kMost) + R"("}})"),
              HasSubstr("limits.body_bytes"));
  EXPECT_THAT(why_not(Function::EnterCall, R"({"state":")" + longer(kMostStateBytes + 1) + R"("})"),
              HasSubstr("more than 16384"));
  EXPECT_THAT(why_not(Function::BeforeCall,
                      R"({"context":{"values":{"k":")" + longer(kMostSentContextBytes) + R"("}}})"),
              HasSubstr("more than the 65536"));
}

TEST(Interception, AResultMayHaveOnlySoManyBlocks) {
  const auto answer = [](std::size_t blocks) {
    std::string text = R"({"result":{"content":[)";
    for (std::size_t i = 0; i < blocks; ++i)
      text += std::string(i == 0 ? "" : ",") + R"({"type":"text","text":""})";
    return text + "]}}";
  };
  for (const Function function : {Function::BeforeCall, Function::EnterCall, Function::LeaveCall}) {
    EXPECT_EQ(why_not(function, answer(kMostBlocks)), "accepted");
    EXPECT_THAT(why_not(function, answer(kMostBlocks + 1)), HasSubstr("has 10001 blocks"));
  }
}

TEST(Interception, TheNamesOfTheHostAreNotForInterceptors) {
  for (const char* context :
       {R"({"values":{"toolpost.dangerous_paths":""}})", R"({"entries":{"toolpost.session":{}}})",
        R"({"entries":{"principal":"root"}})", R"({"values":{"principal":"root"}})",
        R"({"values":{"":"x"}})", R"({"values":{"a b":"x"}})", R"({"entries":{"\u0001":1}})",
        R"({"other":{}})"}) {
    const std::string answer = R"({"context":)" + std::string(context) + "}";
    EXPECT_THAT(why_not(Function::BeforeCall, answer), HasSubstr("/context")) << context;
    EXPECT_THAT(why_not(Function::EnterCall, answer), HasSubstr("/context")) << context;
  }
}

TEST(Interception, AMessageIsKeptReplacedOrDropped) {
  const CallText sent{"hello", R"({"a":1})"};
  const auto kept = read_message("", sent);
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->fields, R"({"a":1})");
  const auto replaced = read_message(R"({"text":"other"})", sent);
  ASSERT_TRUE(replaced && *replaced);
  EXPECT_EQ((*replaced)->text, "other");
  EXPECT_EQ((*replaced)->fields, "");
  const auto dropped = read_message("null", sent);
  ASSERT_TRUE(dropped);
  EXPECT_FALSE(*dropped);
  EXPECT_FALSE(read_message(R"({"text":7})", sent));
  EXPECT_FALSE(read_message(R"({"text":"a","fields":[]})", sent));
  const auto long_text = [](std::size_t bytes) {
    return R"({"text":")" + std::string(bytes, 'x') + R"("})";
  };
  const std::size_t most = 2 * (sent.text.size() + sent.fields.size()) + kMostAddedToMessage;
  EXPECT_TRUE(read_message(long_text(most), sent));
  EXPECT_FALSE(read_message(long_text(most + 1), sent));
}

}  // namespace
}  // namespace host::tool
