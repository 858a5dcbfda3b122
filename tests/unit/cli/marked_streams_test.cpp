#include "cli/output/marked_streams.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace host::cli {
namespace {

class MarkedStreamsTest : public testing::Test {
 protected:
  MarkedStreamsTest() : before_(std::cout.rdbuf(sink_.rdbuf())) {}
  ~MarkedStreamsTest() override { std::cout.rdbuf(before_); }

  std::ostringstream sink_;
  std::streambuf* before_;
};

TEST_F(MarkedStreamsTest, MarkWhateverIsPrintedInWhateverPieces) {
  {
    const MarkedStreams streams;
    std::cout << "a\u202Eb" << '\xe2' << '\x80' << '\xae' << "\x1b[2J" << std::endl;
    EXPECT_EQ(sink_.str(), "a<U+202E>b<U+202E><U+001B>[2J\n");
    std::cout << "\xe2\x80";
  }
  EXPECT_EQ(sink_.str(), "a<U+202E>b<U+202E><U+001B>[2J\n<0xE2><0x80>");
  std::cout << "\u202E";
  EXPECT_TRUE(sink_.str().ends_with("\u202E")) << "after it the stream is as before";
}

TEST_F(MarkedStreamsTest, EscapeWithinJson) {
  MarkedStreams streams;
  streams.set_output(Marking::Json);
  std::cout << "\"\u202E\"";
  EXPECT_EQ(sink_.str(), R"("\u202e")");
}

}  // namespace
}  // namespace host::cli
