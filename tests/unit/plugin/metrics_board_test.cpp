#include "plugin/instance/metrics_board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <random>
#include <thread>

#include "plugin/instance/abi_text.h"

namespace host::plugin {
namespace {

using Act = MetricsBoard::Act;

// A board whose reports are kept.
struct Board : testing::Test {
  MetricsBoard board{[this](const std::string& bytes) {
    const auto report = read_report(bytes);
    EXPECT_TRUE(report.has_value());
    if (report) sent.push_back(*report);
    return takes;
  }};
  std::vector<Report> sent;
  bool takes = true;

  tp_status declare(std::uint32_t kind, std::string_view name,
                    const std::vector<std::string_view>& labels = {},
                    const std::vector<double>& bounds = {}) {
    std::vector<tp_str> lent;
    for (const std::string_view label : labels) lent.push_back(lend(label));
    tp_metric metric{};
    metric.struct_size = sizeof metric;
    metric.kind = kind;
    metric.name = lend(name);
    metric.labels = {lent.data(), lent.size()};
    metric.bounds = bounds.data();
    metric.bound_count = bounds.size();
    return board.declare(metric, number);
  }
  tp_status measure(Act act, double value, const std::vector<std::string_view>& values = {}) {
    std::vector<tp_str> lent;
    for (const std::string_view each : values) lent.push_back(lend(each));
    return board.measure(act, number, {lent.data(), lent.size()}, value);
  }

  std::uint32_t number = 0;
};

TEST_F(Board, SendsOneReportAtATimeAndFoldsTheRestIntoTheNext) {
  board.open();
  ASSERT_EQ(declare(TP_METRIC_COUNTER, "a_total", {"x"}), TP_OK);
  EXPECT_EQ(sent.size(), 0u);  // there is no series yet
  measure(Act::Add, 1, {"l"});
  for (int i = 0; i < 100; ++i) measure(Act::Add, 2, {"l"});
  measure(Act::Add, 5, {"m"});
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0][0].series[0].added, 1);
  board.heard(TP_OK);
  ASSERT_EQ(sent.size(), 2u);
  ASSERT_EQ(sent[1][0].series.size(), 2u);
  EXPECT_EQ(sent[1][0].series[0].added, 200);
  EXPECT_EQ(sent[1][0].series[1].labels, std::vector<std::string>{"m"});
  board.heard(TP_OK);
  EXPECT_EQ(sent.size(), 2u);  // nothing new
}

TEST_F(Board, KeepsWhatIsCountedBeforeItOpensAndSendsTheRestAtItsEnd) {
  declare(TP_METRIC_GAUGE, "a");
  measure(Act::Set, 3);
  EXPECT_TRUE(sent.empty());
  board.open();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0][0].series[0].set, 3);
  measure(Act::Add, 1);
  board.close();  // though the first is not answered
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1][0].series[0].set, std::nullopt);
  EXPECT_EQ(sent[1][0].series[0].added, 1);
  EXPECT_EQ(measure(Act::Add, 1), TP_E_BUSY);
  board.heard(TP_OK);
  board.close();
  EXPECT_EQ(sent.size(), 2u);
}

TEST_F(Board, AGaugeThatIsSetForgetsWhatWasAddedBefore) {
  declare(TP_METRIC_GAUGE, "a");
  measure(Act::Add, 7);
  measure(Act::Set, 3);
  measure(Act::Add, 1);
  board.open();
  EXPECT_EQ(sent[0][0].series[0].set, 3);
  EXPECT_EQ(sent[0][0].series[0].added, 1);
}

TEST_F(Board, AMetricWithoutLabelsIsShownBeforeAnythingIsCounted) {
  board.open();
  declare(TP_METRIC_COUNTER, "a_total");
  ASSERT_EQ(sent.size(), 1u);
  ASSERT_EQ(sent[0][0].series.size(), 1u);
  EXPECT_EQ(sent[0][0].series[0].added, 0);
}

TEST_F(Board, SaysWhereNobodyWantsItAndSendsNoMore) {
  takes = false;
  board.open();
  declare(TP_METRIC_GAUGE, "a");
  EXPECT_EQ(measure(Act::Set, 1), TP_E_UNSUPPORTED);
  EXPECT_EQ(measure(Act::Observe, 1), TP_E_INVALID);  // mistakes are told all the same
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(Board, WhatTheHostDoesNotOfferIsNotSentAgain) {
  board.open();
  declare(TP_METRIC_GAUGE, "a");
  board.heard(TP_E_UNSUPPORTED);
  EXPECT_EQ(measure(Act::Set, 1), TP_E_UNSUPPORTED);
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(Board, RefusesWhatIsNotFormedAsItShouldBe) {
  const std::string longest(64, 'a');
  EXPECT_EQ(declare(TP_METRIC_GAUGE, longest), TP_OK);
  EXPECT_EQ(declare(TP_METRIC_GAUGE, longest + "a"), TP_E_INVALID);
  for (const std::string_view name : {"", "A", "1a", "a-b", "a b", "a_total", "a_sum", "a_count",
                                      "a_bucket", "a\xc3\xa4", "_a"}) {
    EXPECT_EQ(declare(TP_METRIC_GAUGE, name), TP_E_INVALID) << name;
    EXPECT_EQ(declare(TP_METRIC_HISTOGRAM, name), TP_E_INVALID) << name;
  }
  EXPECT_EQ(declare(TP_METRIC_COUNTER, "a"), TP_E_INVALID);
  EXPECT_EQ(declare(0, "a"), TP_E_INVALID);
  EXPECT_EQ(declare(4, "a"), TP_E_INVALID);
  for (const std::vector<std::string_view>& labels : std::vector<std::vector<std::string_view>>{
           {"plugin"}, {"le"}, {"X"}, {"__x"}, {""}, {"x", "x"}, {"a", "b", "c", "d", "e"}}) {
    EXPECT_EQ(declare(TP_METRIC_GAUGE, "l", labels), TP_E_INVALID);
  }
  const double infinite = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& bounds :
       std::vector<std::vector<double>>{{1, 1}, {2, 1}, {infinite}, {-infinite, 1}}) {
    EXPECT_EQ(declare(TP_METRIC_HISTOGRAM, "h", {}, bounds), TP_E_INVALID);
  }
  EXPECT_EQ(declare(TP_METRIC_HISTOGRAM, "h", {}, std::vector<double>(25, 1)), TP_E_INVALID);
  EXPECT_EQ(declare(TP_METRIC_GAUGE, "g", {}, {1}), TP_E_INVALID);
}

TEST_F(Board, TheSameOnceMoreHasItsNumberAndAnotherOfItsNameIsRefused) {
  ASSERT_EQ(declare(TP_METRIC_GAUGE, "a", {"x"}), TP_OK);
  const std::uint32_t first = number;
  ASSERT_EQ(declare(TP_METRIC_GAUGE, "b"), TP_OK);
  EXPECT_NE(number, first);
  ASSERT_EQ(declare(TP_METRIC_GAUGE, "a", {"x"}), TP_OK);
  EXPECT_EQ(number, first);
  EXPECT_EQ(declare(TP_METRIC_GAUGE, "a", {"y"}), TP_E_INVALID);
  EXPECT_EQ(declare(TP_METRIC_HISTOGRAM, "a", {"x"}), TP_E_INVALID);
}

TEST_F(Board, RefusesMeasurementsThatDoNotFit) {
  const double infinite = std::numeric_limits<double>::infinity();
  number = 0;
  EXPECT_EQ(measure(Act::Add, 1), TP_E_INVALID);
  number = 1;
  EXPECT_EQ(measure(Act::Add, 1), TP_E_INVALID);
  declare(TP_METRIC_COUNTER, "a_total", {"x"});
  EXPECT_EQ(measure(Act::Add, -1, {"v"}), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Add, infinite, {"v"}), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Set, 1, {"v"}), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Observe, 1, {"v"}), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Add, 1), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Add, 1, {"v", "w"}), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Add, 1, {std::string_view("a\0b", 3)}), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Add, 1, {"\xff"}), TP_E_INVALID);
  const std::string longest(128, 'v');
  EXPECT_EQ(measure(Act::Add, 1, {longest}), TP_OK);
  EXPECT_EQ(measure(Act::Add, 1, {longest + "v"}), TP_E_INVALID);
  EXPECT_EQ(measure(Act::Add, std::numeric_limits<double>::max(), {"v"}), TP_OK);
  EXPECT_EQ(measure(Act::Add, std::numeric_limits<double>::max(), {"v"}), TP_E_INVALID);
}

TEST_F(Board, HoldsAPluginToItsMetricsAndLines) {
  declare(TP_METRIC_HISTOGRAM, "h", {"x"}, {1, 2});  // five lines a series
  for (int i = 0; i < 400; ++i) {
    ASSERT_EQ(measure(Act::Observe, 1, {std::to_string(i)}), TP_OK) << i;
  }
  EXPECT_EQ(measure(Act::Observe, 1, {"one more"}), TP_E_NOMEM);
  EXPECT_EQ(measure(Act::Observe, 1, {"0"}), TP_OK);
  for (int i = 1; i < 64; ++i) {
    ASSERT_EQ(declare(TP_METRIC_GAUGE, "g" + std::to_string(i)), TP_OK) << i;
  }
  EXPECT_EQ(declare(TP_METRIC_GAUGE, "one_more"), TP_E_NOMEM);
  board.open();
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(Board, LosesNothingThatThreadsCountAtOnce) {
  std::atomic<bool> over = false;
  std::atomic<int> reports = 0;
  double total = 0;
  MetricsBoard busy([&](const std::string& bytes) {
    const auto report = read_report(bytes);  // one at a time, so that `total` needs no lock
    for (const Measured& one : report->at(0).series) total += one.added;
    ++reports;
    return true;
  });
  tp_metric metric{};
  metric.struct_size = sizeof metric;
  metric.kind = TP_METRIC_COUNTER;
  metric.name = TP_STR("a_total");
  std::uint32_t it = 0;
  ASSERT_EQ(busy.declare(metric, it), TP_OK);
  busy.open();
  std::thread host([&] {
    for (int heard = 0; !over || heard < reports; std::this_thread::yield()) {
      if (heard == reports) continue;
      ++heard;
      busy.heard(TP_OK);
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20'000; ++j) busy.measure(Act::Add, it, {nullptr, 0}, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  over = true;
  host.join();
  busy.close();
  EXPECT_EQ(total, 80'000);
}

Report some_report() {
  Report report(2);
  report[0].metric = {TP_METRIC_HISTOGRAM, "h", "Of a test.", {"x", "y"}, {1, 2}};
  report[0].series.push_back({{"a", "b"}, std::nullopt, 3.5, 3, {1, 1}});
  report[1].metric = {TP_METRIC_GAUGE, "g", "", {}, {}};
  report[1].series.push_back({{}, 4.0, 1, 0, {}});
  return report;
}

std::string bytes_of(const Report& report) {
  std::string bytes;
  write_report(bytes, report);
  return bytes;
}

TEST(MetricReport, IsReadAsItWasWritten) {
  const auto read = read_report(bytes_of(some_report()));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].metric, some_report()[0].metric);
  EXPECT_EQ((*read)[0].series[0].below, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ((*read)[0].series[0].count, 3u);
  EXPECT_EQ((*read)[1].series[0].set, 4.0);
}

TEST(MetricReport, APartOfOneIsNone) {
  const std::string whole = bytes_of(some_report());
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(read_report(std::string_view(whole).substr(0, bytes))) << bytes;
  }
  EXPECT_FALSE(read_report(whole + "x"));
}

// What only a worker that does not go by the ABI could send.
TEST(MetricReport, IsHeldToTheBoundsOfTheABI) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Report> bad(12, some_report());
  bad[0][0].series[0].below = {3, 1};  // more than there were
  bad[1][0].series[0].added = nan;
  bad[2][0].series[0].count = ~std::uint64_t{0};
  bad[3][0].metric.bounds = {2, 1};
  bad[4][0].metric.labels = {"x", "plugin"};
  bad[5][0].series[0].labels = {"a", std::string(129, 'b')};
  bad[6][1].metric.kind = TP_METRIC_COUNTER;
  bad[7][1].metric.name = "x\"y";
  bad[8][1].metric.help = "\xff";
  bad[9][0].series[0].set = 1;
  bad[10].resize(65, some_report()[1]);
  bad[11][1].series.resize(2001, bad[11][1].series[0]);
  for (std::size_t i = 0; i < bad.size(); ++i) EXPECT_FALSE(read_report(bytes_of(bad[i]))) << i;
}

TEST(MetricReport, MutationsAreReadAsAReportWithinTheBoundsOrAsNone) {
  std::mt19937 random(1);
  const std::string whole = bytes_of(some_report());
  int sound = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto report = read_report(bytes);
    if (!report) continue;
    ++sound;
    for (const Measurement& measurement : *report) {
      EXPECT_TRUE(measurement.metric.sound());
      for (const Measured& one : measurement.series) EXPECT_TRUE(one.sound_for(measurement.metric));
    }
  }
  EXPECT_GT(sound, 0);
}

}  // namespace
}  // namespace host::plugin
