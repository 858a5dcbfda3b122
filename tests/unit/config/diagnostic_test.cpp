#include "config/diagnostic.h"

#include <gtest/gtest.h>

#include "base/text/nearest.h"

namespace host::config {
namespace {

Diagnostic fault() {
  return {"config.toml",
          12,
          8,
          Severity::Error,
          "C014",
          "unknown key \"prot\" in [http]",
          "did you mean \"port\"?",
          "       prot = 8808"};
}

TEST(Diagnostic, ShowsTheLineAndPointsAtTheColumn) {
  EXPECT_EQ(fault().describe(),
            "config.toml:12:8: error[C014]: unknown key \"prot\" in [http]\n"
            "  12 |        prot = 8808\n"
            "     |        ^\n"
            "  help: did you mean \"port\"?\n");
}

TEST(Diagnostic, CountsCharactersNotBytesAndKeepsTabs) {
  Diagnostic it = fault();
  it.source = "\té = x";
  it.column = 6;
  EXPECT_NE(it.describe().find("     | \t    ^\n"), std::string::npos) << it.describe();
}

TEST(Diagnostic, NamesTheFileAloneWhereThereIsNoLine) {
  Diagnostic it = fault();
  it.line = 0;
  it.source.clear();
  it.help.clear();
  it.severity = Severity::Warning;
  EXPECT_EQ(it.describe(), "config.toml: warning[C014]: unknown key \"prot\" in [http]\n");
}

TEST(Diagnostic, ShowsNoControlCharactersAndCutsLongLines) {
  Diagnostic it = fault();
  it.file = "skills/\x1b[2J/SKILL.md";
  it.message = "found \"\x1b[31m\"";
  it.source = "a\x1b[31m" + std::string(10'000, 'x');
  const std::string text = it.describe();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 400u);
}

TEST(Nearest, FindsASlipOfTheFingersAndNothingFarAway) {
  EXPECT_EQ(nearest("prot", {"host", "port"}), "port");
  EXPECT_EQ(nearest("timeout", {"timeout_s", "grace_s"}), "timeout_s");
  EXPECT_EQ(nearest("colour", {"timeout_s", "grace_s"}), "");
  EXPECT_EQ(nearest(std::string(5000, 'a'), {"a"}), "");
}

}  // namespace
}  // namespace host::config
