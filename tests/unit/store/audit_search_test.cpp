#include "store/audit_search.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace host::store {
namespace {

namespace fs = std::filesystem;

class AuditSearchTest : public ::testing::Test {
 protected:
  AuditSearchTest() {
    std::string name = (fs::temp_directory_path() / "audit-search-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AuditSearchTest() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "audit.jsonl"; }
  void write(const std::string& text) { std::ofstream(file(), std::ios::app) << text; }
  void write_call(int second, const std::string& tool, const std::string& more = "") {
    const std::string time = std::to_string(100 + second);
    write(R"({"time":"2026-11-21T20:00:)" + time + R"(Z","tool":")" + tool + R"(","outcome":"ok")" +
          more + "}\n");
  }
  std::vector<std::string> find(AuditQuery query = {}) {
    return search_audit(file(), query).value().lines;
  }

  // How many lines have this in one field.
  std::size_t count(std::string AuditQuery::*field, const std::string& value) {
    AuditQuery query;
    query.*field = value;
    return find(query).size();
  }

  fs::path folder_;
};

TEST_F(AuditSearchTest, AFileThatIsNotThereHasNoLines) {
  EXPECT_TRUE(find().empty());
  write("");
  EXPECT_TRUE(find().empty());
  EXPECT_FALSE(search_audit(folder_, {}));  // a folder
}

TEST_F(AuditSearchTest, GivesTheNewestFirstAndNoMoreThanWanted) {
  for (int i = 0; i < 5; ++i) write_call(i, "t" + std::to_string(i));
  AuditQuery query;
  query.limit = 2;
  const auto lines = find(query);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("t4"), std::string::npos);
  EXPECT_NE(lines[1].find("t3"), std::string::npos);
}

TEST_F(AuditSearchTest, EveryFilterNarrows) {
  write_call(1, "a", R"(,"principal":"anna")");
  write_call(2, "b", R"(,"principal":"bert")");
  write(R"({"time":"2026-11-21T20:00:103Z","event":"login","principal":"anna","outcome":"denied"})"
        "\n");
  EXPECT_EQ(count(&AuditQuery::principal, "anna"), 2u);
  EXPECT_EQ(count(&AuditQuery::tool, "b"), 1u);
  EXPECT_EQ(count(&AuditQuery::outcome, "denied"), 1u);
  EXPECT_EQ(count(&AuditQuery::event, "call"), 2u);
  AuditQuery both;
  both.principal = "anna";
  both.event = "login";
  EXPECT_EQ(find(both).size(), 1u);
  EXPECT_EQ(count(&AuditQuery::since, "2026-11-21T20:00:102"), 2u);
  EXPECT_EQ(count(&AuditQuery::since, "2026-12"), 0u);
}

// Lines of every length, over many blocks: none is lost and none comes twice.
TEST_F(AuditSearchTest, LinesAreWholeWhereverBlocksEnd) {
  constexpr int kLines = 3000;
  for (int i = 0; i < kLines; ++i)
    write_call(i, std::to_string(i), R"(,"pad":")" + std::string(i % 211, 'x') + "\"");
  AuditQuery query;
  query.limit = kLines * 2;
  const auto lines = find(query);
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(kLines));
  for (int i = 0; i < kLines; ++i) {
    const std::string tool = R"("tool":")" + std::to_string(kLines - 1 - i) + "\"";
    ASSERT_NE(lines[i].find(tool), std::string::npos) << i;
  }
}

TEST_F(AuditSearchTest, WhatIsNoLineIsPassedOver) {
  write("half a li");
  write("\n\n[1]\n");
  write_call(1, "a");
  write(R"({"time":"2026-11-21T20:00:102Z","tool":"being writ)");
  EXPECT_EQ(find().size(), 1u);
}

// Page by page, whatever is written meanwhile: each line once, and then an end.
TEST_F(AuditSearchTest, GoesOnWhereAnEarlierSearchEnded) {
  for (int i = 0; i < 250; ++i)
    write_call(i, std::to_string(i), R"(,"pad":")" + std::string(400, 'x') + "\"");
  AuditQuery query;
  query.limit = 100;
  std::vector<std::string> all;
  int pages = 0;
  do {
    const AuditFound page = search_audit(file(), query).value();
    all.insert(all.end(), page.lines.begin(), page.lines.end());
    query.before = page.older;
    write_call(900, "later");
    ++pages;
  } while (query.before && pages < 9);
  EXPECT_EQ(pages, 3);
  ASSERT_EQ(all.size(), 250u);
  for (int i = 0; i < 250; ++i) {
    EXPECT_NE(all[i].find(R"("tool":")" + std::to_string(249 - i) + "\""), std::string::npos) << i;
  }
}

TEST_F(AuditSearchTest, GoesOnPastWhatItMayNotReadAtOnceAndWhatIsNoLine) {
  write_call(1, "first");
  write(std::string(3u << 20u, 'x') + "\n");
  write_call(2, "last");
  AuditQuery query;
  query.bytes = 2u << 20u;
  std::vector<std::string> all;
  for (int pages = 0; pages < 9; ++pages) {
    const AuditFound page = search_audit(file(), query).value();
    all.insert(all.end(), page.lines.begin(), page.lines.end());
    query.before = page.older;
    if (!query.before) break;
  }
  EXPECT_FALSE(query.before);
  EXPECT_EQ(all.size(), 2u);
}

TEST_F(AuditSearchTest, APlacePastTheEndIsOfAnotherFile) {
  write_call(1, "a");
  AuditQuery query;
  query.before = 1u << 20u;
  const auto found = search_audit(file(), query);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::InvalidArgument);
}

TEST_F(AuditSearchTest, SaysWhereItDidNotLookThroughAll) {
  for (int i = 0; i < 3000; ++i) write_call(i, "a");
  AuditQuery query;
  query.tool = "none";
  query.bytes = 100'000;
  EXPECT_FALSE(search_audit(file(), query).value().whole);
  query.bytes = 10'000'000;
  EXPECT_TRUE(search_audit(file(), query).value().whole);
  write(std::string(3u << 20u, 'x'));
  EXPECT_FALSE(search_audit(file(), query).value().whole);
}

}  // namespace
}  // namespace host::store
