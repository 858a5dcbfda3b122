#include "rest/wire/body.h"

#include <gtest/gtest.h>

#include "json/fault.h"
#include "support/fake_http.h"

namespace host::rest {
namespace {

struct Given {
  explicit Given(std::string text) { exchange.text = std::move(text); }
  Result<Body> read() const { return Body::read(exchange); }
  test::FakeExchange exchange;
};

struct Told {
  std::string pointer;
  std::string message;
};

Told told(const Error& error) {
  EXPECT_EQ(error.kind, ErrorKind::InvalidArgument);
  return {std::string(json::pointer_of(error)), error.message};
}

// The first fault of a body that a route reads by `read`.
template <class Read>
Told fault_of(const std::string& text, Read read) {
  const Given given(text);
  auto body = given.read();
  if (!body) return told(body.error());
  read(body->root());
  const auto end = body->end();
  return end ? Told{} : told(end.error());
}

TEST(Body, GivesItsMembersByTheirTypes) {
  const Given given(R"({"t":"x","n":7,"f":true,"l":["a","b"],"o":{"i":{}},"w":"on"})");
  auto body = given.read();
  ASSERT_TRUE(body) << body.error().message;
  Members& root = body->root();
  EXPECT_EQ(root.text("t"), "x");
  EXPECT_EQ(root.number_if("n"), 7u);
  EXPECT_EQ(root.flag_if("f"), true);
  EXPECT_EQ(root.texts_if("l"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(root.word("w", {"on", "off"}), "on");
  Members* const inner = root.members("o");
  ASSERT_NE(inner, nullptr);
  EXPECT_NE(inner->object_if("i"), nullptr);
  EXPECT_EQ(inner->text_if("none"), std::nullopt);
  EXPECT_TRUE(body->end());
}

TEST(Body, FaultsNameTheMemberByItsPointer) {
  const auto text = [](Members& root) { root.text("t"); };
  EXPECT_EQ(fault_of("{}", text).pointer, "/t");
  EXPECT_EQ(fault_of("{}", text).message, "/t: is missing");
  EXPECT_EQ(fault_of(R"({"t":[]})", text).message, "/t: expected a string, not an array");
  EXPECT_EQ(fault_of(R"({"t":"x","tt":1})", text).message, "/tt: unknown member: there is: t");
  const auto nested = [](Members& root) {
    if (Members* const one = root.members("a/b")) one->flag_if("c");
  };
  EXPECT_EQ(fault_of(R"({"a/b":{"c":null}})", nested).pointer, "/a~1b/c");
  EXPECT_EQ(fault_of(R"({"a/b":{"d":null}})", nested).pointer, "/a~1b/d");
  EXPECT_EQ(fault_of(R"({"a/b":3})", nested).message, "/a~1b: expected an object, not a number");
  const auto word = [](Members& root) { root.word("w", {"on", "off"}); };
  EXPECT_EQ(fault_of(R"({"w":"of"})", word).message, R"(/w: expected "on" or "off", not "of")");
  const auto others = [](Members& root) {
    root.number_if("n");
    root.texts_if("l");
  };
  EXPECT_EQ(fault_of(R"({"n":-1})", others).pointer, "/n");
  EXPECT_EQ(fault_of(R"({"n":1.5})", others).pointer, "/n");
  EXPECT_EQ(fault_of(R"({"l":["a",1]})", others).pointer, "/l");
}

TEST(Body, IsAnObjectOfLimitedSize) {
  const auto nothing = [](Members&) {};
  EXPECT_EQ(fault_of("[1]", nothing).message, "the body: expected an object, not an array");
  EXPECT_NE(fault_of("", nothing).message.find("not valid JSON"), std::string::npos);
  EXPECT_EQ(fault_of("{", nothing).pointer, "");
  const Given given(R"({"t":"0123456789"})");
  EXPECT_TRUE(Body::read(given.exchange, 18));
  EXPECT_FALSE(Body::read(given.exchange, 17));
}

TEST(Body, TellsTheFirstFaultOnly) {
  const auto both = [](Members& root) {
    root.text("a");
    root.fault("a", "is odd");
    root.text("b");
  };
  EXPECT_EQ(fault_of("{}", both).message, "/a: is missing");
  EXPECT_EQ(fault_of(R"({"a":"1"})", both).message, "/a: is odd");
}

TEST(Body, CanBeMovedWhileItIsRead) {
  const Given given(R"({"a":{"b":1}})");
  auto read = given.read();
  ASSERT_TRUE(read);
  Members* const inner = read->root().members("a");
  const Body moved = *std::move(read);
  inner->text("b");
  EXPECT_FALSE(moved.end());
}

}  // namespace
}  // namespace host::rest
