// What toolpost.hpp makes of offers, questions and announcements, seen through the C ABI alone.
#include "abi/offer_example.h"

#include <gtest/gtest.h>

#include "support/fake_host.h"

namespace {

class SdkOffer : public testing::Test {
 protected:
  // What one function of the plugin pushed, or how it failed.
  template <class Run>
  std::string run(Run act) {
    fake::Call call;
    const tp_status status = act(call.handle());
    if (call.error) return "error: " + *call.error;
    if (status != TP_OK) return "status " + std::to_string(status);
    std::string all;
    for (const fake::Block& block : call.blocks) {
      if (!all.empty()) all += " | ";
      if (block.kind != TP_JSON) all += std::to_string(block.kind) + " " + block.mime + " ";
      all += block.bytes;
    }
    return all;
  }
  std::string list() {
    const auto* table = plugin.extension<tp_resources_api>(TP_EXT_RESOURCES);
    return run([&](tp_call* call) { return table->list(plugin.instance(), call); });
  }
  std::string read(const char* uri) {
    const auto* table = plugin.extension<tp_resources_api>(TP_EXT_RESOURCES);
    return run([&](tp_call* call) { return table->read(plugin.instance(), fake::str(uri), call); });
  }
  std::string prompts() {
    const auto* table = plugin.extension<tp_prompts_api>(TP_EXT_PROMPTS);
    return run([&](tp_call* call) { return table->list(plugin.instance(), call); });
  }
  std::string prompt(const char* name, const char* args) {
    const auto* table = plugin.extension<tp_prompts_api>(TP_EXT_PROMPTS);
    return run([&](tp_call* call) {
      return table->get(plugin.instance(), fake::str(name), fake::str(args), call);
    });
  }
  std::string complete(const char* request) {
    const auto* table = plugin.extension<tp_completion_api>(TP_EXT_COMPLETION);
    return run([&](tp_call* call) {
      return table->complete(plugin.instance(), fake::str(request), call);
    });
  }

  fake::Plugin plugin{toolpost_plugin_v1(), "{}"};
};

TEST_F(SdkOffer, ListsResourcesAndTemplates) {
  EXPECT_EQ(list(), R"({"resources":[{"uri":"shop://sign","name":"sign","title":"Sign",)"
                    R"("description":"The sign","mimeType":"text/plain","size":4,)"
                    R"("annotations":{"priority":1}}],"resourceTemplates":[)"
                    R"({"uriTemplate":"notes://{folder}/{+name}.txt","name":"note",)"
                    R"("description":"A note","mimeType":"text/plain"}]})");
  plugin.answer("close", "{}");
  EXPECT_NE(list().find("shop://closed"), std::string::npos);
}

TEST_F(SdkOffer, ReadsByUriAndByTemplate) {
  EXPECT_EQ(read("shop://sign"), "1 text/plain open");
  EXPECT_EQ(read("notes://a%20b/c/d.txt"), "1 text/plain a b+c/d | 3 image/png \x01");
  EXPECT_EQ(read("notes://a/none.txt"), "error: no note of this name");
  for (const char* uri : {"notes://a/b", "notes:///b.txt", "notes://a/.txt", "notes://a/%zz.txt",
                          "shop://", "shop://sign/x"}) {
    EXPECT_EQ(read(uri), "status -2") << uri;
  }
}

TEST_F(SdkOffer, ListsAndMakesPrompts) {
  EXPECT_EQ(prompts(),
            R"([{"name":"write","title":"Write","description":"Write about something",)"
            R"("arguments":[{"name":"topic","description":"What about","required":true},)"
            R"({"name":"tone"},{"name":"language"}]},)"
            R"({"name":"plain","description":"A plain one","arguments":[]}])");
  EXPECT_EQ(prompt("write", R"({"topic":"snow"})"),
            R"({"description":"Writes","messages":[{"role":"user","content":{"type":"text",)"
            R"("text":"snow in English"}},{"role":"assistant","content":{"type":"image",)"
            R"("mimeType":"image/png","data":"cG5n"}}]})");
  EXPECT_EQ(prompt("plain", "{}"),
            R"({"messages":[{"role":"user","content":{"type":"text","text":"just \"this\""}}]})");
  EXPECT_EQ(prompt("write", "{}"), "error: argument /topic is missing");
  EXPECT_EQ(prompt("nothing", "{}"), "status -2");
}

TEST_F(SdkOffer, CompletesAtMostAHundredValues) {
  const std::string values =
      complete(R"({"ref":{"type":"ref/resource","uri":"notes://{folder}/{+name}.txt"},)"
               R"("argument":{"name":"name","value":"x"},)"
               R"("context":{"arguments":{"folder":"f"}}})");
  EXPECT_TRUE(values.starts_with(R"({"values":["f-x","f-x",)")) << values;
  EXPECT_TRUE(values.ends_with(R"("f-x"],"total":120,"hasMore":true})")) << values;
  EXPECT_EQ(complete(R"({"ref":{"type":"ref/prompt","name":"write"},)"
                     R"("argument":{"name":"topic","value":""}})"),
            R"({"values":[],"hasMore":false})");
}

TEST_F(SdkOffer, AsksEndsAndRunsAgainWithTheAnswer) {
  fake::Call first;
  first.abilities = TP_ASK_FORM;
  EXPECT_EQ(plugin.call("order", "{}", first), TP_OK);
  EXPECT_TRUE(first.blocks.empty());
  ASSERT_EQ(first.questions.size(), 1u);
  EXPECT_EQ(first.questions[0].key, "order");
  EXPECT_EQ(first.questions[0].params,
            R"({"mode":"form","message":"What may it be?","requestedSchema":{"type":"object",)"
            R"("properties":{"name":{"type":"string","description":"For whom"},)"
            R"("size":{"type":"string","enum":["small","large"],"default":"large"}},)"
            R"("required":["name"]}})");

  fake::Call second;
  second.answers["order"] = R"({"action":"accept","content":{"name":"Ada","size":"small"}})";
  EXPECT_EQ(plugin.call("order", "{}", second), TP_OK);
  EXPECT_EQ(second.only(), "Ada, small");
  fake::Call declined;
  declined.answers["order"] = R"({"action":"decline"})";
  EXPECT_EQ(plugin.call("order", "{}", declined), TP_OK);
  EXPECT_EQ(declined.only(), "no order");
  EXPECT_EQ(plugin.answer("runs", "{}"), "3");
}

TEST_F(SdkOffer, AsksSeveralAtOnceAndKeepsAState) {
  fake::Call first;
  first.abilities = TP_ASK_SAMPLING | TP_ASK_ROOTS;
  EXPECT_EQ(plugin.call("ask_all", "{}", first), TP_OK);
  ASSERT_EQ(first.questions.size(), 2u);
  EXPECT_EQ(first.questions[0].params,
            R"({"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],)"
            R"("maxTokens":9,"temperature":0.5})");
  EXPECT_EQ(first.kept, "kept");

  fake::Call second;
  second.state = "kept";
  second.answers["model"] =
      R"({"role":"assistant","content":{"type":"text","text":"Hello"},"model":"m"})";
  second.answers["roots"] = R"({"roots":[{"uri":"file:///a","name":"A"}]})";
  EXPECT_EQ(plugin.call("ask_all", "{}", second), TP_OK);
  EXPECT_EQ(second.only(), "Hello by m, A, kept");
}

TEST_F(SdkOffer, ACallThatCannotAskSaysSo) {
  EXPECT_EQ(plugin.answer("order", "{}"), "status -2");
  fake::Call nonsense;
  nonsense.answers["order"] = R"({"action":"accept","content":{"size":"small"}})";
  plugin.call("order", "{}", nonsense);
  EXPECT_EQ(nonsense.error, "answer /name is missing");
}

TEST_F(SdkOffer, AnnouncesByName) {
  EXPECT_EQ(plugin.answer("close", "{}"), "closed");
  EXPECT_EQ(plugin.host().announced, (std::vector<std::string>{"tool 0 off", "prompts", "resources",
                                                               "updated shop://sign"}));
}

}  // namespace
