#include "tool/definition/host_meta.h"

#include <gtest/gtest.h>

namespace host::tool {
namespace {

std::string without(const char* text) {
  auto tree = json::parse(text);
  const std::string written = write_without_host_meta(tree->root());
  drop_host_meta(tree->root());
  EXPECT_EQ(json::write(tree->root()), written);
  return written;
}

TEST(HostMeta, IsRemovedAtEachDepthAndNothingElseIs) {
  EXPECT_EQ(without(R"({"type":"text","text":"x","_meta":{"io.toolpost/file":{},"a/b":1}})"),
            R"({"type":"text","text":"x","_meta":{"a/b":1}})");
  EXPECT_EQ(without(R"({"resource":{"uri":"a:b","_meta":{"io.toolpost/x":1,"io.toolpost/y":2}}})"),
            R"({"resource":{"uri":"a:b","_meta":{}}})");
  EXPECT_EQ(without(R"([[{"_meta":{"a":{"_meta":{"io.toolpost/x":1}}}}]])"),
            R"([[{"_meta":{"a":{"_meta":{}}}}]])");
  EXPECT_EQ(without(R"({"\u005fmeta":{"\u0069o.toolpost/x":1}})"), R"({"_meta":{}})");
  EXPECT_EQ(
      without(R"({"io.toolpost/x":1,"_meta":[{"io.toolpost/x":1}],"meta":{"io.toolpost/x":1}})"),
      R"({"io.toolpost/x":1,"_meta":[{"io.toolpost/x":1}],"meta":{"io.toolpost/x":1}})");
  EXPECT_EQ(without(R"("io.toolpost/x")"), R"("io.toolpost/x")");
}

TEST(HostMeta, OfAMetaObjectTheOtherMembersStay) {
  const auto meta =
      json::parse(R"({"io.toolpost/x":1,"io.toolpostal/y":2,"z":{"io.toolpost/x":1}})");
  EXPECT_EQ(write_foreign_meta(meta->root()), R"({"io.toolpostal/y":2,"z":{"io.toolpost/x":1}})");
}

}  // namespace
}  // namespace host::tool
