#include "plugin/wire/output_log.h"

#include <gtest/gtest.h>
#include <toolpost/plugin.h>

#include <string>

#include "support/manual_clock.h"

namespace host::plugin {
namespace {

using Lines = std::vector<std::string>;

TEST(OutputLog, KeepsTheLastLines) {
  OutputLog output("p");
  output.add("one\ntw");
  output.add("o\n\nthree");
  EXPECT_EQ(output.last_lines(5), (Lines{"one", "two"}));
  output.end();
  EXPECT_EQ(output.last_lines(2), (Lines{"two", "three"}));
}

TEST(OutputLog, KnowsWhatOneCallLogged) {
  OutputLog output("p");
  output.plugin_line(TP_LOG_ERROR, "of one", "", 1);
  output.add("of anybody\n");
  output.plugin_line(TP_LOG_ERROR, "of another", "", 2);
  output.plugin_line(TP_LOG_ERROR, "of one again", "", 1);
  EXPECT_EQ(output.last_lines(9), (Lines{"of one", "of anybody", "of another", "of one again"}));
  EXPECT_EQ(output.last_lines_of(9, 1), (Lines{"of one", "of one again"}));
  EXPECT_EQ(output.last_lines_of(1, 1), (Lines{"of one again"}));
}

TEST(OutputLog, OfBytesThatAreNoTextSaysSo) {
  OutputLog output("p");
  output.add("\xff\xfe\n" + std::string(5000, '\x80') + "\n");
  EXPECT_EQ(output.last_lines(5),
            (Lines{"(a line that is not UTF-8)", "(a line that is not UTF-8)"}));
}

TEST(OutputLog, CutsALongLineBetweenCharacters) {
  for (std::size_t at = 0; at < 4; ++at) {
    OutputLog output("p");
    std::string line(at, '.');
    while (line.size() < 9000) line += "\xe2\x82\xac";
    for (std::size_t i = 0; i < line.size(); i += 7) output.add(line.substr(i, 7));
    output.add("\n");
    const std::string kept = output.last_lines(1).at(0);
    EXPECT_GT(kept.size(), 2045u);
    EXPECT_LE(kept.size(), 2048u);
    EXPECT_TRUE(line.starts_with(kept));
  }
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(OutputLog, AFloodTakesFewBytesOfTheLogAndIsCounted) {
  host::test::ManualClock clock;
  ::testing::internal::CaptureStderr();
  {
    OutputLog output("p", {}, clock);
    const std::string fields = R"({"x":")" + std::string(8000, 'f') + "\"}";
    for (int i = 0; i < 3000; ++i) output.plugin_line(TP_LOG_ERROR, std::string(8000, 'm'), fields);
    clock.advance(std::chrono::seconds(11));
    output.plugin_line(TP_LOG_ERROR, "calm again", "");
    for (int i = 0; i < 3000; ++i) output.plugin_line(TP_LOG_ERROR, "short", "");
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_LT(log.size(), 500'000u);
  EXPECT_EQ(count(log, "writes too many lines"), 2u);
  EXPECT_EQ(count(log, "calm again"), 1u);
  EXPECT_EQ(count(log, "short"), 499u);
  EXPECT_EQ(count(log, "lines=2937") + count(log, "lines=2501"), 2u)
      << log.substr(log.size() - 900);
}

TEST(OutputLog, LinesBelowTheLevelOfTheLogTakeNoRoom) {
  ::testing::internal::CaptureStderr();
  {
    OutputLog output("p");
    for (int i = 0; i < 3000; ++i) output.plugin_line(TP_LOG_DEBUG, "detail", "");
    output.plugin_line(TP_LOG_ERROR, "news", "");
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(log, "news"), 1u);
  EXPECT_EQ(count(log, "too many"), 0u);
}

TEST(OutputLog, ShowsNoPartOfASecretThatALongLineEndsIn) {
  OutputLog output("p", Redactor(Secrets{{"KEY", "swordfish"}}));
  for (std::size_t at = 2030; at < 2070; ++at) output.add(std::string(at, '.') + "swordfish\n");
  for (const std::string& line : output.last_lines(40)) {
    EXPECT_EQ(line.find("sw"), std::string::npos) << line.substr(2030);
  }
}

}  // namespace
}  // namespace host::plugin
