#include "plugin/file/origin_check.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

const std::string kOne(64, '1');
const std::string kTwo(64, '2');

std::string fault(const std::string& text) {
  const auto hash = published_sha256(text, "p.so");
  return hash ? "" : hash.error().message;
}

TEST(PublishedSha256, ReadsWhatSha256sumWrites) {
  EXPECT_EQ(published_sha256(kOne + "  p.so\n", "p.so").value(), kOne);
  EXPECT_EQ(published_sha256(kOne + " *p.so", "p.so").value(), kOne);
  EXPECT_EQ(
      published_sha256("# made by a build\r\n\r\n" + kOne + "  dist/p.so\r\n", "p.so").value(),
      kOne);
  EXPECT_EQ(published_sha256(kTwo + "  q.so\n" + kOne + "  p.so\n", "p.so").value(), kOne);
  EXPECT_EQ(published_sha256(std::string(64, 'A') + "  p.so", "p.so").value(),
            std::string(64, 'a'));
}

TEST(PublishedSha256, SaysWhatIsWrong) {
  EXPECT_EQ(fault(""), "no line names p.so");
  EXPECT_EQ(fault(kOne + "  q.so\n"), "no line names p.so");
  EXPECT_EQ(fault(kOne + "  p.so\n" + kTwo + "  p.so\n"), "line 2: differs from a line before it");
  for (const std::string& bad :
       {kOne, kOne + " p.so", kOne + "  ", kOne.substr(1) + "  p.so",
        "g" + kOne.substr(1) + "  p.so", kOne + "1  p.so", std::string("p.so")}) {
    EXPECT_NE(fault(bad).find("line 1: expected"), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace host::plugin
