#include "cli/output/table.h"

#include <gtest/gtest.h>

namespace host::cli {
namespace {

TEST(Table, AlignsByCharactersNotByBytes) {
  Table table({"NAME", "X"});
  table.add({"\xc3\xa4\xc3\xb6", "1"});
  table.add({"abcdef", "2"});
  EXPECT_EQ(table.text(), "NAME    X\n\xc3\xa4\xc3\xb6      1\nabcdef  2\n");
}

TEST(Table, PutsForeignTextOnOneLineWithHiddenCharactersMarked) {
  EXPECT_EQ(one_line("a\nb\x1b[31m", 100), "a b<U+001B>[31m");
  EXPECT_EQ(one_line("\u202Eab", 9), "<U+202E>a...");
  EXPECT_EQ(one_line("\u202Eab", 7), "...");
  EXPECT_EQ(one_line("\xc3\xa4\xc3\xa4\xc3\xa4", 2), "\xc3\xa4\xc3\xa4...");
}

}  // namespace
}  // namespace host::cli
