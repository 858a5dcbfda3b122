#include "protocol/trace_context.h"

#include <gtest/gtest.h>

namespace host::protocol {
namespace {

const std::string kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContext, AValidParentIsKept) {
  EXPECT_EQ(read_trace(kParent, "", "").parent, kParent);
  const std::string later = "cc" + kParent.substr(2);
  EXPECT_EQ(read_trace(later, "", "").parent, later);
  EXPECT_EQ(read_trace(later + "-more", "", "").parent, later + "-more");
}

TEST(TraceContext, AMalformedParentIsDroppedWithItsState) {
  for (const std::string& bad :
       {std::string(), kParent.substr(1), kParent + "0", kParent + "-more",
        "ff" + kParent.substr(2), "0g" + kParent.substr(2),
        "00-" + std::string(32, '0') + kParent.substr(35),
        kParent.substr(0, 36) + std::string(16, '0') + "-01",
        std::string("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"),
        std::string("00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        "cc" + kParent.substr(2) + "x"}) {
    const Trace trace = read_trace(bad, "a=1", "");
    EXPECT_EQ(trace.parent, "") << bad;
    EXPECT_EQ(trace.state, "") << bad;
  }
}

TEST(TraceContext, ListsAreBoundedAndOfPairs) {
  EXPECT_EQ(read_trace(kParent, "a=1, b@c=2,,", "").state, "a=1, b@c=2,,");
  for (const std::string& bad :
       {std::string("a"), std::string("=1"), std::string("a=1,b"), std::string("a=\n"),
        std::string(","), std::string("a=\xc3\xa4"), "a=" + std::string(600, 'x')}) {
    EXPECT_EQ(read_trace(kParent, bad, "").state, "") << bad;
  }
  std::string many = "a=1";
  for (int i = 0; i < 32; ++i) many += ",a=1";
  EXPECT_EQ(read_trace(kParent, many, "").state, "");
  EXPECT_EQ(read_trace("", "", "k=v;p=1").baggage, "k=v;p=1");
  EXPECT_EQ(read_trace("", "", std::string(9000, 'x') + "=1").baggage, "");
}

}  // namespace
}  // namespace host::protocol
