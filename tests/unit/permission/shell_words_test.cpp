#include "permission/shell/words.h"

#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Place kHere{"/home/u", "/w"};

std::vector<std::string> sources(std::string_view command) {
  std::vector<std::string> texts;
  const Script script = scan(command, kHere);
  EXPECT_EQ(script.trouble, "") << command;
  for (const Segment& segment : script.segments) texts.emplace_back(segment.source);
  return texts;
}

std::vector<std::string> words(std::string_view command) {
  std::vector<std::string> texts;
  const Script script = scan(command, kHere);
  EXPECT_EQ(script.trouble, "") << command;
  for (const Segment& segment : script.segments) {
    for (const Word& word : segment.words) texts.push_back(word.text);
  }
  return texts;
}

TEST(ShellWords, CutACommandAtItsOperators) {
  EXPECT_THAT(sources("a 1 && b || c; d | e |& f & g\nh"),
              ElementsAre("a 1", "b", "c", "d", "e", "f", "g", "h"));
  EXPECT_THAT(sources("a &&\n b;"), ElementsAre("a", "b"));
  EXPECT_THAT(sources("  a  \n\n # note; b\n c # d"), ElementsAre("a", "c"));
  EXPECT_THAT(sources(""), ElementsAre());
}

TEST(ShellWords, KeepOperatorsInQuotesAsText) {
  EXPECT_THAT(sources("echo 'a && b' \"c; d\" e\\;f"), ElementsAre("echo 'a && b' \"c; d\" e\\;f"));
  EXPECT_THAT(words("echo 'a && b' \"c; d\" e\\;f a#b"),
              ElementsAre("echo", "a && b", "c; d", "e;f", "a#b"));
}

TEST(ShellWords, LoseTheirQuotesAndEscapes) {
  EXPECT_THAT(words(R"(r\m "a\"b\$c\d" 'x\y' a"b"'c' "")"),
              ElementsAre("rm", "a\"b$c\\d", "x\\y", "abc", ""));
  EXPECT_THAT(words("gi\\\nt status"), ElementsAre("git", "status"));
}

TEST(ShellWords, GoOnOnTheNextLine) {
  EXPECT_THAT(sources("cat a | \\\n  grep b && \\\n c"), ElementsAre("cat a", "grep b", "c"));
  EXPECT_THAT(sources("cat a |\\\ngrep b &&\\\nc;\\\nd"), ElementsAre("cat a", "grep b", "c", "d"));
  EXPECT_THAT(words("ls \\\n  -la \\\n\\\n  src \\\n"), ElementsAre("ls", "-la", "src"));
  EXPECT_THAT(words("X=\"a\\\nb\" make \"c \\\n d\""), ElementsAre("make", "c  d"));
  EXPECT_THAT(words("a \\\n# b\nc\\\n#d # e \\\nf"), ElementsAre("a", "c#d", "f"));
}

TEST(ShellWords, AreNotLiteralWhereAVariableStands) {
  const Script script = scan("cat $HOME/x \"${FOO}\" '$BAR' 5$ $1", kHere);
  ASSERT_EQ(script.segments.size(), 1u);
  const auto& found = script.segments[0].words;
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[1].text, "/home/u/x");
  EXPECT_FALSE(found[1].literal);
  EXPECT_EQ(found[2].text, "$FOO");
  EXPECT_FALSE(found[2].literal);
  EXPECT_TRUE(found[3].literal);
  EXPECT_TRUE(found[4].literal) << "a dollar of its own";
  EXPECT_FALSE(found[5].literal);
}

TEST(ShellWords, KnowRedirectionsAndWhichOfThemWrite) {
  const Script script = scan("a <in >out 2>>log >|force <>rw 2>&1 >&2 >&file <<<text 3<&4", kHere);
  ASSERT_EQ(script.trouble, "");
  std::vector<std::string> writes;
  std::vector<std::string> others;
  for (const Redirect& each : script.segments.at(0).redirects) {
    (each.writes ? writes : others).push_back(each.target.text);
  }
  EXPECT_THAT(writes, ElementsAre("out", "log", "force", "rw", "file"));
  EXPECT_THAT(others, ElementsAre("in", "1", "2", "text", "4"));
  EXPECT_EQ(script.segments[0].words.size(), 1u);
}

TEST(ShellWords, KnowVariablesBeforeACommand) {
  const Script script = scan("A=1 B='x y' cmd C=3", kHere);
  ASSERT_EQ(script.segments.size(), 1u);
  EXPECT_THAT(script.segments[0].variables, ElementsAre("A", "B"));
  EXPECT_EQ(script.segments[0].values[1].text, "x y");
  EXPECT_EQ(script.segments[0].words.size(), 2u);
}

class ShellTrouble : public ::testing::TestWithParam<const char*> {};

TEST_P(ShellTrouble, IsSaidOfWhatCannotBeFollowed) {
  EXPECT_NE(scan(GetParam(), kHere).trouble, "") << GetParam();
}

INSTANTIATE_TEST_SUITE_P(
    Commands, ShellTrouble,
    ::testing::Values("echo {PATH}</dev/null", "pwd {A}>/dev/null", "ls {A}>&2", "ls {PATH[0]}<a",
                      "rm $(find .)", "`x`", "echo \"`x`\"", "echo \"$(x)\"", "cat <(ls)",
                      "tee >(cat)", "(cd x)", "for i in a; do b; done", "while true; do b; done",
                      "until a; do b; done", "if a; then b; fi", "case a in b) c;; esac",
                      "f() { a; }", "function f { a; }", "{ a; }", "[[ -f a ]]", "${A:-rm}",
                      "echo ${A:-b}", "echo ${#A}", "echo $((1+1))", "echo $[1]", "echo $'\\x41'",
                      "cat <<EOF\na\nEOF", "$CMD a", "r?", "echo {a,b}", "echo {1..9}", "'a", "\"a",
                      "a \\", "a &&", "a |", "&& a", "a ;; b", "a >", "a > ;", "a[1]=x b", "a\x01",
                      "a\rb", "coproc a", "a\x7f"));

// What one shell takes for a part of a command, and another for its end, a word or a program. dash
// ends a command at the `&` of `&>`, and knows descriptors of one digit. bash ends a redirection
// at `<&-`.
INSTANTIATE_TEST_SUITE_P(
    ReadDifferentlyByShells, ShellTrouble,
    ::testing::Values("echo x &>/dev/null touch f", "ls &>f", "ls &>>/dev/null", "ls&>f", "2&>f a",
                      "a >f&>g", "cat 12>&2", "cat 12<&0", "ls 10</dev/null", "12>&2 a b", "a 00>f",
                      "cat <&-f", "cat <&-/etc/shadow", "ls >&-f", "ls >& -f",
                      "cat <& \t-/etc/shadow", "cat 3<&-''", "cat <&-$A", "touch a >&'$(b)'",
                      "cat <&'$(b)'", "a >&\"b\"", "a >&\\$A", "a >&$A", "a >&b*", "a >& '`b`'",
                      "a 2>&'1'", "cat <&--", "cat <&-\\\nf", "A+=1 b", "A+=./evil ls", "A+=",
                      "A[1]+=x b", "a=(1 2)", "! coproc a", "time coproc a", "time -p coproc a",
                      "! ! coproc a", "! time -- coproc a", "! [[ -f a ]]", "! function f",
                      "select a in b; do c; done", "coproc a { b; }", "function f\n{ a; }", "((1))",
                      "a ;& b", "a ;;& b", "echo @(a|b)", "echo ?(a)", "echo *(a)", "echo +(a)",
                      "echo !(a)", "echo $\"a\"", "echo {a,\"b\"}", "echo {1..a}", "a >>|b"));

// The shell joins the bytes around a continued line before it looks at them.
INSTANTIATE_TEST_SUITE_P(
    ContinuedLines, ShellTrouble,
    ::testing::Values("echo \"$\\\n(x)\"", "echo $\\\n(x)", "echo $\\\n\\\n(x)", "echo $\\\nA",
                      "echo \"$\\\n{A}\"", "echo $\\\n'a'", "echo $A\\\nB", "echo \"$A\\\nB\"",
                      "echo ${A\\\nB}", "cat <\\\n<E\na\nE", "cat <\\\n\\\n<E\na\nE",
                      "cat <\\\n<pwd\necho ' $(x) '\npwd", "cat <\\\n a", "cat < \\\n a",
                      "cat <\\\n>a", "a >\\\n>b", "a 2>\\\n&1", "a &\\\n> b", "a |\\\n& b",
                      "a &\\\n& b", "a |\\\n| b", "a ;\\\n; b", "a 2\\\n>b", "a 1\\\n2>b",
                      "echo {a.\\\n.c}", "echo {a\\\n,c}", "A\\\n=b c", "A+\\\n=b c", "A\\\nB=c d",
                      "A\\\n[1]=b c"));

// dash refuses a line with `|&`, `<<<` or `>&word`, and runs nothing of it.
TEST(ShellWords, AreKnownWhereAShellRunsTheCommandOrNothing) {
  for (const std::string_view command :
       {"a |& b", "a <<<b", "a >&word", "ls 2>&1", "cat 3<&4", "a 2>&- b", "a <&- b", "a >& - b",
        "a & >f", "a 1 2>f", "a b12>f", "a '12'>f", "! a", "time -p a", "a ! coproc",
        "a time coproc", "'!' coproc", "a A+=1"}) {
    EXPECT_EQ(scan(command, kHere).trouble, "") << command;
  }
}

TEST(ShellWords, AreTroubleWhereTheyHoldANulByte) {
  EXPECT_THAT(scan(std::string_view("ls\0rm", 5), kHere).trouble, HasSubstr("control character"));
}

}  // namespace
}  // namespace host::permission::shell
