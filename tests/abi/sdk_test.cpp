// toolpost.hpp, seen through the C ABI alone.
#include "abi/sdk_example.h"

#include <gtest/gtest.h>

#include "support/fake_host.h"
#include "toolpost/ext/selftest.h"

namespace {

class Sdk : public testing::Test {
 protected:
  const tp_tool& tool(const char* name) { return plugin.tool(plugin.index_of(name)); }

  std::string check(decltype(tp_instance_api::check_permissions) function, const char* args,
                    const char* context) {
    fake::Call call;
    const auto status = function(plugin.instance(), plugin.index_of("write"), fake::str(args),
                                 fake::str(context), call.handle());
    return status == TP_OK && !call.error ? call.only() : "status " + std::to_string(status);
  }

  fake::Plugin plugin{toolpost_plugin_v1(), R"({"greeting":"hello"})"};
};

// closed: what each struct's schema ends with.
std::string schema_of_everything(const std::string& closed) {
  const std::string place =
      R"({"type":"object","properties":{"city":{"type":"string","minLength":1,"description":"City \"name\""},)"
      R"("country":{"type":"string"}},"required":["city"])" +
      closed;
  return R"({"type":"object","properties":{"place":)" + place +
         R"(},"more":{"type":"array","items":)" + place +
         R"(},"maxItems":2,"description":"Others"},)"
         R"("days":{"type":"integer","minimum":1,"maximum":14,"description":"How many","default":3},)"
         R"("small":{"type":"integer","minimum":0,"default":0},"factor":{"type":"number","default":0.5},)"
         R"("verbose":{"type":"boolean"},)"
         R"("unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"fahrenheit"},)"
         R"("counts":{"type":"object","additionalProperties":{"type":"integer"}},"any":{}},)"
         R"("required":["place","more","verbose","counts","any"])" +
         closed + "}";
}

TEST_F(Sdk, MakesASchemaFromAStructThatIsClosedForArguments) {
  EXPECT_EQ(fake::text(tool("everything").input_schema),
            schema_of_everything(R"(,"additionalProperties":false)"));
  EXPECT_EQ(fake::text(tool("everything").output_schema), schema_of_everything(""));
  EXPECT_EQ(fake::text(tool("nothing").input_schema),
            R"({"type":"object","properties":{},"additionalProperties":false})");
  EXPECT_EQ(fake::text(tool("nothing").output_schema), "");
}

TEST_F(Sdk, ReadsAndWritesEveryFieldType) {
  const char* args =
      R"({"place":{"city":"K\u00f6ln"},"more":[{"city":"A","country":"B"}],"verbose":true,"days":4.0,)"
      R"("counts":{"a":1},"any":[1, "two"],"unit":"celsius","factor":1e2})";
  EXPECT_EQ(plugin.answer("everything", args),
            "{\"place\":{\"city\":\"K\u00f6ln\"},\"more\":[{\"city\":\"A\",\"country\":\"B\"}],"
            "\"days\":4,"
            "\"small\":0,\"factor\":100,\"verbose\":true,\"unit\":\"celsius\",\"counts\":{\"a\":1},"
            "\"any\":[1, \"two\"]}");
}

TEST_F(Sdk, NamesTheArgumentThatItCannotTake) {
  const auto answer = [&](const std::string& members) {
    return plugin.answer("everything",
                         "{\"verbose\":true,\"counts\":{},\"any\":0," + members + "}");
  };
  EXPECT_EQ(answer(R"("more":[],"place":{})"), "error: argument /place/city is missing");
  EXPECT_EQ(answer(R"("place":{"city":"x"},"more":[{"city":1}])"),
            "error: argument /more/0/city is not a string");
  EXPECT_EQ(answer(R"("small":256)"), "error: argument /small is a number out of range");
  EXPECT_EQ(answer(R"("days":1.5)"), "error: argument /days is not a whole number");
  EXPECT_EQ(answer(R"("unit":"kelvin")"), "error: argument /unit is none of the known values");
  EXPECT_EQ(answer(R"("days":1,"days":2)"), "error: argument /days appears twice");
  EXPECT_EQ(answer(R"("dais":1)"), R"(error: argument /dais is not known: did you mean "days"?)");
  EXPECT_EQ(answer(R"("place":{"city":"x","planet":1})"),
            "error: argument /place/planet is not known");
  EXPECT_EQ(plugin.answer("everything", "[]"), "error: arguments are not an object");
}

TEST_F(Sdk, DeclaresItsSettings) {
  EXPECT_EQ(fake::text(plugin.about().config_schema),
            R"({"type":"object","properties":{"greeting":{"type":"string","default":"hi"}},)"
            R"("additionalProperties":false})");
}

TEST_F(Sdk, HandsOutSettingsContextAndArguments) {
  fake::Call call;
  EXPECT_EQ(plugin.call("greet", R"({"text":"Ada"})", call), TP_OK);
  ASSERT_EQ(call.blocks.size(), 2u);
  EXPECT_EQ(call.blocks[0].kind, TP_TEXT | TP_PARTIAL);
  EXPECT_EQ(call.blocks[1].bytes, "hello Ada");
  EXPECT_EQ(call.progress, std::vector<double>{1});
  EXPECT_EQ(plugin.answer("count", R"({"text":"four"})"), "4");
  EXPECT_EQ(plugin.answer("opaque", "{}"), "made by to_result");
  EXPECT_EQ(plugin.answer("nothing", "{}"), "done");
}

TEST_F(Sdk, WaitsWhileTheReceiverIsSlowAndStopsWhenNobodyWaits) {
  fake::Call slow;
  slow.busy = 2;
  EXPECT_EQ(plugin.call("count", R"({"text":"x"})", slow), TP_OK);
  EXPECT_EQ(slow.text(), "1");
  fake::Call gone;
  gone.cancelled = true;
  EXPECT_EQ(plugin.call("greet", R"({"text":"x"})", gone), TP_E_CANCELLED);
}

// Case 34.
TEST_F(Sdk, NoExceptionLeavesAndTheModelReadsWhatItCanUse) {
  EXPECT_EQ(plugin.answer("fails", R"({"text":"error"})"), "error: try a smaller one");
  EXPECT_EQ(plugin.answer("fails", R"({"text":"exception"})"), "error: disk is full");
  EXPECT_EQ(plugin.answer("fails", R"({"text":"cancelled"})"), "status -3");
  EXPECT_EQ(plugin.answer("fails", R"({"text":"memory"})"), "status -7");
  EXPECT_EQ(plugin.answer("fails", R"({"text":"int"})"), "status -8");
}

TEST_F(Sdk, PushesContentBlocksInOrder) {
  fake::Call call;
  EXPECT_EQ(plugin.call("blocks", "{}", call), TP_OK);
  std::vector<uint32_t> kinds;
  for (const fake::Block& block : call.blocks) kinds.push_back(block.kind);
  EXPECT_EQ(kinds,
            (std::vector<uint32_t>{TP_TEXT, TP_BLOB, TP_JSON, TP_RESOURCE_LINK, TP_CONTENT}));
  EXPECT_EQ(call.blocks[1].mime, "image/png");
}

TEST_F(Sdk, APendingCallEndsExactlyOnceHoweverItIsLost) {
  EXPECT_EQ(plugin.answer("later", R"({"text":"done"})"), "done");
  for (const char* args : {R"({"text":"drop"})", R"({"text":"throw"})"}) {
    fake::Call call;
    plugin.call("later", args, call);
    EXPECT_EQ(call.completions, 1) << args;
    EXPECT_EQ(call.error, "the tool gave up without an answer");
  }
}

TEST_F(Sdk, WritesEveryOptionIntoTheDescription) {
  const tp_tool& write = tool("write");
  EXPECT_EQ(write.flags, TP_TOOL_SERIAL | TP_TOOL_IDEMPOTENT | TP_TOOL_NOT_DESTRUCTIVE |
                             TP_TOOL_CLOSED_WORLD | TP_TOOL_STRICT | TP_TOOL_HAS_CHECK_PERMISSIONS |
                             TP_TOOL_HAS_MATCH_RULE | TP_TOOL_HAS_GENERATE_SUGGESTIONS |
                             TP_TOOL_HAS_CHECK_READ_ONLY);
  EXPECT_EQ(write.default_timeout_ms, 5000u);
  EXPECT_EQ(write.max_inflight, 2u);
  EXPECT_EQ(fake::text(write.exclusive), "disk");
  EXPECT_EQ(fake::text(write.group), "files");
  EXPECT_EQ(fake::text(write.presets), R"({"root":"/data"})");
  ASSERT_EQ(write.path_args.count, 2u);
  EXPECT_EQ(fake::text(write.path_args.items[1]), "/other");
  EXPECT_EQ(fake::text(write.dangerous_paths.items[0]), ".secret");
  EXPECT_EQ(tool("greet").flags, TP_TOOL_READ_ONLY | TP_TOOL_NOT_STRICT);
  EXPECT_EQ(tool("outside").flags, TP_TOOL_EXTERNAL);
  EXPECT_EQ(plugin.answer("outside", "{}"), "status -2");

  EXPECT_EQ(plugin.about().flags, TP_PLUGIN_PIN);
  EXPECT_EQ(plugin.api().concurrency, TP_CONCURRENT);
  EXPECT_EQ(fake::text(plugin.about().permissions.items[0]), "fs:ro:/data");
  EXPECT_STREQ(plugin.about().optional_ext[0], "tp.context/1");
  EXPECT_EQ(plugin.about().optional_ext[1], nullptr);
  EXPECT_EQ(plugin.about().required_ext, nullptr);
}

TEST_F(Sdk, AnswersTheFourOptionalQuestions) {
  const tp_instance_api& api = plugin.api();
  EXPECT_EQ(check(api.check_permissions, R"({"text":"x"})",
                  R"({"mode":"default","working_dirs":["/w"]})"),
            R"({"behavior":"ask","message":"run x?","reason":"it writes","safety":true})");
  EXPECT_EQ(check(api.check_permissions, R"({"text":"x"})", R"({"mode":"explore"})"),
            R"({"behavior":"deny","message":"not while exploring","safety":false})");
  EXPECT_EQ(check(api.match_rule, R"({"text":"x"})", R"({"mode":"default","rule_content":"x"})"),
            "true");
  EXPECT_EQ(check(api.generate_suggestions, R"({"text":"x"})", R"({"mode":"default"})"),
            R"([{"content":"x"},{"content":null}])");
  EXPECT_EQ(check(api.check_read_only, R"({"text":"look"})", R"({"mode":"default"})"), "true");
}

TEST_F(Sdk, OffersItsSelftest) {
  const auto selftest = [](fake::Plugin& of) {
    return static_cast<const tp_selftest_api*>(of.api().extension(of.instance(), TP_EXT_SELFTEST))
        ->run(of.instance());
  };
  EXPECT_EQ(selftest(plugin), TP_OK);
  fake::Plugin mute(toolpost_plugin_v1(), R"({"greeting":""})");
  EXPECT_EQ(selftest(mute), TP_E_INTERNAL);
  EXPECT_EQ(mute.host().log.back(), "no greeting");
  EXPECT_EQ(plugin.api().extension(plugin.instance(), "tp.unknown/1"), nullptr);
}

}  // namespace
