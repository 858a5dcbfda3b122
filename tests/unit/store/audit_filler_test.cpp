#include "store/audit/filler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "store/audit/audit.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class AuditFillerTest : public ::testing::Test {
 protected:
  AuditFillerTest() {
    std::string name = (fs::temp_directory_path() / "audit-filler-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AuditFillerTest() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "audit.jsonl"; }

  // What the table has by itself: nobody here fills it.
  std::size_t rows() const {
    if (!fs::exists(AuditTable::file_of(file()))) return 0;
    auto table = AuditTable::open(file(), 1000);
    const auto found = table ? table->search({}) : Result<AuditFound>(table.error());
    return found ? found->lines.size() : 0;
  }
  bool becomes(std::size_t wanted) const {
    const auto end = steady_now() + std::chrono::seconds(20);
    while (rows() != wanted && steady_now() < end) std::this_thread::sleep_for(milliseconds(10));
    return rows() == wanted;
  }

  fs::path folder_;
};

TEST_F(AuditFillerTest, WhatIsFlushedComesToTheTable) {
  auto audit = Audit::open(file(), system_clock()).value();
  AuditFiller filler(file(), 1000);
  EXPECT_FALSE(filler.behind());
  audit.on_flush([&filler] { filler.wake(); });
  for (std::size_t i = 1; i <= 3; ++i) {
    audit.note(AuditEvent::Login, {{"principal", "anna"}});
    audit.flush();
    EXPECT_TRUE(becomes(i)) << i;
  }
  EXPECT_EQ(filler.behind(), 0u);
}

TEST_F(AuditFillerTest, DoesNothingWhereNothingWasWritten) {
  auto audit = Audit::open(file(), system_clock()).value();
  {
    AuditFiller filler(file(), 1000);
    audit.on_flush([&filler] { filler.wake(); });
    audit.flush();
    std::this_thread::sleep_for(milliseconds(400));
  }
  EXPECT_FALSE(fs::exists(AuditTable::file_of(file())));
}

TEST_F(AuditFillerTest, EndsAtOnceAndLeavesTheRestToTheFile) {
  auto audit = Audit::open(file(), system_clock()).value();
  const auto began = steady_now();
  {
    AuditFiller filler(file(), 1000);
    audit.on_flush([&filler] { filler.wake(); });
    audit.note(AuditEvent::Login, {});
    audit.flush();
  }
  EXPECT_LT(steady_now() - began, std::chrono::seconds(5));
  EXPECT_EQ(search_audit(file(), 1000, {}).value().lines.size(), 1u);
}

// A folder stands where the table would: the audit is written all the same, and the log says so
// once.
TEST_F(AuditFillerTest, SaysOnceThatItCannotFill) {
  fs::create_directory(AuditTable::file_of(file()));
  auto audit = Audit::open(file(), system_clock()).value();
  testing::internal::CaptureStderr();
  {
    AuditFiller filler(file(), 1000);
    audit.on_flush([&filler] { filler.wake(); });
    audit.note(AuditEvent::Login, {});
    audit.flush();
    std::this_thread::sleep_for(milliseconds(600));
    audit.note(AuditEvent::Login, {});
    audit.flush();
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_NE(told.find("audit.jsonl.db"), std::string::npos) << told;
  EXPECT_GT(fs::file_size(file()), 50u);
}

}  // namespace
}  // namespace host::store
