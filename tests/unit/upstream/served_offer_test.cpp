#include "upstream/provider/served_offer.h"

#include <gmock/gmock.h>

namespace host::upstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Made {
  ServedOffer offer;
  std::vector<std::string> reasons;
};

Made make(OfferKind kind, std::vector<std::string> entries,
          const std::function<void(config::Upstream&)>& change = {}) {
  config::Upstream upstream;
  upstream.name = "u";
  if (change) change(upstream);
  OfferMaker maker(std::make_shared<const config::Upstream>(upstream), kind, std::move(entries));
  while (maker.step()) {
  }
  Made made{std::move(maker.made), {}};
  for (const tool::Refusal& one : maker.refusals) made.reasons.push_back(one.reason);
  return made;
}

std::string resource(const std::string& uri) {
  return R"({"name":"n","uri":")" + uri + "\"}";
}

TEST(ServedOffer, ABadEntryIsLeftOutByItself) {
  const auto made = make(
      OfferKind::Resources,
      {resource("memo:///a"), "[]", "{", R"({"uri":"memo:///b"})", resource("no-scheme"),
       resource("SKILL://x"), resource("memo:///a"), resource("memo:///" + std::string(9000, 'x')),
       resource("memo:///" + std::string(kMostEntryBytes, 'x'))});
  ASSERT_THAT(made.offer.offer.resources, SizeIs(1));
  EXPECT_THAT(made.reasons,
              ElementsAre(HasSubstr("no object"), HasSubstr(""), HasSubstr("name"),
                          HasSubstr("scheme"), HasSubstr("skills of this host"), HasSubstr("twice"),
                          HasSubstr("8192 bytes"), HasSubstr("65536 bytes")));
}

TEST(ServedOffer, ATemplateBeginsWithItsScheme) {
  const auto entry = [](const std::string& uri) {
    return R"({"name":"n","uriTemplate":")" + uri + "\"}";
  };
  const auto made = make(OfferKind::Templates, {entry("memo:///{a}"), entry("{+all}"),
                                                entry("{scheme}://x"), entry("skill://{+all}")});
  EXPECT_THAT(made.offer.offer.templates, SizeIs(1));
  EXPECT_THAT(made.reasons,
              ElementsAre(HasSubstr("scheme"), HasSubstr("scheme"), HasSubstr("skills")));
}

TEST(ServedOffer, TheSettingsChooseWhatIsServed) {
  const auto made = make(OfferKind::Resources, {resource("a:1"), resource("a:2"), resource("b:1")},
                         [](config::Upstream& upstream) {
                           upstream.resources = {"a:*"};
                           upstream.resources_denied = {"*2"};
                         });
  ASSERT_THAT(made.offer.offer.resources, SizeIs(1));
  EXPECT_EQ(made.offer.offer.resources[0].uri, "a:1");
  EXPECT_THAT(made.reasons, SizeIs(0));
}

TEST(ServedOffer, PromptsAreNamedLikeTools) {
  const auto made =
      make(OfferKind::Prompts,
           {R"({"name":"a b","title":null,"arguments":[{"name":"x","required":true}]})",
            R"({"name":"a_b"})", R"({"name":"a\u200bb"})"});
  ASSERT_THAT(made.offer.offer.prompts, SizeIs(1));
  EXPECT_EQ(made.offer.offer.prompts[0].name, "mcp__u__a_b");
  EXPECT_TRUE(made.offer.offer.prompts[0].arguments.at(0).required);
  EXPECT_EQ(made.offer.prompt_names.at("mcp__u__a_b"), "a b");
  EXPECT_THAT(made.reasons, ElementsAre(HasSubstr("has already"), HasSubstr("hidden")));
}

}  // namespace
}  // namespace host::upstream
