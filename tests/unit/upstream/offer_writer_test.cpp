#include "upstream/offer/offer_writer.h"
#include "support/run_until.h"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include <functional>
#include <utility>

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The store is the test.
class OfferWriterTest : public ::testing::Test {
 protected:
  struct Written {
    std::vector<OfferWriter::Record> records;
    OfferWriter::Done done;
    SteadyTime at;
  };

  void make(OfferWriter::Pauses pauses) {
    writer_ = std::make_shared<OfferWriter>(
        io_.get_executor(),
        [this](std::vector<OfferWriter::Record> records, OfferWriter::Done done) {
          writes_.push_back({std::move(records), std::move(done), steady_now()});
        },
        pauses);
  }
  static OfferWriter::Fresh list(const std::string& name, const std::string& entries,
                                 const std::string& source = "s") {
    return {std::make_shared<const store::OfferRecord>(
                store::OfferRecord{"u", name, source, "f", entries}),
            sha256(entries)};
  }
  bool put(const std::string& name, const std::string& entries) {
    std::vector<OfferWriter::Fresh> lists;
    lists.push_back(list(name, entries));
    return writer_->put(std::move(lists));
  }
  void end(std::size_t write, const Result<void>& kept = {}) { writes_.at(write).done(kept); }
  std::vector<std::string> entries(std::size_t write) const {
    std::vector<std::string> out;
    for (const auto& one : writes_.at(write).records) out.push_back(one->list + " " + one->entries);
    return out;
  }
  void until(const std::function<bool()>& is_so) { ASSERT_TRUE(test::run_until(io_, is_so)); }

  boost::asio::io_context io_;
  std::vector<Written> writes_;
  std::shared_ptr<OfferWriter> writer_;
};

TEST_F(OfferWriterTest, OneWriteIsInProgressAndTheNewestListWins) {
  make({1ms, 1ms});
  EXPECT_TRUE(put("resources", "1"));
  for (const char* const entries : {"2", "3", "4"}) EXPECT_TRUE(put("resources", entries));
  EXPECT_TRUE(put("prompts", "p"));
  io_.run_for(20ms);  // the pause is over, the write is not
  ASSERT_THAT(writes_, SizeIs(1));
  EXPECT_THAT(entries(0), ElementsAre("resources 1"));
  end(0);
  until([&] { return writes_.size() == 2; });
  EXPECT_THAT(entries(1), ElementsAre("prompts p", "resources 4"));
}

TEST_F(OfferWriterTest, AListThatTheStoreHasIsNotWritten) {
  make({1ms, 1ms});
  writer_->loaded(list("resources", "1"));
  EXPECT_TRUE(writer_->knows("resources"));
  EXPECT_FALSE(writer_->knows("prompts"));
  EXPECT_FALSE(put("resources", "1"));
  EXPECT_THAT(writes_, IsEmpty());
  EXPECT_TRUE(put("resources", "2"));
  EXPECT_FALSE(put("resources", "2"));
  writer_->loaded(list("resources", "2", "read before the write"));
  EXPECT_FALSE(put("resources", "2"));
  std::vector<OfferWriter::Fresh> other;
  other.push_back(list("resources", "2", "another server"));
  EXPECT_TRUE(writer_->put(std::move(other)));
}

TEST_F(OfferWriterTest, AFailedWriteIsRepeatedWithWhatIsNewer) {
  make({1ms, 1ms});
  std::vector<OfferWriter::Fresh> both;
  both.push_back(list("resources", "1"));
  both.push_back(list("prompts", "p"));
  writer_->put(std::move(both));
  put("resources", "2");
  end(0, Error{ErrorKind::Io, "the disk is full"});
  until([&] { return writes_.size() == 2; });
  EXPECT_THAT(entries(1), ElementsAre("prompts p", "resources 2"));
}

TEST_F(OfferWriterTest, ListsThatChangeAllTheTimeAreWrittenMoreAndMoreRarely) {
  make({4ms, 1h});
  for (std::size_t i = 0; i < 5; ++i) {
    put("resources", std::to_string(i));
    until([&] { return writes_.size() == i + 1; });
    end(i);
  }
  for (std::size_t i = 1; i < writes_.size(); ++i)
    EXPECT_GE(writes_[i].at - writes_[i - 1].at, 4ms * (1 << (i - 1))) << i;
}

TEST_F(OfferWriterTest, WhatWaitsForThePauseIsWrittenAtTheEnd) {
  make({1h, 1h});
  put("resources", "1");
  end(0);
  for (int i = 0; i < 1000; ++i) put("resources", "x" + std::to_string(i));
  io_.poll();
  ASSERT_THAT(writes_, SizeIs(1));
  writer_.reset();
  ASSERT_THAT(writes_, SizeIs(2));
  EXPECT_THAT(entries(1), ElementsAre("resources x999"));
}

TEST_F(OfferWriterTest, ASuccessorGetsWhatIsNotWrittenYet) {
  make({1h, 1h});
  put("resources", "1");
  put("prompts", "p");
  std::vector<OfferWriter::Record> stored = {list("resources", "0").record,
                                             list("templates", "t").record};
  writer_->add_unwritten(stored);
  std::vector<std::string> all;
  for (const auto& one : stored) all.push_back(one->list + " " + one->entries);
  EXPECT_THAT(all, ::testing::UnorderedElementsAre("templates t", "prompts p", "resources 1"));
}

TEST_F(OfferWriterTest, ForgottenListsAreNotWrittenAgain) {
  make({1ms, 1ms});
  put("resources", "1");
  put("prompts", "p");
  writer_->forget();
  end(0, Error{ErrorKind::Io, "the disk is full"});
  EXPECT_FALSE(writer_->knows("resources"));
  put("resources", "1");
  until([&] { return writes_.size() == 2; });
  EXPECT_THAT(entries(1), ElementsAre("resources 1"));
}

TEST_F(OfferWriterTest, ItsPauseKeepsNoLoopFromEnding) {
  make({1h, 1h});
  put("resources", "1");
  end(0);
  put("resources", "2");
  writer_->stop();
  io_.restart();
  io_.poll();
  EXPECT_TRUE(io_.stopped()) << "there is no more work";
  EXPECT_EQ(writes_.size(), 1u);
  writer_.reset();
  EXPECT_THAT(entries(1), ElementsAre("resources 2"));
}

}  // namespace
}  // namespace host::upstream
