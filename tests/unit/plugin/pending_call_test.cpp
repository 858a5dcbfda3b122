#include "plugin/answer/pending_call.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/passports.h"

namespace host::plugin {
namespace {

// A call whose observer drops what does not increase, as clients of MCP do.
struct Parts : testing::Test {
  std::shared_ptr<tool::Invocation> invocation = std::make_shared<tool::Invocation>();
  std::vector<std::string> heard;
  std::vector<double> figures;
  std::unique_ptr<PendingCall> call;

  Parts() {
    invocation->passport =
        test::passport_with([](tool::Passport& passport) { passport.call = "c1"; });
    invocation->on_progress = [this](double done, double total, std::string message) {
      if (!figures.empty() && done <= figures.back()) return;
      figures.push_back(done);
      total_ = total;
      heard.push_back(std::move(message));
    };
    call = std::make_unique<PendingCall>(invocation, 1'000);
  }
  void part(const char* text) { EXPECT_EQ(call->push(TP_TEXT | TP_PARTIAL, {}, text), TP_OK); }

  double total_ = 0;
};

TEST_F(Parts, AloneIncreaseATinyFigure) {
  part("a");
  part("b");
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_GT(figures[0], 0);
  EXPECT_LT(figures[1], 1e-6);
}

TEST_F(Parts, AfterAReportAllArriveAndTheFiguresOfThePluginStay) {
  call->progress(1, 10, "one");
  part("a");
  part("b");
  call->progress(2, 10, "two");
  part("c");
  EXPECT_EQ(heard, (std::vector<std::string>{"one", "a", "b", "two", "c"}));
  EXPECT_EQ(figures[0], 1);
  EXPECT_NEAR(figures[2], 1, 1e-9);
  EXPECT_EQ(figures[3], 2);
  EXPECT_EQ(total_, 10);
}

TEST_F(Parts, BeforeTheFirstReportLoseNoReport) {
  part("a");
  part("b");
  call->progress(1, 2, "one");
  part("c");
  call->progress(2, 2, "two");
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b", "one", "c", "two"}));
  EXPECT_EQ(figures[2], 1);
  EXPECT_EQ(figures.back(), 2);
  EXPECT_EQ(total_, 2);
}

TEST_F(Parts, BeforeAFirstReportOfNothingLoseNoReport) {
  part("a");
  call->progress(0, 3, "begins");
  call->progress(1, 3, "one");
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "begins", "one"}));
  EXPECT_NEAR(figures[1], 0, 1e-6);
  EXPECT_EQ(figures[2], 1);
  EXPECT_EQ(total_, 3);
}

TEST_F(Parts, OfFiguresBelowZeroLoseNoReport) {
  call->progress(-5, 0, "-5");
  part("a");
  call->progress(-4, 0, "-4");
  part("b");
  EXPECT_EQ(heard, (std::vector<std::string>{"-5", "a", "-4", "b"}));
  EXPECT_EQ(figures[2], -4);
}

TEST_F(Parts, BeforeFiguresBelowZeroLoseNoReport) {
  part("a");
  call->progress(-5, 0, "-5");
  call->progress(-4, 0, "-4");
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "-5", "-4"}));
}

TEST_F(Parts, OfLargeFiguresStillIncrease) {
  call->progress(1e17, 0, "far");
  part("a");
  part("b");
  EXPECT_EQ(heard, (std::vector<std::string>{"far", "a", "b"}));
}

TEST_F(Parts, FiguresThatAreNoNumbersDoNotStopThem) {
  call->progress(std::numeric_limits<double>::infinity(), 0, "endless");
  heard.clear();
  figures.clear();
  part("a");
  part("b");
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b"}));
}

TEST_F(Parts, AfterAFigureThatShrinksStillArrive) {
  call->progress(5, 10, "five");
  part("a");
  call->progress(1, 10, "one");
  part("b");
  EXPECT_EQ(heard, (std::vector<std::string>{"five", "a", "b"}));
}

}  // namespace
}  // namespace host::plugin
