#include "tool/call/sent_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tool/call/passport.h"

namespace host::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<SentContext> read(const std::string& text) {
  const auto tree = json::parse(text).value();
  return read_sent_context(tree.root(), "/context");
}

std::string fault(const std::string& text) {
  const auto got = read(text);
  return got ? std::string("no fault") : got.error().message;
}

std::string many(std::size_t count) {
  std::string entries;
  for (std::size_t i = 0; i < count; ++i)
    entries += (i ? ",\"t" : "\"t") + std::to_string(i) + "\":0";
  return R"({"entries":{)" + entries + "}}";
}

TEST(SentContext, HasTextsByNameAndJsonByType) {
  const SentContext sent =
      read(R"({"values":{"tenant":"7"},"entries":{"app.User":{"z":1,"a":[null]},"n":null}})")
          .value();
  EXPECT_EQ(sent->values.at("tenant"), "7");
  EXPECT_EQ(sent->entries.at("app.User"), R"({"a":[null],"z":1})");
  EXPECT_EQ(sent->entries.at("n"), "null");
  EXPECT_THAT(names_in(*sent), ElementsAre("app.User", "n", "tenant"));
}

TEST(SentContext, HasOneTextWhateverTheOrderOfItsMembersWas) {
  const std::string text = text_of(read(R"({"entries":{"b":{"y":1,"x":2},"a":1}})").value());
  EXPECT_EQ(text, R"({"entries":{"a":1,"b":{"x":2,"y":1}}})");
  EXPECT_EQ(text, text_of(read(R"({"values":{},"entries":{"a":1,"b":{"x":2,"y":1}}})").value()));
  EXPECT_EQ(text, text_of(sent_context_in(text).value()));
  EXPECT_NE(text, text_of(read(R"({"values":{"a":"1"},"entries":{"b":{"x":2,"y":1}}})").value()));
}

// `limits.json_depth` can be higher than what one text of another may have.
TEST(SentContext, IsReadAgainHoweverDeepItIs) {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_TRUE(sent_context_in(R"({"entries":{"a/b":)" + deep + "}}"));
}

TEST(SentContext, IsNullIfItIsEmpty) {
  for (const char* const empty : {"{}", R"({"values":{}})", R"({"values":{},"entries":{}})"})
    EXPECT_EQ(read(empty).value(), nullptr) << empty;
  EXPECT_EQ(sent_context_in("").value(), nullptr);
  EXPECT_EQ(text_of(nullptr), "");
  EXPECT_EQ(text_of(std::make_shared<const CallContext>()), "");
}

TEST(SentContext, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(fault("[]"), StartsWith("/context: expected an object"));
  EXPECT_THAT(fault("null"), StartsWith("/context: expected an object"));
  EXPECT_THAT(fault(R"({"app.User":{}})"), StartsWith("/context: has the members"));
  EXPECT_THAT(fault(R"({"values":[]})"), StartsWith("/context/values: expected an object"));
  EXPECT_THAT(fault(R"({"values":{"a/b":7}})"), StartsWith("/context/values/a~1b: expected a str"));
  EXPECT_THAT(fault(R"({"entries":"x"})"), StartsWith("/context/entries: expected an object"));
  EXPECT_THAT(fault(R"({"entries":{"":1}})"), StartsWith("/context/entries/: a name must"));
  EXPECT_THAT(fault(R"({"entries":{"a b":1}})"), HasSubstr("a name must"));
  EXPECT_THAT(fault(R"({"values":{"a\u202eb":"1"}})"), HasSubstr("a name must"));
  EXPECT_THAT(fault(R"({"entries":{"toolpost.session":{}}})"), HasSubstr("reserved for the host"));
}

// A plugin could take them for what the host says.
TEST(SentContext, HasNoNamesOfTheHost) {
  for (const std::string name : {"principal", "agent", "session", "request", "traceparent",
                                 "tracestate", "baggage", "toolpost.x"}) {
    EXPECT_THAT(fault(R"({"entries":{")" + name + R"(":{}}})"),
                StartsWith("/context/entries/" + name + ": "));
    EXPECT_THAT(fault(R"({"values":{")" + name + R"(":"x"}})"),
                StartsWith("/context/values/" + name + ": "));
  }
}

TEST(SentContext, IsLimited) {
  const auto of_bytes = [](std::size_t bytes) {
    return R"({"values":{"n":")" + std::string(bytes, 'x') + R"("}})";
  };
  const std::size_t rest = of_bytes(0).size();
  EXPECT_TRUE(read(of_bytes(kMostSentContextBytes - rest)));
  EXPECT_THAT(fault(of_bytes(kMostSentContextBytes - rest + 1)),
              HasSubstr("65537 bytes, more than the 65536"));
  // The text that is stored counts, with its escapes.
  std::string escapes;
  for (int i = 0; i < 20'000; ++i) escapes += "\\u0001";
  EXPECT_THAT(fault(R"({"values":{"n":")" + escapes + R"("}})"), HasSubstr("more than the 65536"));
  EXPECT_TRUE(read(many(kMostSentContextMembers)));
  EXPECT_THAT(fault(many(kMostSentContextMembers + 1)), HasSubstr("at most 64"));
  const std::string name(kMostContextNameBytes, 'n');
  EXPECT_TRUE(read(R"({"values":{")" + name + R"(":""}})"));
  // A long name is not repeated in the error.
  const std::string long_name(1000, 'n');
  EXPECT_LT(fault(R"({"values":{")" + long_name + R"(":""}})").size(), 200u);
  EXPECT_THAT(fault(R"({"values":{")" + name + R"(n":""}})"),
              StartsWith("/context/values: a name"));
}

TEST(SentContext, ABrokenStoredTextIsAnError) {
  EXPECT_FALSE(sent_context_in("{"));
  EXPECT_FALSE(sent_context_in(R"({"other":1})"));
}

TEST(SentContext, IsPartOfTheDigestAndNestedCallsInheritIt) {
  Passport bare;
  EXPECT_EQ(digested_context(bare), "");
  Passport one;
  give_context(one, read(R"({"values":{"tenant":"7"}})").value());
  Passport other;
  give_context(other, read(R"({"values":{"tenant":"8"}})").value());
  EXPECT_NE(digested_context(one), "");
  EXPECT_NE(digested_context(one), digested_context(other));
  const auto post = passport_of_post(one, "post_x");
  EXPECT_EQ(digested_context(*post), digested_context(one));
  EXPECT_EQ(post->given->values.at("tenant"), "7");
  // What the host adds is not what the client sent.
  EXPECT_EQ(digested_context(*with_value(one, "more", "x")), digested_context(one));
}

}  // namespace
}  // namespace host::tool
