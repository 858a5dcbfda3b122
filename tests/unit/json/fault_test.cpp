#include "json/fault.h"

#include <gtest/gtest.h>

namespace host::json {
namespace {

TEST(Fault, BeginsWithItsPointer) {
  const Error fault = fault_at("/a/b", "is missing");
  EXPECT_EQ(fault.kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(fault.message, "/a/b: is missing");
  EXPECT_EQ(pointer_of(fault), "/a/b");
}

TEST(Fault, OfTheWholeTextHasNoPointer) {
  EXPECT_EQ(fault_at("", "expected an object").message, "expected an object");
  EXPECT_EQ(pointer_of(fault_at("", "expected an object")), "");
  EXPECT_EQ(pointer_of(Error{ErrorKind::Io, "/etc/x: no such file"}), "");
}

TEST(Fault, InsideANameWithTheMarkPointsAtTheValueAroundIt) {
  const Error fault = fault_at("/a/b: c/d", "is missing");
  EXPECT_EQ(fault.message, R"(/a: in "/b: c/d": is missing)");
  EXPECT_EQ(pointer_of(fault), "/a");
  EXPECT_EQ(pointer_of(fault_at("/b: c", "is missing")), "");
}

TEST(Fault, PointersGrowByEscapedNames) {
  EXPECT_EQ(child_of("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(child_of("", ""), "/");
}

}  // namespace
}  // namespace host::json
