#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/transcript.h"
#include "support/places.h"

namespace host::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> transcripts() {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(places::source() / "tests/conformance")) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt")
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class Transcript : public ::testing::TestWithParam<fs::path> {};

TEST_P(Transcript, IsAnsweredAsWritten) {
  const std::vector<std::string> written = read_lines(GetParam());
  ASSERT_FALSE(written.empty());
  const bool http = GetParam().parent_path().filename() == "http";
  const std::vector<std::string> real = http ? replay_http(written) : replay_stdio(written);
  if (std::getenv("TP_UPDATE")) {
    std::ofstream file(GetParam());
    for (const std::string& line : real) file << line << '\n';
    return;
  }
  EXPECT_EQ(written, real) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Conformance, Transcript, ::testing::ValuesIn(transcripts()),
                         [](const auto& each) {
                           std::string name = each.param.parent_path().filename().string() + "_" +
                                              each.param.stem().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace host::test
