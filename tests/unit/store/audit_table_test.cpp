#include "store/audit/table.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "json/json.h"
#include "store/audit/parts.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPlenty = 1'000'000;

class AuditTableTest : public ::testing::Test {
 protected:
  AuditTableTest() {
    std::string name = (fs::temp_directory_path() / "audit-table-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AuditTableTest() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "audit.jsonl"; }
  fs::path database() const { return AuditTable::file_of(file()); }
  void write(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }

  static std::string call_line(int number, const std::string& tool, const std::string& more = "") {
    std::string time = "2026-11-21T20:00:00.000Z";
    const std::string digits = std::to_string(number % 60'000 + 100'000);
    time.replace(17, 6, digits.substr(1, 2) + "." + digits.substr(3));
    return R"({"time":")" + time + R"(","call":"c)" + std::to_string(number) + R"(","tool":")" +
           tool + R"(","outcome":"ok")" + more + "}\n";
  }
  void write_call(int number, const std::string& tool, const std::string& more = "") const {
    write(call_line(number, tool, more));
  }
  void write_calls(int from, int count) const {
    std::string text;
    for (int i = from; i < from + count; ++i) text += call_line(i, std::to_string(i));
    write(text);
  }

  AuditTable open(std::uint64_t rows = kPlenty) const {
    return AuditTable::open(file(), rows).value();
  }
  std::vector<std::string> find(AuditQuery query = {}, std::uint64_t rows = kPlenty) const {
    auto found = search_audit(file(), rows, query);
    EXPECT_TRUE(found) << found.error().message;
    return found ? found->lines : std::vector<std::string>();
  }
  // How many lines have this in one field.
  std::size_t count(std::string AuditQuery::*field, const std::string& value) const {
    AuditQuery query;
    query.*field = value;
    return find(query).size();
  }
  // The names of the tools in all lines, from the oldest on.
  std::vector<std::string> tools(std::uint64_t rows = kPlenty) const {
    AuditQuery query;
    query.limit = kPlenty;
    std::vector<std::string> names;
    for (const std::string& line : find(query, rows))
      names.emplace_back(json::find_text(json::parse(line).value().root(), "tool"));
    std::reverse(names.begin(), names.end());
    return names;
  }
  static std::vector<std::string> numbers(int from, int count) {
    std::vector<std::string> names;
    for (int i = from; i < from + count; ++i) names.push_back(std::to_string(i));
    return names;
  }

  fs::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(AuditTableTest, OfAFileThatIsNotThereNothingIsMade) {
  EXPECT_TRUE(find().empty());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AuditTableTest, OfWhatIsNoFileNothingIsMade) {
  const auto found = search_audit(folder_, kPlenty, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::Io);
  EXPECT_FALSE(fs::exists(AuditTable::file_of(folder_)));
}

TEST_F(AuditTableTest, IsForTheOwnerAlone) {
  write_call(1, "a");
  find();
  struct stat about {};
  ASSERT_EQ(::stat(database().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
}

TEST_F(AuditTableTest, GivesTheNewestFirstAndNoMoreThanWanted) {
  write_calls(0, 5);
  AuditQuery query;
  query.limit = 2;
  const auto lines = find(query);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0] + "\n", call_line(4, "4"));  // as they stand in the file
  EXPECT_EQ(lines[1] + "\n", call_line(3, "3"));
}

TEST_F(AuditTableTest, TakesEachLineOnceHoweverOftenItIsFilled) {
  AuditTable table = open();
  std::uint64_t taken = 0;
  for (int i = 0; i < 10; ++i) {
    write_calls(i * 3, 3);
    taken += table.fill().value().lines;
    taken += table.fill().value().lines;
    taken += open().fill().value().lines;
  }
  EXPECT_EQ(taken, 30u);
  EXPECT_EQ(tools(), numbers(0, 30));
}

TEST_F(AuditTableTest, TakesEachLineOnceWhereSeveralFillItAtOnce) {
  constexpr int kLines = 5'000;
  std::vector<std::thread> fillers;
  std::atomic<bool> written{false};
  std::atomic<std::uint64_t> taken{0};
  for (int i = 0; i < 3; ++i) {
    fillers.emplace_back([&] {
      AuditTable table = open();
      for (bool last = false; !last;) {
        last = written;
        const auto filled = table.fill(1);
        ASSERT_TRUE(filled) << filled.error().message;
        taken += filled->lines;
        last = last && filled->whole;
        // As a host does: SQLite gives its lock to nobody in particular.
        if (filled->lines == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  for (int i = 0; i < kLines; i += 100) write_calls(i, 100);
  written = true;
  for (std::thread& filler : fillers) filler.join();
  EXPECT_EQ(taken, static_cast<std::uint64_t>(kLines));
  EXPECT_EQ(tools(), numbers(0, kLines));
}

// The fill and where it ended are one transaction.
TEST_F(AuditTableTest, TakesEachLineOnceAlsoAfterKillsInTheMidst) {
  constexpr int kLines = 40'000;
  write_calls(0, kLines);
  int killed = 0;
  for (int delay_ms = 10; delay_ms < 250; delay_ms += 30) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto table = AuditTable::open(file(), kPlenty);
      if (table) static_cast<void>(table->fill());
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
  }
  EXPECT_GT(killed, 0);
  EXPECT_EQ(tools(), numbers(0, kLines));
}

TEST_F(AuditTableTest, LinesAreWholeWhereverPiecesOfTheFileEnd) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += call_line(i, std::to_string(i), R"(,"pad":")" + std::string(i % 211, 'x') + "\"");
  ASSERT_GT(text.size(), 3u << 20u);
  write(text);
  EXPECT_EQ(tools(), numbers(0, 20'000));
}

TEST_F(AuditTableTest, ALineThatIsBeingWrittenWaitsForItsEnd) {
  const std::string line = call_line(1, "1");
  write(call_line(0, "0") + line.substr(0, 40));
  EXPECT_EQ(tools(), numbers(0, 1));
  EXPECT_TRUE(open().fill().value().whole);
  write(line.substr(40));
  EXPECT_EQ(tools(), numbers(0, 2));
}

TEST_F(AuditTableTest, WhatIsNoLineIsCountedAndPassedOver) {
  write("half a li\n\n[1]\n{\"time\":\"2026\",\"tool\":\"a\",\"tool\":\"b\"}\n");
  write_call(0, "0");
  const AuditTable::Filled filled = open().fill().value();
  EXPECT_EQ(filled.lines, 1u);
  EXPECT_EQ(filled.faults, 3u);
  EXPECT_EQ(tools(), numbers(0, 1));
}

TEST_F(AuditTableTest, TakesLongLinesAndLeavesOutThoseThatAreNone) {
  write_call(0, "0");
  write_call(1, "1", R"(,"pad":")" + std::string(5u << 20u, 'x') + "\"");
  write(std::string(20u << 20u, 'x'));
  EXPECT_EQ(tools(), numbers(0, 2));
  write(std::string(3u << 20u, 'x') + "\n");
  write_call(2, "2");
  EXPECT_EQ(tools(), numbers(0, 3));
}

TEST_F(AuditTableTest, FillsNoMoreAtOnceThanIsWantedAndSaysThatThereIsMore) {
  write_calls(0, 30'000);
  const AuditFound part = search_audit(file(), kPlenty, {}, 1).value();
  EXPECT_FALSE(part.whole);
  EXPECT_EQ(part.lines.size(), 100u);
  EXPECT_TRUE(search_audit(file(), kPlenty, {}).value().whole);
  EXPECT_EQ(tools(), numbers(0, 30'000));
}

TEST_F(AuditTableTest, KeepsTheLinesOfAnEarlierFileBesideThoseOfTheNext) {
  write_calls(0, 3);
  find();
  fs::rename(file(), folder_ / "audit.jsonl.1");
  EXPECT_EQ(tools(), numbers(0, 3));
  write_calls(3, 1);  // shorter than the earlier one
  EXPECT_EQ(tools(), numbers(0, 4));
  fs::remove(file());
  write_calls(4, 9);  // longer, and perhaps by the same inode
  EXPECT_EQ(tools(), numbers(0, 13));
}

TEST_F(AuditTableTest, AFileThatWasEmptiedBeginsAnew) {
  write_calls(0, 3);
  find();
  fs::resize_file(file(), 0);
  EXPECT_EQ(tools(), numbers(0, 3));
  write_calls(3, 9);
  EXPECT_EQ(tools(), numbers(0, 12));
  fs::resize_file(file(), 0);
  write_calls(12, 40);  // longer than before, when it is looked at again
  EXPECT_EQ(tools(), numbers(0, 52));
}

// The operator moved the files before it away, and the table was made anew meanwhile.
TEST_F(AuditTableTest, GoesOnInARotatedFileWhoseNumberItDoesNotExpect) {
  write_calls(0, 3);
  EXPECT_EQ(tools(), numbers(0, 3));
  write_calls(3, 2);
  fs::rename(file(), audit_part(file(), 7));
  write_calls(5, 2);
  EXPECT_EQ(tools(), numbers(0, 7));
  EXPECT_EQ(open().fill().value().number, 8u);
}

TEST_F(AuditTableTest, DoesNotWaitForARotatedFileThatIsGone) {
  write_calls(0, 3);
  EXPECT_EQ(tools(), numbers(0, 3));
  write_calls(3, 2);
  fs::rename(file(), folder_ / "elsewhere");
  write_calls(3, 2);
  fs::rename(file(), audit_part(file(), 2));
  write_calls(5, 2);
  EXPECT_EQ(tools(), numbers(0, 7));
  EXPECT_EQ(open().fill().value().number, 3u);
  write_calls(7, 1);
  fs::rename(file(), audit_part(file(), 4));
  ASSERT_TRUE(compress_part(audit_part(file(), 4)));  // by another host
  write_calls(8, 2);
  EXPECT_EQ(open().fill().value().number, 5u);
}

TEST_F(AuditTableTest, WhatAFileHasLostIsNoRowAnyMore) {
  write_calls(0, 3);
  find();
  fs::rename(file(), folder_ / "audit.jsonl.1");
  write_calls(3, 5);
  find();
  fs::resize_file(file(), call_line(3, "3").size() * 2);  // as after a loss of power
  EXPECT_EQ(tools(), numbers(0, 5));
  write_calls(5, 2);
  EXPECT_EQ(tools(), numbers(0, 7));
}

TEST_F(AuditTableTest, ACopyThatIsPutBackIsTheFileOfBefore) {
  write_calls(0, 3);
  find();
  fs::copy_file(file(), folder_ / "copy");
  fs::remove(file());
  fs::rename(folder_ / "copy", file());
  write_calls(3, 3);
  EXPECT_EQ(tools(), numbers(0, 6));
}

TEST_F(AuditTableTest, KeepsNoMoreRowsThanItsBoundTheNewest) {
  for (int i = 0; i < 10; ++i) {
    write_calls(i * 30, 30);
    EXPECT_EQ(tools(100).size(), static_cast<std::size_t>(std::min(100, i * 30 + 30)));
  }
  EXPECT_EQ(tools(100), numbers(200, 100));
  EXPECT_EQ(tools(7), numbers(293, 7));
  EXPECT_EQ(tools(100), numbers(293, 7));
}

TEST_F(AuditTableTest, EveryFilterNarrows) {
  write_call(1, "a", R"(,"principal":"anna","agent":"coder")");
  write_call(2, "b", R"(,"principal":"bert")");
  write(
      R"({"time":"2026-11-21T20:00:03.000Z","event":"login","principal":"anna","outcome":"denied"})"
      "\n"
      R"({"time":"2026-11-21T20:00:04.000Z","resource":"x://y","outcome":"ok"})"
      "\n"
      R"({"time":"2026-11-21T20:00:05.000Z","prompt":"p","outcome":"tool_error"})"
      "\n");
  EXPECT_EQ(count(&AuditQuery::principal, "anna"), 2u);
  EXPECT_EQ(count(&AuditQuery::agent, "coder"), 1u);
  EXPECT_EQ(count(&AuditQuery::tool, "b"), 1u);
  EXPECT_EQ(count(&AuditQuery::tool, "x://y"), 1u);
  EXPECT_EQ(count(&AuditQuery::tool, "p"), 1u);
  EXPECT_EQ(count(&AuditQuery::outcome, "denied"), 1u);
  EXPECT_EQ(count(&AuditQuery::outcome, "ok"), 3u);
  EXPECT_EQ(count(&AuditQuery::event, "call"), 4u);
  EXPECT_EQ(count(&AuditQuery::event, "login"), 1u);
  AuditQuery both;
  both.principal = "anna";
  both.event = "login";
  EXPECT_EQ(find(both).size(), 1u);
  both.tool = "a";
  EXPECT_EQ(find(both).size(), 0u);
  EXPECT_EQ(count(&AuditQuery::principal, "Anna' OR 1=1 --"), 0u);
}

TEST_F(AuditTableTest, ATimeMayBeGivenByItsBegin) {
  write_call(1'000, "a");
  write_call(2'500, "b");
  write("{\"tool\":\"of no time\"}\n");
  EXPECT_EQ(count(&AuditQuery::since, "2026-11-21T20:00:02"), 1u);
  EXPECT_EQ(count(&AuditQuery::since, "2026-11-21T20:00:01.000Z"), 2u);
  EXPECT_EQ(count(&AuditQuery::since, "2026"), 2u);
  EXPECT_EQ(count(&AuditQuery::since, "2026-12"), 0u);
  EXPECT_EQ(count(&AuditQuery::since, "2999"), 0u);
  EXPECT_EQ(count(&AuditQuery::until, "2026-11-21T20:00:02"), 2u);
  EXPECT_EQ(count(&AuditQuery::until, "2026-11-21T20:00:02.500"), 2u);
  EXPECT_EQ(count(&AuditQuery::until, "2026-11-22"), 3u);
  EXPECT_EQ(count(&AuditQuery::until, "2026-11"), 1u);
  for (const char* wrong : {"now", "202", "2026-1", "2026-13", "2026-02-30", "2026-11-21T24",
                            "2026-11-21 20", "2026-11-21T20:00:02Z", "2026-11-21T20:00:02.500+"}) {
    AuditQuery query;
    query.since = wrong;
    const auto found = search_audit(file(), kPlenty, query);
    ASSERT_FALSE(found) << wrong;
    EXPECT_EQ(found.error().kind, ErrorKind::InvalidArgument);
  }
}

// Page by page, whatever is written meanwhile: each line once, and then an end.
TEST_F(AuditTableTest, GoesOnWhereAnEarlierSearchEnded) {
  write_calls(0, 300);
  for (const char* outcome : {"", "ok"}) {
    AuditQuery query;
    query.outcome = outcome;
    query.limit = 100;
    Names all;
    int pages = 0;
    do {
      const AuditFound page = search_audit(file(), kPlenty, query).value();
      all.insert(all.end(), page.lines.begin(), page.lines.end());
      query.before = page.older;
      if (pages++ < 2)
        write(R"({"event":"later"})"
              "\n");
    } while (query.before && pages < 9);
    ASSERT_EQ(all.size(), 300u);
    EXPECT_EQ(pages, 3);
    for (int i = 0; i < 300; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(i)] + "\n",
                call_line(299 - i, std::to_string(299 - i)));
    }
  }
}

TEST_F(AuditTableTest, APlaceThatItNeverGaveIsRefused) {
  write_call(1, "a");
  AuditQuery query;
  query.before = 1u << 20u;
  const auto found = search_audit(file(), kPlenty, query);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::InvalidArgument);
}

TEST_F(AuditTableTest, AnAnswerHasAtLeastOneLineAndNoMoreThanSoManyBytes) {
  write_calls(0, 10);
  AuditQuery query;
  query.bytes = 1;
  Names all;
  do {
    const AuditFound page = search_audit(file(), kPlenty, query).value();
    ASSERT_EQ(page.lines.size(), 1u);
    all.push_back(page.lines[0]);
    query.before = page.older;
  } while (query.before);
  EXPECT_EQ(all.size(), 10u);
}

TEST_F(AuditTableTest, ADamagedTableIsMadeAnew) {
  write_calls(0, 5'000);
  find();
  testing::internal::CaptureStderr();
  for (const bool whole : {true, false}) {  // all of it is another thing; pages within it are
    std::fstream damaged(database(), std::ios::in | std::ios::out | std::ios::binary);
    if (!whole) damaged.seekp(4096);
    const std::string rubbish(300'000, '\x5a');
    damaged << rubbish;
    damaged.close();
    EXPECT_EQ(tools(), numbers(0, 5'000));
    write_calls(5'000, 1);
    EXPECT_EQ(tools(), numbers(0, 5'001));
    fs::resize_file(file(), fs::file_size(file()) - call_line(5'000, "5000").size());
    EXPECT_EQ(tools(), numbers(0, 5'000));
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2) << told;
}

// It notices at its next fill, whoever else has mended it.
TEST_F(AuditTableTest, AConnectionGoesOnWhereAnotherMadeTheTableAnew) {
  write_calls(0, 1'000);
  AuditTable table = open();
  ASSERT_TRUE(table.fill());
  {
    auto other = Sqlite::open_derived(database()).value();
    testing::internal::CaptureStderr();
    ASSERT_TRUE(other->empty());
    testing::internal::GetCapturedStderr();
  }
  write_calls(1'000, 1);
  EXPECT_EQ(table.fill().value().lines, 1'001u);
  EXPECT_EQ(tools(), numbers(0, 1'001));
}

TEST_F(AuditTableTest, ATableOfAnotherVersionIsLeftAlone) {
  write_call(0, "0");
  find();
  {
    auto other = Sqlite::open_derived(database()).value();
    ASSERT_TRUE(other->run("PRAGMA user_version = 77"));
  }
  const auto found = search_audit(file(), kPlenty, {});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("another version"), std::string::npos);
}

}  // namespace
}  // namespace host::store
