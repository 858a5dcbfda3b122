// The parts of `toolpost dev` that only look at texts.
#include <gtest/gtest.h>

#include "cli/dev/compiler_output.h"
#include "cli/dev/difference.h"

namespace host::cli::dev {
namespace {

TEST(Difference, TellsLinesThatWentAndCame) {
  EXPECT_EQ(difference("a\nb\nc\n", "a\nb\nc\n"), "");
  EXPECT_EQ(difference("a\nb\nc\n", "a\nx\nc\n"), "- b\n+ x\n");
  EXPECT_EQ(difference("a\nb\n", "a\nnew\nb\n"), "+ new\n");
  EXPECT_EQ(difference("a\nb\n", "b\n"), "- a\n");
  EXPECT_EQ(difference("", "a\n"), "+ a\n");
}

TEST(CompilerOutput, FindsTheErrorsOfGccAndClang) {
  const CompilerOutput said = read_compiler_output(
      "[1/2] Building CXX object a.o\n"
      "/p/adder.cpp: In function 'int add()':\n"
      "/p/adder.cpp:12:3: error: 'x' was not declared in this scope\n"
      "   12 |   x\n"
      "/p/adder.cpp:13:3: warning: unused\n"
      "/p/adder.cpp:14:1: fatal error: gone.h: No such file or directory\n");
  EXPECT_EQ(said.errors, 2u);
  EXPECT_EQ(said.warnings, 1u);
  EXPECT_EQ(said.first[0], "/p/adder.cpp:12:3: error: 'x' was not declared in this scope");
}

TEST(CompilerOutput, FindsTheErrorsOfRustcWithTheirPlace) {
  const CompilerOutput said = read_compiler_output(
      "error[E0308]: mismatched types\n  --> src/lib.rs:4:5\n   |\n"
      "warning: unused variable\nerror: could not compile `x` (lib) due to 1 previous error\n");
  EXPECT_EQ(said.errors, 1u);
  EXPECT_EQ(said.warnings, 1u);
  EXPECT_EQ(said.first[0], "src/lib.rs:4:5: error[E0308]: mismatched types");
}

TEST(CompilerOutput, ShowsTheFirstFewOfMany) {
  std::string output;
  for (int i = 0; i < 20; ++i) output += "a.c:1:1: error: e" + std::to_string(i) + "\n";
  const CompilerOutput said = read_compiler_output(output);
  EXPECT_EQ(said.errors, 20u);
  EXPECT_EQ(said.first.size(), 5u);
  EXPECT_EQ(last_lines("1\n2\n3\n", 2), "2\n3\n");
}

}  // namespace
}  // namespace host::cli::dev
