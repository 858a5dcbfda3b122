#include "plugin/instance/call_table.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

// Counts what reaches it.
class Counting : public CallSink {
 public:
  tp_status push(std::uint32_t, std::string_view, std::string_view) override {
    ++pushed;
    return TP_OK;
  }
  tp_status error(std::int32_t, std::string_view, std::string_view) override { return TP_OK; }
  tp_status ask(std::string_view, std::string_view, std::string_view) override { return TP_OK; }
  tp_status keep(std::string_view) override { return TP_OK; }
  void progress(double, double, std::string_view) override {}
  void log(int, std::string_view, std::string_view) override {}
  void done(tp_status status) override { ended.push_back(status); }

  int pushed = 0;
  std::vector<tp_status> ended;
};

class CallTableTest : public ::testing::Test {
 protected:
  bool push(tp_call* call) {
    return table_.with(call, [](CallSink& sink, CallInfo&) { return sink.push(TP_TEXT, "", "x"); })
        .has_value();
  }

  CallTable& table_ = CallTable::of_process();
  std::shared_ptr<Counting> sink_ = std::make_shared<Counting>();
  tp_call* call_ = table_.open({}, sink_);
};

TEST_F(CallTableTest, ACompletedCallTakesNothingMoreThoughItsFunctionHasNotReturned) {
  ASSERT_TRUE(table_.start(call_, "{}"));
  EXPECT_TRUE(push(call_));
  EXPECT_TRUE(table_.complete(call_, TP_OK));
  EXPECT_FALSE(push(call_));
  EXPECT_FALSE(table_.complete(call_, TP_E_INTERNAL));
  EXPECT_TRUE(sink_->ended.empty());
  table_.returned(call_, TP_PENDING);
  EXPECT_EQ(sink_->ended, std::vector<tp_status>{TP_OK});
  EXPECT_EQ(sink_->pushed, 1);
}

TEST_F(CallTableTest, AnEndedCallKeepsNothingOfWhatItWasGiven) {
  CallInfo info;
  const auto passport = std::make_shared<const tool::Passport>();
  info.passport = passport;
  tp_call* const call = table_.open(std::move(info), sink_);
  ASSERT_TRUE(table_.start(call, "{}"));
  EXPECT_EQ(passport.use_count(), 2);
  EXPECT_TRUE(table_.complete(call, TP_OK));
  table_.returned(call, TP_PENDING);
  EXPECT_EQ(passport.use_count(), 1);
}

TEST_F(CallTableTest, APendingCallEndsWithItsCompletion) {
  ASSERT_TRUE(table_.start(call_, "{}"));
  table_.returned(call_, TP_PENDING);
  EXPECT_TRUE(push(call_));
  EXPECT_TRUE(sink_->ended.empty());
  EXPECT_TRUE(table_.complete(call_, TP_E_BUSY));
  EXPECT_EQ(sink_->ended, std::vector<tp_status>{TP_E_BUSY});
  EXPECT_FALSE(push(call_));
}

TEST_F(CallTableTest, AHandleOfAnEndedCallIsNotTheNextOnesInItsSlot) {
  ASSERT_TRUE(table_.start(call_, "{}"));
  table_.returned(call_, TP_OK);
  const auto next_sink = std::make_shared<Counting>();
  tp_call* const next = table_.open({}, next_sink);
  ASSERT_TRUE(table_.start(next, "{}"));
  EXPECT_FALSE(push(call_));
  EXPECT_FALSE(table_.complete(call_, TP_OK));
  EXPECT_TRUE(push(next));
  EXPECT_EQ(next_sink->pushed, 1);
}

TEST_F(CallTableTest, ACallCancelledBeforeItBeganDoesNotStart) {
  EXPECT_FALSE(table_.cancel(call_));
  EXPECT_FALSE(table_.start(call_, "{}"));
  EXPECT_TRUE(table_.cancelled(call_));
  table_.end_unstarted(call_);
  EXPECT_EQ(sink_->ended, std::vector<tp_status>{TP_E_CANCELLED});
}

}  // namespace
}  // namespace host::plugin
