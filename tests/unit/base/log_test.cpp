#include "base/log.h"

#include <gtest/gtest.h>

namespace host {
namespace {

TEST(Log, CannotBeForgedByATextWithNewlines) {
  log::setup(log::Level::Info, log::Format::Text);
  testing::internal::CaptureStderr();
  log::info("test", "one\ntwo \x1b[31m", {{"field", "a\r\nb"}});
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1);
  EXPECT_EQ(written.find('\x1b'), std::string::npos);
  EXPECT_NE(written.find("test: one\\u000atwo"), std::string::npos);
}

TEST(Log, EscapesWhatATerminalWouldHideOrObey) {
  log::setup(log::Level::Info, log::Format::Text);
  testing::internal::CaptureStderr();
  log::info("test", "a\u202Eb\u200B", {{"field", "\u009B31m\x9B\U000E0041"}});
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_NE(written.find("a\\u202eb\\u200b field=\\u009b31m\\ufffd\\udb40\\udc41"),
            std::string::npos)
      << written;
}

TEST(Log, WritesOneJsonObjectALineWhereAsked) {
  log::setup(log::Level::Info, log::Format::Json);
  testing::internal::CaptureStderr();
  log::warning("test", "say \"hi\"", {{"path", "C:\\x"}});
  const std::string written = testing::internal::GetCapturedStderr();
  log::setup(log::Level::Warning, log::Format::Text);
  EXPECT_NE(
      written.find(R"("level":"warning","component":"test","msg":"say \"hi\"","path":"C:\\x"})"),
      std::string::npos)
      << written;
}

TEST(Log, DropsWhatIsBelowItsLevel) {
  log::setup(log::Level::Error, log::Format::Text);
  testing::internal::CaptureStderr();
  log::info("test", "quiet");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  log::setup(log::Level::Warning, log::Format::Text);
}

}  // namespace
}  // namespace host
