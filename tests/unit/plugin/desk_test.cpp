// The desk alone: what a foreign process may send.
#include "plugin/services/desk.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace host::plugin {
namespace {

struct DeskTest : ::testing::Test {
  std::shared_ptr<Desk> desk(std::shared_ptr<const ServiceTable> table) {
    return std::make_shared<Desk>(
        "p", std::move(table), [](std::uint64_t) { return nullptr; },
        [this](std::uint64_t id, const HostAnswer& answer) {
          answers.emplace_back(id, answer.status);
        });
  }
  std::shared_ptr<ServiceTable> table_that_keeps() {
    auto table = std::make_shared<ServiceTable>();
    table->add(ServiceId::KvGet,
               [this](const std::shared_ptr<ServiceCall>& call) { kept.push_back(call); });
    return table;
  }
  using Answers = std::vector<std::pair<std::uint64_t, tp_status>>;
  Answers answers;
  std::vector<std::shared_ptr<ServiceCall>> kept;
};

TEST_F(DeskTest, AnswersWhatItCannotHandOn) {
  const auto desk = this->desk(table_that_keeps());
  EXPECT_TRUE(desk->take({1, 0, static_cast<ServiceId>(4711), {}}));
  EXPECT_TRUE(desk->take({2, 99, ServiceId::KvGet, {}}));  // of a call that nobody knows
  EXPECT_TRUE(desk->take({3, 0, ServiceId::KvGet, std::string(kMostHostCallBytes + 1, 'x')}));
  EXPECT_EQ(answers, (Answers{{1, TP_E_UNSUPPORTED}, {2, TP_E_CANCELLED}, {3, TP_E_NOMEM}}));
  EXPECT_TRUE(kept.empty());
}

TEST_F(DeskTest, TakesNoRequestTwiceAndNotTooMany) {
  const auto desk = this->desk(table_that_keeps());
  for (std::uint64_t id = 1; id <= kMostHostCalls; ++id) {
    ASSERT_TRUE(desk->take({id, 0, ServiceId::KvGet, {}}));
  }
  EXPECT_FALSE(desk->take({1, 0, ServiceId::KvGet, {}}));  // it is open
  EXPECT_TRUE(desk->take({9999, 0, ServiceId::KvGet, {}}));
  EXPECT_EQ(answers, (Answers{{9999, TP_E_BUSY}}));
  kept[0]->answer({});
  EXPECT_TRUE(desk->take({9999, 0, ServiceId::KvGet, {}}));
  EXPECT_EQ(answers.size(), 2u);
}

// What was dropped may still be in a service's hands.
TEST_F(DeskTest, TakesNotTooManyBytesAtOnce) {
  const auto desk = this->desk(table_that_keeps());
  const std::string large(kMostHostCallBytes, 'x');
  for (std::uint64_t id = 1; id <= 4; ++id)
    ASSERT_TRUE(desk->take({id, 0, ServiceId::KvGet, large}));
  EXPECT_TRUE(desk->take({5, 0, ServiceId::KvGet, "x"}));
  desk->drop(1);
  EXPECT_TRUE(desk->take({6, 0, ServiceId::KvGet, "x"}));
  EXPECT_EQ(answers, (Answers{{5, TP_E_BUSY}, {6, TP_E_BUSY}}));
  EXPECT_TRUE(desk->take({7, 0, ServiceId::KvGet, ""}));
  kept[1]->answer({});
  kept.erase(kept.begin(), kept.begin() + 2);
  EXPECT_TRUE(desk->take({8, 0, ServiceId::KvGet, large}));
  EXPECT_TRUE(desk->take({9, 0, ServiceId::KvGet, large}));
  EXPECT_TRUE(desk->take({10, 0, ServiceId::KvGet, "x"}));
  EXPECT_EQ(answers, (Answers{{5, TP_E_BUSY}, {6, TP_E_BUSY}, {2, TP_OK}, {10, TP_E_BUSY}}));
}

TEST_F(DeskTest, TakesReportsOfMetricsBesideTheBytesOfOtherRequests) {
  auto table = table_that_keeps();
  table->add(ServiceId::ReportMetrics,
             [this](const std::shared_ptr<ServiceCall>& call) { kept.push_back(call); });
  const auto desk = this->desk(table);
  const std::string large(kMostHostCallBytes, 'x');
  for (std::uint64_t id = 1; id <= 4; ++id)
    ASSERT_TRUE(desk->take({id, 0, ServiceId::KvGet, large}));
  for (std::uint64_t id = 5; id <= 7; ++id)
    ASSERT_TRUE(desk->take({id, 0, ServiceId::ReportMetrics, large}));
  EXPECT_EQ(kept.size(), 4 + kMostReports);
  EXPECT_EQ(answers, (Answers{{7, TP_E_BUSY}}));
}

TEST_F(DeskTest, WhatIsDroppedOrClosedIsStoppedAndNotAnswered) {
  const auto desk = this->desk(table_that_keeps());
  EXPECT_TRUE(desk->take({1, 0, ServiceId::KvGet, {}}));
  EXPECT_TRUE(desk->take({2, 0, ServiceId::KvGet, {}}));
  desk->drop(1);
  desk->drop(77);  // there is none
  desk->close();
  EXPECT_TRUE(desk->take({3, 0, ServiceId::KvGet, {}}));
  for (const auto& call : kept) {
    EXPECT_TRUE(call->cancel->requested());
    call->answer({});
  }
  EXPECT_EQ(kept.size(), 2u);
  EXPECT_TRUE(answers.empty());
}

}  // namespace
}  // namespace host::plugin
