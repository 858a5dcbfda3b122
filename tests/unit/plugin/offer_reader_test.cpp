#include "plugin/declared/offer_reader.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

std::string resources_fault(const std::string& text) {
  tool::Offer offer;
  const auto read = read_resource_list(text, offer);
  return read ? "" : read.error().message;
}

std::string prompts_fault(const std::string& text) {
  tool::Offer offer;
  const auto read = read_prompt_list(text, offer);
  return read ? "" : read.error().message;
}

TEST(OfferReader, ReadsAllThatMcpHas) {
  tool::Offer offer;
  ASSERT_TRUE(read_resource_list(
      R"({"resources":[{"uri":"a:b","name":"n","title":"t","description":"d","mimeType":"x/y",)"
      R"("size":3,"icons":[],"annotations":{"priority":1},"_meta":{"k":1}}],)"
      R"("resourceTemplates":[{"uriTemplate":"a:{x}","name":"m"}]})",
      offer));
  const tool::Resource whole{"a:b",       "n", "t", "d", "x/y", 3, "[]", R"({"priority":1})",
                             R"({"k":1})"};
  EXPECT_EQ(offer.resources.at(0), whole);
  EXPECT_EQ(offer.templates.at(0).uri, "a:{x}");

  ASSERT_TRUE(read_prompt_list(R"([{"name":"p","title":"t","description":"d","arguments":)"
                               R"([{"name":"a","description":"b","required":true},{"name":"c"}]}])",
                               offer));
  EXPECT_EQ(offer.prompts.at(0).arguments.at(0), (tool::PromptArgument{"a", "", "b", true}));
  EXPECT_FALSE(offer.prompts.at(0).arguments.at(1).required);
}

TEST(OfferReader, TakesABoundedNumberOfTemplates) {
  const auto one = [](std::string_view key, std::string_view uri) {
    return "{\"" + std::string(key) + R"(":")" + std::string(uri) + R"(","name":"n"})";
  };
  std::string templates = one("uriTemplate", "a:{x}");
  for (int i = 1; i < 1'000; ++i)
    templates += "," + one("uriTemplate", "a:{x}" + std::to_string(i));
  const std::string list = R"({"resourceTemplates":[)" + templates;
  EXPECT_EQ(resources_fault(list + "]}"), "");
  EXPECT_EQ(resources_fault(list + "," + one("uriTemplate", "b:{x}") + "]}"),
            R"("resourceTemplates" is too long)");
}

TEST(OfferReader, RefusesTheWholeForOneFault) {
  EXPECT_EQ(resources_fault("[]"), "it is no object");
  EXPECT_EQ(resources_fault(R"({"resources":{}})"), R"("resources" is no array)");
  EXPECT_EQ(resources_fault(R"({"resources":[3]})"), R"("": an entry is no object)");
  EXPECT_EQ(resources_fault(R"({"resources":[{"uri":"a:b"}]})"),
            R"("a:b": "name" is missing or empty)");
  EXPECT_EQ(resources_fault(R"({"resources":[{"uri":"ab","name":"n"}]})"),
            R"("ab": "uri" has no scheme)");
  EXPECT_EQ(resources_fault(R"({"resources":[{"uri":"a:b","name":"n","size":-1}]})"),
            R"("a:b": "size" is no whole number)");
  EXPECT_EQ(resources_fault(R"({"resources":[{"uri":"a:b","name":"n"},{"uri":"a:b","name":"m"}]})"),
            R"("a:b" is there twice)");
  const std::string longest = "a:" + std::string(8190, 'b');
  EXPECT_EQ(resources_fault(R"({"resources":[{"uri":")" + longest + R"(","name":"n"}]})"), "");
  EXPECT_NE(resources_fault(R"({"resources":[{"uri":")" + longest + R"(b","name":"n"}]})")
                .find(R"("uri" has more than 8192 bytes)"),
            std::string::npos);
  EXPECT_EQ(prompts_fault("{}"), "it is no array");
  EXPECT_EQ(prompts_fault(R"([{"name":""}])"), R"("": "name" is missing or empty)");
  EXPECT_EQ(prompts_fault(R"([{"name":"p","arguments":{}}])"), R"("p": "arguments" is no array)");
  EXPECT_EQ(prompts_fault(R"([{"name":"p","arguments":[{"name":"a","required":1}]}])"),
            R"(an argument of "p": "required" is not true or false)");
  EXPECT_EQ(prompts_fault(R"([{"name":"p","arguments":[{"name":"a"},{"name":"a"}]}])"),
            R"("p" has two arguments "a")");
  EXPECT_EQ(prompts_fault(R"([{"name":"p"},{"name":"p"}])"), R"("p" is there twice)");
}

}  // namespace
}  // namespace host::plugin
