#include <gtest/gtest.h>

#include "json/json.h"

namespace host::json {
namespace {

TEST(Pointer, FindsWhatRfc6901Lists) {
  const auto document = parse(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,)"
                              R"("i\\j":5,"k\"l":6," ":7,"m~n":8})");
  const Value& root = document->root();
  EXPECT_EQ(at(root, ""), &root);
  EXPECT_EQ(text(*at(root, "/foo/0")), "bar");
  EXPECT_EQ(at(root, "/")->GetInt(), 0);
  EXPECT_EQ(at(root, "/a~1b")->GetInt(), 1);
  EXPECT_EQ(at(root, "/m~0n")->GetInt(), 8);
  EXPECT_EQ(at(root, "/i\\j")->GetInt(), 5);
}

TEST(Pointer, FindsNothingWhereNothingIs) {
  const auto document = parse(R"({"foo":["bar"],"~2":1})");
  for (const char* pointer : {"foo", "/foo/1", "/foo/-", "/foo/00", "/foo/0/", "/foo/-1", "/bar",
                              "/~2", "/~", "/foo/99999999999999999999", "/foo/0x"}) {
    EXPECT_EQ(at(document->root(), pointer), nullptr) << pointer;
  }
}

TEST(Pointer, EscapesTokens) {
  EXPECT_EQ(escape_pointer_token("a/b~c"), "a~1b~0c");
}

}  // namespace
}  // namespace host::json
