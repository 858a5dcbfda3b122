#include "plugin/wire/output_log.h"

#include <gtest/gtest.h>

#include <string>

namespace host::plugin {
namespace {

using Lines = std::vector<std::string>;

TEST(OutputLog, KeepsTheLastLines) {
  OutputLog output("p");
  output.add("one\ntw");
  output.add("o\n\nthree");
  EXPECT_EQ(output.last_lines(5, 0), (Lines{"one", "two"}));
  output.end();
  EXPECT_EQ(output.last_lines(2, 0), (Lines{"two", "three"}));
}

TEST(OutputLog, OfBytesThatAreNoTextSaysSo) {
  OutputLog output("p");
  output.add("\xff\xfe\n" + std::string(5000, '\x80') + "\n");
  EXPECT_EQ(output.last_lines(5, 0),
            (Lines{"(a line that is not UTF-8)", "(a line that is not UTF-8)"}));
}

TEST(OutputLog, CutsALongLineBetweenCharacters) {
  for (std::size_t at = 0; at < 4; ++at) {
    OutputLog output("p");
    std::string line(at, '.');
    while (line.size() < 9000) line += "\xe2\x82\xac";
    for (std::size_t i = 0; i < line.size(); i += 7) output.add(line.substr(i, 7));
    output.add("\n");
    const std::string kept = output.last_lines(1, 0).at(0);
    EXPECT_GT(kept.size(), 2045u);
    EXPECT_LE(kept.size(), 2048u);
    EXPECT_TRUE(line.starts_with(kept));
  }
}

TEST(OutputLog, ShowsNoPartOfASecretThatALongLineEndsIn) {
  OutputLog output("p", Redactor(Secrets{{"KEY", "swordfish"}}));
  for (std::size_t at = 2030; at < 2070; ++at) output.add(std::string(at, '.') + "swordfish\n");
  for (const std::string& line : output.last_lines(40, 0)) {
    EXPECT_EQ(line.find("sw"), std::string::npos) << line.substr(2030);
  }
}

}  // namespace
}  // namespace host::plugin
