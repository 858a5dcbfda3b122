// Definitions on their way to a store that fails at first.
#include "upstream/manager/pin_writer.h"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "support/run_until.h"

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class PinWriterTest : public ::testing::Test {
 protected:
  PinWriterTest() {
    std::string name = (fs::temp_directory_path() / "pin-writer-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    desk_ = std::make_shared<store::Desk>(io_.get_executor(), opens());
    writer_ = std::make_shared<PinWriter>(io_.get_executor(), desk_, 1ms);
  }
  ~PinWriterTest() override {
    writer_.reset();
    desk_->stop();
    desk_.reset();
    fs::remove_all(folder_);
  }

  store::Desk::Open opens() {
    return [this]() -> Result<std::unique_ptr<store::Store>> {
      if (failures_-- > 0) return Error{ErrorKind::Io, "the disk is full"};
      return store::open_sqlite_store(folder_ / "toolpost.db", system_clock());
    };
  }
  static store::PinRecord record(const std::string& accepted) {
    store::PinRecord out;
    out.upstream = "u";
    out.tool = "a";
    out.accepted = accepted;
    return out;
  }
  void until(const std::function<bool()>& is_so) { ASSERT_TRUE(test::run_until(io_, is_so)); }
  // What the store has of the tool; empty: nothing.
  std::string stored() {
    std::optional<std::string> out;
    store::Desk::Act<std::string> read = [](store::Store& store) -> Result<std::string> {
      HOST_TRY_ASSIGN(const auto records, store.pins().list());
      return records.empty() ? std::string() : records.front().accepted;
    };
    desk_->ask<std::string>(std::move(read), [&](const Result<std::string>& result) {
      out = result ? *result : std::string();
    });
    until([&] { return out.has_value(); });
    return *out;
  }

  boost::asio::io_context io_;
  fs::path folder_;
  std::atomic<int> failures_ = 0;  // that are to come
  std::shared_ptr<store::Desk> desk_;
  std::shared_ptr<PinWriter> writer_;
};

TEST_F(PinWriterTest, AFailedWriteIsRepeatedWithoutAnotherChange) {
  failures_ = 2;
  std::optional<Result<void>> told;
  writer_->put({record("one")}, [&](const Result<void>& kept) { told = kept; });
  until([&] { return told.has_value(); });
  EXPECT_FALSE(*told);
  until([&] { return failures_ < 0; });
  until([&] { return stored() == "one"; });
}

TEST_F(PinWriterTest, WhatIsNewerIsWrittenInPlaceOfWhatFailed) {
  failures_ = 1;
  std::optional<Result<void>> told;
  writer_->put({record("one")}, nullptr);
  writer_->put({record("two")}, [&](const Result<void>& kept) { told = kept; });
  until([&] { return told.has_value(); });
  EXPECT_TRUE(*told);
  EXPECT_EQ(stored(), "two");
}

TEST_F(PinWriterTest, AnAcceptedDefinitionIsStoredAlthoughTheNextOneWaitsAlready) {
  store::PinRecord next = record("two");
  next.held = "three";
  for (const int failures : {0, 1}) {
    writer_->put({record("one")}, nullptr);
    until([&] { return stored() == "one"; });
    failures_ = failures;
    writer_->put({record("one")}, nullptr);  // is being written while the others come
    writer_->put({record("two")}, nullptr);
    std::optional<Result<void>> told;
    writer_->put({next}, [&](const Result<void>& kept) { told = kept; });
    until([&] { return told.has_value(); });
    until([&] { return stored() == "two"; });
  }
}

TEST_F(PinWriterTest, ItKeepsNoLoopFromEnding) {
  writer_ = std::make_shared<PinWriter>(io_.get_executor(), desk_, 1h);
  failures_ = 1;
  std::optional<Result<void>> told;
  writer_->put({record("one")}, [&](const Result<void>& kept) { told = kept; });
  until([&] { return told.has_value(); });
  writer_->stop();
  desk_->stop();
  io_.restart();
  io_.run_for(1min);  // returns as soon as there is no more work, which the store's thread ends
  EXPECT_TRUE(io_.stopped()) << "the writer still waits";
  writer_.reset();  // which passes it on
  EXPECT_EQ(stored(), "one");
}

// Who waits for the second write is told, whether the host stops before or after the first failed.
TEST_F(PinWriterTest, StoppedItLetsNobodyWait) {
  for (const bool stops_first : {true, false}) {
    writer_ = std::make_shared<PinWriter>(io_.get_executor(), desk_, 1h);
    failures_ = 1;
    std::optional<Result<void>> first;
    std::optional<Result<void>> second;
    writer_->put({record("one")}, [&](const Result<void>& kept) { first = kept; });
    writer_->put({record("two")}, [&](const Result<void>& kept) { second = kept; });
    if (stops_first) writer_->stop();
    until([&] { return first.has_value(); });
    EXPECT_FALSE(*first);
    writer_->stop();
    ASSERT_TRUE(second.has_value()) << stops_first;
    EXPECT_EQ(second->error().kind, ErrorKind::Unavailable);
    writer_.reset();
    EXPECT_EQ(stored(), "two");
    desk_ = std::make_shared<store::Desk>(io_.get_executor(), opens());
  }
}

TEST_F(PinWriterTest, AFirstListIsToldOfEachWriteUntilOneSucceeds) {
  failures_ = 2;
  std::vector<bool> told;
  std::vector<store::PinRecord> stored_first;
  writer_->put_first("u", {record("one")}, [&](const auto& stored) {
    told.push_back(stored.has_value());
    if (stored) stored_first = *stored;
  });
  until([&] { return !told.empty() && told.back(); });
  EXPECT_EQ(told, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(stored_first, std::vector<store::PinRecord>{record("one")});
}

TEST_F(PinWriterTest, OfTwoHostsTheFirstListOfOneCounts) {
  std::vector<std::string> accepted;
  const auto other = std::make_shared<PinWriter>(io_.get_executor(), desk_, 1ms);
  for (const auto& [writer, text] : {std::pair(writer_, "one"), std::pair(other, "two")}) {
    writer->put_first("u", {record(text)},
                      [&](const auto& stored) { accepted.push_back(stored->at(0).accepted); });
  }
  until([&] { return accepted.size() == 2; });
  EXPECT_EQ(accepted, (std::vector<std::string>{"one", "one"}));
  EXPECT_EQ(stored(), "one");
}

TEST_F(PinWriterTest, ALaterFirstListTakesThePlaceOfOneThatCouldNotBeStored) {
  failures_ = 1;
  bool has_failed = false;
  writer_->put_first("u", {record("one")}, [&](const auto& stored) { has_failed = !stored; });
  until([&] { return has_failed; });
  std::string accepted;
  writer_->put_first("u", {record("two")},
                     [&](const auto& stored) { accepted = stored->at(0).accepted; });
  until([&] { return !accepted.empty(); });
  EXPECT_EQ(accepted, "two");
}

}  // namespace
}  // namespace host::upstream
