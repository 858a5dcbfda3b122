// Commands meant to hurt the reader of commands: each is judged in bounded time, and never allowed.
#include <chrono>
#include <random>
#include <tuple>

#include "permission/shell/words.h"
#include "support/cpu_time.h"
#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

const std::vector<Rule> kRules{allow("shell", "git:*"), deny("shell", "a*b*c*d*e*f"),
                               ask("shell", "npm *x* y")};

Decision judge(const std::string& command) {
  const host::test::CpuTime cpu;
  Decision decision = decide_command(engine(Mode::Default, kRules), command);
  EXPECT_LT(cpu.taken(), std::chrono::seconds(5));
  return decision;
}

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += text;
  return out;
}

TEST(HostileCommand, OfAMegabyteIsAskedFor) {
  for (const std::string_view text :
       {"a", " ",  "'", "\"", "\\",    "$",     "$(",        "`",           "(",     "{",    "((",
        ";", "&&", "|", "\n", ">",     "<(",    "a;",        "git x;",      "a b ",  "/../", "$A",
        "*", "~",  "#", "=",  "sudo ", "eval ", "bash -c '", "find -exec ", "abcdef"}) {
    const auto decision = judge(repeated(text, 1u << 20u));
    EXPECT_EQ(decision.behavior, Behavior::Ask) << text;
    EXPECT_TRUE(decision.safety) << text;
  }
}

TEST(HostileCommand, JustBelowTheLimitIsJudgedToo) {
  for (const std::string_view text : {"a",
                                      "git x;",
                                      "a b ",
                                      "'a' ",
                                      "/../",
                                      "sudo ",
                                      "eval ",
                                      "xargs ",
                                      "find -exec ",
                                      "a=b ",
                                      "../x/.. ",
                                      "-t/a ",
                                      "ab*c",
                                      "cd a;",
                                      "cd a; b ~/c -def;",
                                      "-C a ",
                                      "-abcdefghijklmnop ",
                                      "a=b=c=d:e@f ",
                                      "'~/a' ",
                                      "\\\n",
                                      "a\\\nb "}) {
    EXPECT_NE(judge(repeated(text, 120'000)).behavior, Behavior::Allow) << text;
  }
}

// Each word and each segment would look at all files.
TEST(HostileCommand, ThatNamesManyFilesAgainAndAgainIsJudgedInTime) {
  const TemporaryFolder folder;
  for (int i = 0; i < 2000; ++i) folder.file("many/" + std::to_string(i));
  const Place place{"/home/u", folder / "many"};
  for (const Mode mode : {Mode::Default, Mode::Explore, Mode::AcceptEdits}) {
    for (const auto& [begin, part, times] : {std::tuple{"ls", " *", 1000},
                                             {"grep -r x", " [a0-9]*", 1000},
                                             {"true", "; rg x", 250},
                                             {"true", "; grep -r x .", 250},
                                             {"rm -r", " ../many", 1000},
                                             {"touch", " ?*", 1000}}) {
      std::string command = begin;
      for (int i = 0; i < times; ++i) command += part;
      const Engine rules = engine(mode, {allow("shell", "git:*")}, {folder.text()}, place);
      const host::test::CpuTime cpu;
      static_cast<void>(decide_command(rules, command, {}, place));
      EXPECT_LT(cpu.taken(), std::chrono::seconds(5)) << command.substr(0, 40);
    }
  }
}

TEST(HostileCommand, NestedDeeplyIsAskedFor) {
  std::string command = "ls";
  for (int i = 0; i < 12; ++i) {
    std::string quoted = "bash -c \"";
    for (const char c : command.substr(0, 4096)) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    command = quoted + "\"";
  }
  EXPECT_TRUE(judge(command).safety);
  EXPECT_TRUE(judge(repeated("sudo ", 1000) + "ls").safety);
  EXPECT_TRUE(judge(repeated("eval ", 1000) + "ls").safety);
}

TEST(HostileCommand, WithANulByteOrAnOpenQuoteIsAskedFor) {
  EXPECT_TRUE(judge(std::string("git status\0; curl x", 19)).safety);
  EXPECT_TRUE(judge("git commit -m 'x").safety);
  EXPECT_TRUE(judge("git commit -m \"x").safety);
  EXPECT_TRUE(judge("git status \\").safety);
}

TEST(HostileCommand, OfRandomBytesNeverCrashes) {
  std::mt19937 random(20'260'101);
  constexpr std::string_view kPieces[] = {
      "git", " ",  "'", "\"", "\\", "$",    "(",     ")",      "`",     ";",        "&",
      "|",   "\n", ">", "<",  "{",  "}",    "a",     "=",      "~/",    "..",       "/",
      "*",   "#",  "!", "[",  "]",  "-",    "c",     "rm",     "sed",   "bash -c ", "eval ",
      "2",   ",",  "@", ":",  "\t", "\x80", "find ", "-exec ", "sudo ", "cd ",      "s/a/b/"};
  std::uniform_int_distribution<std::size_t> pick(0, std::size(kPieces) - 1);
  for (int round = 0; round < 20'000; ++round) {
    std::string command;
    for (int i = 0; i < 12; ++i) command += kPieces[pick(random)];
    const auto decision =
        decide_command(engine(Mode::AcceptEdits, kRules, {"/home/u/project"}), command);
    if (decision.behavior == Behavior::Allow) {
      EXPECT_EQ(shell::scan(command, kPlace).trouble, "") << command;
    }
  }
}

}  // namespace
}  // namespace host::permission::test
