// The calls of a worker, by times that a test chooses.
#include "plugin/process/held_calls.h"

#include <gtest/gtest.h>

#include "support/passports.h"

namespace host::plugin {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime kBegin{std::chrono::hours(1)};

class HeldCallsTest : public ::testing::Test {
 protected:
  std::shared_ptr<tool::Invocation> begin() {
    auto made = std::make_shared<tool::Invocation>();
    made->function = tool::Function::CheckReadOnly;
    made->arguments = "{}";
    made->passport = test::passport("c1", "anna");
    made->cancel = std::make_shared<Cancel>();
    made->set_on_finish([this](const Result<tool::CallResult>& answer) {
      if (!answer) ended_ += answer.error().message + ";";
    });
    calls_.begin(made, false, out_);
    return made;
  }

  PayloadSlots slots_{PayloadSlots::End::Host};
  HeldCalls calls_{1u << 20u, slots_};
  std::string out_;
  std::string ended_;
};

TEST_F(HeldCallsTest, OfAKilledWorkerThatDoesNotDieWaitTenSecondsAndNoLonger) {
  const auto cancelled = begin();
  const auto other = begin();
  calls_.cancel(*cancelled, kBegin, out_);
  calls_.let_go_of_dying(kBegin + 10s - 1ms);
  EXPECT_EQ(ended_, "");
  calls_.let_go_of_dying(kBegin + 10s);
  EXPECT_EQ(ended_, "cancelled, and it did not stop in time;");  // and not the other
  calls_.let_go_of_dying(kBegin + 1h);
  EXPECT_EQ(ended_, "cancelled, and it did not stop in time;");
}

TEST_F(HeldCallsTest, OfAWorkerThatWasSetAsideWaitForTheirGraceAlone) {
  const auto cancelled = begin();
  calls_.cancel(*cancelled, kBegin, out_);
  calls_.let_go_of_overdue(kBegin - 1ms);
  EXPECT_EQ(ended_, "");
  calls_.let_go_of_overdue(kBegin);
  EXPECT_EQ(ended_, "cancelled, and it did not stop in time;");
}

}  // namespace
}  // namespace host::plugin
