#include "plugin/answer/result_builder.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

using tool::Function;

tp_status push(ResultBuilder& builder, std::uint32_t kind, std::string_view bytes,
               std::string_view mime = "") {
  std::string partial;
  return builder.push(kind, mime, bytes, partial);
}

// Case 49: the pieces of a block are joined as bytes, and then become base64.
TEST(ResultBuilder, MakesOneBlockOfEachPushInOrder) {
  ResultBuilder builder("c1", 1000);
  EXPECT_EQ(push(builder, TP_TEXT, "a\"b"), TP_OK);
  EXPECT_EQ(push(builder, TP_BLOB, "png", "image/png"), TP_OK);
  EXPECT_EQ(push(builder, TP_BLOB, "wav", "audio/wav"), TP_OK);
  EXPECT_EQ(push(builder, TP_BLOB | TP_MORE, "a,", "text/csv"), TP_OK);
  EXPECT_EQ(push(builder, TP_BLOB, "b"), TP_OK);
  EXPECT_EQ(push(builder, TP_RESOURCE_LINK, "{\"uri\":\"x:y\",\n\"name\":\"n\"}"), TP_OK);
  EXPECT_EQ(push(builder, TP_CONTENT, R"({ "type" : "text", "text": "c" })"), TP_OK);
  const auto result = builder.finish(TP_OK, Function::Call, "t");
  ASSERT_TRUE(result);
  EXPECT_EQ(
      result->content,
      R"({"type":"text","text":"a\"b"},)"
      R"({"type":"image","mimeType":"image/png","data":"cG5n"},)"
      R"({"type":"audio","mimeType":"audio/wav","data":"d2F2"},)"
      R"({"type":"resource","resource":{"uri":"toolpost://call/c1/1","mimeType":"text/csv","blob":"YSxi"}},)"
      R"({"uri":"x:y","name":"n","type":"resource_link"},)"
      R"({"type":"text","text":"c"})");
  EXPECT_FALSE(result->is_error);
}

TEST(ResultBuilder, ShowsStructuredContentAsTextWhereNothingElseWasPushed) {
  ResultBuilder alone("c1", 1000);
  EXPECT_EQ(push(alone, TP_JSON, "{\"n\": 1,\n\"s\":\"x\"}"), TP_OK);
  const auto result = alone.finish(TP_OK, Function::Call, "t");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->structured, R"({"n":1,"s":"x"})");
  EXPECT_EQ(result->content, R"({"type":"text","text":"{\"n\":1,\"s\":\"x\"}"})");

  ResultBuilder beside("c1", 1000);
  push(beside, TP_TEXT, "one row");
  push(beside, TP_JSON, "[1]");
  EXPECT_EQ(beside.finish(TP_OK, Function::Call, "t")->content,
            R"({"type":"text","text":"one row"})");
}

std::string fault_of_block(std::string_view block) {
  ResultBuilder builder("c1", 1000);
  EXPECT_EQ(push(builder, TP_TEXT, "before"), TP_OK);
  const tp_status status = push(builder, TP_CONTENT, block);
  const auto result = builder.finish(TP_OK, Function::Call, "t");
  EXPECT_EQ(result->is_error, status == TP_E_INVALID) << block;
  if (status == TP_OK) return {};
  EXPECT_TRUE(result->content.starts_with(R"({"type":"text","text":"before"},)")) << block;
  return result->content;
}

TEST(ResultBuilder, TakesTheContentBlocksThatMcpKnows) {
  for (const std::string_view block :
       {R"({"type":"text","text":"","annotations":{"audience":["user"],"priority":0.5}})",
        R"({"type":"image","data":"cG5n","mimeType":"image/png","_meta":{}})",
        R"({"type":"audio","data":"","mimeType":"audio/wav"})",
        R"({"type":"resource","resource":{"uri":"a:b","text":"x"}})",
        R"({"type":"resource","resource":{"uri":"a:b","blob":"eA==","mimeType":"x/y"}})",
        R"({"type":"resource_link","uri":"a:b","name":"n"})"}) {
    EXPECT_EQ(fault_of_block(block), "") << block;
  }
}

TEST(ResultBuilder, FailsACallWithAContentBlockThatMcpDoesNotKnow) {
  for (const std::string_view block :
       {R"({"type":"evil"})", R"({"type":"text"})", R"({"type":"text","text":1})",
        R"({"type":"image","data":"cG5n"})",
        R"({"type":"image","data":"?","mimeType":"image/png"})",
        R"({"type":"audio","mimeType":"audio/wav"})", R"({"type":"resource","resource":{}})",
        R"({"type":"resource","resource":{"uri":"a:b","text":"x","blob":"eA=="}})",
        R"({"type":"resource","resource":{"uri":"a:b","blob":"?"}})",
        R"({"type":"resource_link","uri":"a:b"})", R"({"text":"x"})",
        R"({"type":"text","text":"x","annotations":{"priority":2}})",
        R"({"type":"text","text":"x","annotations":{"audience":["robot"]}})",
        R"({"type":"text","text":"x","_meta":[]})"}) {
    EXPECT_NE(fault_of_block(block).find("a content block that has"), std::string::npos) << block;
  }
}

TEST(ResultBuilder, DropsARefusedContentBlockThatAnotherReplaces) {
  ResultBuilder builder("c1", 1000);
  EXPECT_EQ(push(builder, TP_CONTENT, R"({"type":"evil"})"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_TEXT, "instead"), TP_OK);
  const auto result = builder.finish(TP_OK, Function::Call, "t");
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->is_error);
  EXPECT_EQ(result->content, R"({"type":"text","text":"instead"})");

  ResultBuilder shown("c1", 1000);
  EXPECT_EQ(push(shown, TP_CONTENT, R"({"type":"evil"})"), TP_E_INVALID);
  EXPECT_EQ(push(shown, TP_TEXT | TP_PARTIAL, "no block of the result"), TP_OK);
  EXPECT_TRUE(shown.finish(TP_OK, Function::Call, "t")->is_error);

  ResultBuilder explains("c1", 1000);
  EXPECT_EQ(push(explains, TP_CONTENT, R"({"type":"evil"})"), TP_E_INVALID);
  EXPECT_EQ(explains.error(1, "no such row", ""), TP_OK);
  EXPECT_EQ(explains.finish(TP_OK, Function::Call, "t")->content,
            R"({"type":"text","text":"no such row"})");
}

// A plugin that looks at no status ends its call with TP_OK.
TEST(ResultBuilder, ARefusedErrorIsAFailureOfEveryFunction) {
  for (const Function function :
       {Function::BeforeCall, Function::EnterCall, Function::CallMessage, Function::LeaveCall,
        Function::CheckPermissions, Function::ReadResource, Function::Complete}) {
    ResultBuilder builder("c1", 1000);
    builder.read_answer();
    EXPECT_EQ(builder.error(1, "\xff", ""), TP_E_INVALID);
    EXPECT_FALSE(builder.finish(TP_OK, function, "t")) << static_cast<int>(function);
  }
  ResultBuilder answers("c1", 1000);
  answers.read_answer();
  EXPECT_EQ(answers.error(1, "\xff", ""), TP_E_INVALID);
  EXPECT_EQ(push(answers, TP_JSON, "{}"), TP_OK);
  EXPECT_FALSE(answers.finish(TP_OK, Function::BeforeCall, "t"));
}

TEST(ResultBuilder, AnInterceptorThatUsesAServiceThatItDoesNotHaveIsAFault) {
  ResultBuilder builder("c1", 1000);
  builder.read_answer();
  const auto result = builder.finish(TP_E_UNSUPPORTED, Function::BeforeCall, "t");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::PluginFault);
  EXPECT_EQ(result.error().message,
            "the interceptor of \"t\" used a service that no interceptor has, such as a question "
            "to the client");
}

TEST(ResultBuilder, ARefusedErrorIsNoSuccessThoughBlocksWerePushed) {
  const auto ended = [](std::string_view message, std::string_view data) {
    ResultBuilder builder("c1", 4u << 20u);
    EXPECT_EQ(push(builder, TP_TEXT, "before"), TP_OK);
    EXPECT_LT(builder.error(1, message, data), 0);
    EXPECT_EQ(push(builder, TP_TEXT, "after"), TP_OK);
    const auto result = builder.finish(TP_OK, Function::Call, "t");
    EXPECT_TRUE(result->is_error);
    return result->content;
  };
  EXPECT_NE(ended("\xff", "").find("its message is not UTF-8"), std::string::npos);
  EXPECT_NE(ended("x", "{").find("its data is not valid JSON"), std::string::npos);
  const std::string large = '"' + std::string(kMostErrorDataBytes, 'x') + '"';
  EXPECT_NE(ended("x", large).find("its data than 1048576 bytes"), std::string::npos);
  EXPECT_NE(ended(std::string(5u << 20u, 'x'), "").find("larger than 4194304"), std::string::npos);
}

TEST(ResultBuilder, AnErrorThatIsAcceptedTakesThePlaceOfARefusedOne) {
  const std::string expected = R"({"type":"text","text":"no such row"})";
  ResultBuilder first("c1", 1000);
  EXPECT_EQ(first.error(1, "\xff", ""), TP_E_INVALID);
  EXPECT_EQ(first.error(2, "no such row", ""), TP_OK);
  EXPECT_EQ(first.finish(TP_OK, Function::Call, "t")->content, expected);
  ResultBuilder last("c1", 1000);
  EXPECT_EQ(last.error(2, "no such row", ""), TP_OK);
  EXPECT_EQ(last.error(1, "\xff", ""), TP_E_INVALID);
  EXPECT_EQ(last.finish(TP_OK, Function::Call, "t")->content, expected);
}

TEST(ResultBuilder, RefusesBadPushesAndTakesNothingOfThem) {
  ResultBuilder builder("c1", 1000);
  EXPECT_EQ(push(builder, TP_TEXT, "\xc3"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_JSON, "{"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_JSON | TP_MORE, "{}"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_BLOB, "x", "no media type"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_RESOURCE_LINK, R"({"uri":"x"})"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_CONTENT, R"([])"), TP_E_INVALID);
  EXPECT_EQ(push(builder, 77, "x"), TP_E_UNSUPPORTED);
  EXPECT_EQ(push(builder, TP_TEXT | 0x1000u, "x"), TP_E_UNSUPPORTED);
  EXPECT_EQ(push(builder, TP_TEXT | TP_MORE, "a"), TP_OK);
  EXPECT_EQ(push(builder, TP_BLOB, "x", "a/b"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_TEXT, "b"), TP_OK);
  EXPECT_EQ(push(builder, TP_JSON, "1"), TP_OK);
  EXPECT_EQ(push(builder, TP_JSON, "2"), TP_E_INVALID);
  const auto result = builder.finish(TP_OK, Function::Call, "t");
  EXPECT_EQ(result->content, R"({"type":"text","text":"ab"})");
  EXPECT_EQ(result->structured, "1");
}

// Case 46.
TEST(ResultBuilder, APartialPushIsShownAndNeverPartOfTheResult) {
  ResultBuilder builder("c1", 1000);
  std::string partial;
  EXPECT_EQ(builder.push(TP_TEXT | TP_PARTIAL, "", "so far", partial), TP_OK);
  EXPECT_EQ(partial, "so far");
  EXPECT_EQ(push(builder, TP_TEXT, "all"), TP_OK);
  EXPECT_EQ(builder.finish(TP_OK, Function::Call, "t")->content, R"({"type":"text","text":"all"})");
}

TEST(ResultBuilder, HoldsTheSizeLimit) {
  ResultBuilder builder("c1", 10);
  EXPECT_EQ(push(builder, TP_TEXT, "12345678"), TP_OK);
  EXPECT_EQ(push(builder, TP_TEXT, "123"), TP_E_NOMEM);
  const auto result = builder.finish(TP_E_NOMEM, Function::Call, "t");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_NE(result->content.find("larger than 10 bytes"), std::string::npos);
}

// The limit covers what the host adds to the blocks, too: it counts with at most 64 KiB more.
TEST(ResultBuilder, HoldsTheLimitWithBlocksThatHaveNoBytes) {
  ResultBuilder texts("c1", 1u << 20u);
  std::size_t taken = 0;
  while (taken <= kMostBlocks && push(texts, TP_TEXT, "") == TP_OK) ++taken;
  EXPECT_EQ(taken, kMostBlocks);
  EXPECT_EQ(push(texts, TP_TEXT | TP_PARTIAL, "no block"), TP_OK);
  const auto result = texts.finish(TP_E_NOMEM, Function::Call, "t");
  ASSERT_TRUE(result);
  EXPECT_NE(result->content.find("more than 10000 blocks"), std::string::npos);

  ResultBuilder pieces("c1", 1000);
  for (std::size_t i = 0; i < 2 * kMostBlocks; ++i)
    ASSERT_EQ(push(pieces, TP_TEXT | TP_MORE, ""), TP_OK);

  ResultBuilder blobs("c1", 1000);
  const std::string mime = "a/" + std::string(253, 'a');
  std::size_t kept = 0;
  while (kept < kMostBlocks && push(blobs, TP_BLOB, "", mime) == TP_OK) ++kept;
  EXPECT_GT(kept, 100u);
  EXPECT_LT(kept, 300u);

  ResultBuilder contents("c1", 64u << 10u);
  contents.read_resource("x:" + std::string(8190, '\n'));
  std::size_t read = 0;
  while (read < kMostBlocks && push(contents, TP_TEXT, "") == TP_OK) ++read;
  EXPECT_GE(read, 1u);
  const auto whole = contents.finish(TP_OK, Function::ReadResource, "x");
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_LT(whole->structured.size(), 256u << 10u);
}

TEST(ResultBuilder, CountsJsonWithTheBytesThatItKeeps) {
  std::string numbers = "[1e20";
  for (int i = 0; i < 9; ++i) numbers += ",1e20";
  ResultBuilder builder("c1", numbers.size() + 1);
  EXPECT_EQ(push(builder, TP_JSON, numbers + "]"), TP_E_NOMEM);
  EXPECT_EQ(push(builder, TP_JSON, "[1e2]"), TP_OK);
}

TEST(ResultBuilder, AnErrorIsAResultThatTheModelReads) {
  ResultBuilder builder("c1", 1000);
  push(builder, TP_TEXT, "before");
  EXPECT_EQ(builder.error(7, "no such row", "{\"row\": 3}"), TP_OK);
  const auto result = builder.finish(TP_OK, Function::Call, "t");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_EQ(result->content,
            R"({"type":"text","text":"before"},{"type":"text","text":"no such row"})");
  EXPECT_EQ(result->meta, R"("io.toolpost/error":{"code":7,"data":{"row":3}})");
}

TEST(ResultBuilder, AFaultOfThePluginIsNoResultForTheModel) {
  for (const Function function :
       {Function::Call, Function::ReadResource, Function::GetPrompt, Function::Complete}) {
    ResultBuilder faulty("c", 100);
    EXPECT_EQ(faulty.error(0, "out of luck", {}), TP_OK);
    const auto result = faulty.finish(TP_E_INTERNAL, function, "t");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Internal) << static_cast<int>(function);
    EXPECT_NE(result.error().message.find("out of luck"), std::string::npos);
  }
}

TEST(ResultBuilder, MapsEachStatusToADefiniteEnd) {
  const auto end = [](tp_status status) {
    return ResultBuilder("c", 10).finish(status, Function::Call, "t");
  };
  EXPECT_TRUE(end(TP_E_INVALID)->is_error);
  EXPECT_TRUE(end(TP_E_UNSUPPORTED)->is_error);
  EXPECT_TRUE(end(TP_E_DENIED)->is_error);
  EXPECT_EQ(end(TP_E_CANCELLED).error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(end(TP_E_DEADLINE).error().kind, ErrorKind::DeadlineExceeded);
  EXPECT_EQ(end(TP_E_BUSY).error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(end(TP_E_INTERNAL).error().kind, ErrorKind::PluginFault);
  EXPECT_EQ(end(-77).error().kind, ErrorKind::PluginFault);
  EXPECT_EQ(end(2).error().kind, ErrorKind::PluginFault);
}

// Case 35: an empty completion.
TEST(ResultBuilder, ACallThatPushedNothingIsAnErrorThatTheModelReads) {
  ResultBuilder silent("c", 10);
  const auto result = silent.finish(TP_OK, Function::Call, "t");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_NE(result->content.find("ended without a result"), std::string::npos);
  ResultBuilder only_told("c", 10);
  push(only_told, TP_TEXT | TP_PARTIAL, "half");
  EXPECT_TRUE(only_told.finish(TP_OK, Function::Call, "t")->is_error);
}

TEST(ResultBuilder, ACheckFunctionWithoutAnAnswerIsAFault) {
  ResultBuilder silent("c", 10);
  EXPECT_EQ(silent.finish(TP_OK, Function::MatchRule, "t").error().kind, ErrorKind::PluginFault);
  ResultBuilder answers("c", 10);
  push(answers, TP_JSON, "true");
  EXPECT_EQ(answers.finish(TP_OK, Function::MatchRule, "t")->structured, "true");
}

TEST(ResultBuilder, DropsMetaThatOnlyTheHostWrites) {
  ResultBuilder builder("c", 1000);
  EXPECT_EQ(push(builder, TP_CONTENT,
                 R"({"type":"text","text":"x","_meta":{"io.toolpost/file":{},"own":1}})"),
            TP_OK);
  EXPECT_EQ(
      push(
          builder, TP_CONTENT,
          R"({"type":"resource","resource":{"uri":"a:b","text":"","_meta":{"io.toolpost/file":1}}})"),
      TP_OK);
  EXPECT_EQ(push(builder, TP_RESOURCE_LINK,
                 R"({"uri":"a:b","name":"n","_meta":{"io.toolpost/file":{"file_id":"file_x"}}})"),
            TP_OK);
  const auto result = builder.finish(TP_OK, Function::Call, "t");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->content.find("io.toolpost"), std::string::npos) << result->content;
  EXPECT_NE(result->content.find(R"("own":1)"), std::string::npos) << result->content;
}

TEST(ResultBuilder, MakesContentsOfWhatAReadPushes) {
  ResultBuilder builder("c", 1000);
  builder.read_resource("a:\"b\"");
  EXPECT_EQ(push(builder, TP_TEXT, "plain"), TP_OK);
  EXPECT_EQ(push(builder, TP_TEXT | TP_MORE, "# on", "text/markdown"), TP_OK);
  EXPECT_EQ(push(builder, TP_TEXT, "e"), TP_OK);
  EXPECT_EQ(push(builder, TP_BLOB, "png", "image/png"), TP_OK);
  EXPECT_EQ(push(builder, TP_CONTENT, R"({"uri":"a:c", "text":"own", "_meta":{}})"), TP_OK);
  EXPECT_EQ(push(builder, TP_TEXT, "x", "no media type"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_CONTENT, R"({"type":"text","text":"x"})"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_CONTENT, R"({"uri":"a:c"})"), TP_E_INVALID);
  EXPECT_EQ(push(builder, TP_JSON, "{}"), TP_E_INVALID);
  const auto result = builder.finish(TP_OK, Function::ReadResource, "a:b");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->structured,
            R"({"contents":[{"uri":"a:\"b\"","mimeType":"text/plain","text":"plain"},)"
            R"({"uri":"a:\"b\"","mimeType":"text/markdown","text":"# one"},)"
            R"({"uri":"a:\"b\"","mimeType":"image/png","blob":"cG5n"},)"
            R"({"uri":"a:c","text":"own","_meta":{}}]})");
}

TEST(ResultBuilder, HoldsWhatIsNoToolsToItsShape) {
  const auto end = [](Function function, std::string_view json) {
    ResultBuilder builder("c", 10'000);
    if (!json.empty()) push(builder, TP_JSON, json);
    const auto result = builder.finish(TP_OK, function, "x");
    return result ? std::string("ok") : result.error().message;
  };
  EXPECT_EQ(end(Function::GetPrompt, R"({"messages":[]})"), "ok");
  EXPECT_EQ(end(Function::GetPrompt, ""), "prompt \"x\": gave no object");
  EXPECT_EQ(end(Function::GetPrompt, R"({"messages":{}})"),
            "prompt \"x\": gave no list of messages");
  EXPECT_NE(
      end(Function::GetPrompt, R"({"messages":[{"role":"system","content":{"type":"text"}}]})"),
      "ok");
  EXPECT_NE(end(Function::GetPrompt, R"({"messages":[{"role":"user","content":"hi"}]})"), "ok");
  EXPECT_NE(end(Function::GetPrompt, R"({"messages":[],"description":1})"), "ok");
  EXPECT_EQ(end(Function::Complete, R"({"values":["a"],"total":2,"hasMore":true})"), "ok");
  EXPECT_NE(end(Function::Complete, R"({"values":[1]})"), "ok");
  EXPECT_NE(end(Function::Complete, R"({"values":[],"total":-1})"), "ok");
  std::string many = R"({"values":["v")";
  for (int i = 0; i < 100; ++i) many += R"(,"v")";
  EXPECT_EQ(end(Function::Complete, many + "]}"), "the completion: gave more than 100 values");
  EXPECT_EQ(end(Function::ListPrompts, ""), "the list of prompts came without content");
}

TEST(ResultBuilder, SaysWhyThereIsNoSuchThing) {
  const auto end = [](tp_status status) {
    return ResultBuilder("c", 10).finish(status, Function::GetPrompt, "x").error();
  };
  EXPECT_EQ(end(TP_E_UNSUPPORTED).kind, ErrorKind::NotFound);
  EXPECT_EQ(end(TP_E_INVALID).kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(end(TP_E_INTERNAL).kind, ErrorKind::PluginFault);
  ResultBuilder silent("c", 10);
  silent.read_resource("a:b");
  EXPECT_EQ(silent.finish(TP_OK, Function::ReadResource, "a:b").error().kind,
            ErrorKind::PluginFault);
  ResultBuilder told("c", 1000);
  told.error(3, "no flour today", "");
  const auto failed = told.finish(TP_OK, Function::GetPrompt, "x");
  EXPECT_EQ(failed.error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(failed.error().message, "no flour today");
}

TEST(ResultBuilder, AQuestionIsARoundOnlyWhereTheCallEndsWell) {
  const auto end = [](std::uint32_t abilities, tp_status status, bool fails) {
    ResultBuilder builder("c", 1000, abilities);
    push(builder, TP_TEXT, "dropped where it asks");
    builder.ask("k", "roots/list", "{}");
    builder.keep("s");
    if (fails) builder.error(1, "failed", "");
    return *builder.finish(status, Function::Call, "t");
  };
  const tool::CallResult asked = end(TP_ASK_ROOTS, TP_OK, false);
  ASSERT_TRUE(asked.round);
  EXPECT_EQ(asked.round->state, "s");
  EXPECT_EQ(asked.content, "");
  EXPECT_TRUE(end(TP_ASK_ROOTS, TP_OK, true).is_error);
  EXPECT_FALSE(end(TP_ASK_ROOTS, TP_E_UNSUPPORTED, false).round);
  EXPECT_EQ(end(0, TP_E_UNSUPPORTED, false).lacking, R"({"roots":{}})");
  EXPECT_EQ(end(0, TP_OK, false).lacking, "");  // it went on without
}

}  // namespace
}  // namespace host::plugin
