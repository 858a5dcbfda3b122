#include "base/text/file_text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace host {
namespace {

TEST(FileText, IsEveryByte) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("file_text_" + std::to_string(::getpid()));
  std::string bytes(100'000, 'x');
  bytes[0] = '\0';
  bytes[50'000] = '\n';
  bytes.back() = '\xff';
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(file_text(file), bytes);
  std::ofstream(file, std::ios::trunc);
  EXPECT_EQ(file_text(file), "");
  std::filesystem::remove(file);
  EXPECT_EQ(file_text(file), std::nullopt);
}

TEST(FileText, IsReadOfAFileWithoutASize) {
  const auto text = file_text("/proc/self/stat");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(')'), std::string::npos);
}

}  // namespace
}  // namespace host
