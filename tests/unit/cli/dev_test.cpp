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

TEST(Difference, OfJsonIsThatOfItsValues) {
  EXPECT_EQ(in_lines("{\"a\":[1,{}],\"b\":\"x\\\",[\"}\n"),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x\\\",[\"\n}\n");
  EXPECT_EQ(in_lines("no, {json}\n"), "no, {json}\n");
  EXPECT_EQ(difference(in_lines(R"({"a":[1,2],"b":"x"})"), in_lines(R"({"a":[1,3],"b":"x"})")),
            "-     2\n+     3\n");
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

TEST(CompilerOutput, SaysWhichTemplateAnErrorIsInAndWhereItWasUsed) {
  const CompilerOutput gcc = read_compiler_output(
      "/sdk/codec.hpp: In instantiation of 'struct Codec<Point>':\n"
      "/sdk/fields.hpp:130:22:   required from 'TypeInfo info() [with T = Point]'\n"
      "/p/adder.cpp:3:30:   required from here\n"
      "/sdk/codec.hpp:56:17: error: static assertion failed: no JSON form\n"
      "/p/adder.cpp:9:1: error: 'x' was not declared in this scope\n");
  EXPECT_EQ(gcc.first, (std::vector<std::string>{
                           "/sdk/codec.hpp:56:17: error: static assertion failed: no JSON form",
                           "  /sdk/codec.hpp: In instantiation of 'struct Codec<Point>':",
                           "  /p/adder.cpp:3:30:   required from here",
                           "/p/adder.cpp:9:1: error: 'x' was not declared in this scope",
                       }));
  const CompilerOutput clang = read_compiler_output(
      "/sdk/codec.hpp:55:3: error: static_assert failed: no JSON form\n"
      "/sdk/fields.hpp:130:23: note: in instantiation of class 'Codec<Point>' requested here\n"
      "/sdk/fields.hpp:141:57: note: in instantiation of 'TypeFunctions<Point>' requested here\n"
      "/p/adder.cpp:3:51: note: in instantiation of 'type_info<Point>' requested here\n"
      "/p/adder.cpp:9:1: error: use of undeclared identifier 'x'\n");
  EXPECT_EQ(
      clang.first,
      (std::vector<std::string>{
          "/sdk/codec.hpp:55:3: error: static_assert failed: no JSON form",
          "  /sdk/fields.hpp:130:23: note: in instantiation of class 'Codec<Point>' requested "
          "here",
          "  /p/adder.cpp:3:51: note: in instantiation of 'type_info<Point>' requested here",
          "/p/adder.cpp:9:1: error: use of undeclared identifier 'x'",
      }));
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
