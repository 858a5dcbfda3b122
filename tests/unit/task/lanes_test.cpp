#include "task/lanes.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include <string>
#include <vector>

namespace host::task {
namespace {

class LanesTest : public testing::Test {
 protected:
  boost::asio::io_context io_;
  std::vector<std::string> started_;
  Lanes lanes_{io_.get_executor(), 1, [this](const std::string& record) {
                 started_.push_back(record);
                 return true;
               }};
};

TEST_F(LanesTest, TheNextCallStartsWhenOneLeaves) {
  EXPECT_TRUE(lanes_.enter("p", "a"));
  EXPECT_FALSE(lanes_.enter("p", "b"));
  EXPECT_FALSE(lanes_.enter("p", "c"));
  lanes_.leave("p");
  io_.run();
  EXPECT_EQ(started_, std::vector<std::string>{"b"});
  EXPECT_EQ(lanes_.waiting("p"), 1u);
}

TEST_F(LanesTest, PrincipalsDoNotWaitForEachOther) {
  EXPECT_TRUE(lanes_.enter("p", "a"));
  EXPECT_TRUE(lanes_.enter("q", "b"));
}

// Else a client that creates and cancels calls all day fills the memory.
TEST_F(LanesTest, ACallThatEndsWhileItWaitsIsForgotten) {
  EXPECT_TRUE(lanes_.enter("p", "a"));
  EXPECT_FALSE(lanes_.enter("p", "b"));
  EXPECT_FALSE(lanes_.enter("p", "c"));
  lanes_.forget("p", "b");
  lanes_.forget("p", "never waited");
  lanes_.forget("nobody", "b");
  EXPECT_EQ(lanes_.waiting("p"), 1u);
  lanes_.leave("p");
  io_.run();
  EXPECT_EQ(started_, std::vector<std::string>{"c"});
}

}  // namespace
}  // namespace host::task
