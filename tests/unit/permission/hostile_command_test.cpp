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

// The work is at most 0.2 s. A build that looks for errors takes ten times as long.
constexpr std::chrono::seconds kQuickly{30};

Decision judge(const std::string& command) {
  const host::test::CpuTime cpu;
  Decision decision = decide_command(engine(Mode::Default, kRules), command);
  EXPECT_LT(cpu.taken(), kQuickly);
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

std::string times(std::string_view part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

// Judges it in the modes that look at most. Returns the decision of the default mode.
Decision judge_at(const Place& place, const std::string& command) {
  Decision first;
  for (const Mode mode : {Mode::AcceptEdits, Mode::Explore, Mode::Default}) {
    const Engine rules = engine(mode, {allow("shell", "git:*")}, {place.cwd}, place);
    const host::test::CpuTime cpu;
    first = decide_command(rules, command, {}, place);
    EXPECT_LT(cpu.taken(), kQuickly) << command.substr(0, 40);
  }
  return first;
}

Place with_files(const TemporaryFolder& folder, int count) {
  for (int i = 0; i < count; ++i) folder.file("many/" + std::to_string(i));
  return {"/home/u", folder.folder("many")};
}

// Each word and each segment would look at all files.
TEST(HostileCommand, ThatNamesManyFilesAgainAndAgainIsJudgedInTime) {
  const TemporaryFolder folder;
  const Place place = with_files(folder, 2000);
  for (const auto& [begin, part, count] : {std::tuple{"ls", " *", 1000},
                                           {"grep -r x", " [a0-9]*", 1000},
                                           {"true", "; rg x", 250},
                                           {"true", "; grep -r x .", 250},
                                           {"rm -r", " ../many", 1000},
                                           {"touch", " ?*", 1000}}) {
    judge_at(place, begin + times(part, count));
  }
}

TEST(HostileCommand, InAFolderWithTooManyFilesIsJudgedInTime) {
  const TemporaryFolder folder;
  const Place place = with_files(folder, 5000);
  for (const std::string_view part : {"ls *;", "rg x *;", "rg x;", "cat a*;", "cd ../many; ls *;"})
    judge_at(place, times(part, 120) + "true");
}

// `.?` matches two names in each folder that there is.
TEST(HostileCommand, WhosePatternsMatchDotsAgainAndAgainIsAskedForInTime) {
  const TemporaryFolder folder;
  folder.file("README.md");
  const Place place{"/home/u", folder.text()};
  folder.folder("empty");
  for (const std::string begin : {"cat nosuch", "cat README.md", "cat empty", "cat .", "cat "}) {
    for (const std::string_view part : {"/.?", "/.[.]", "/..*", "/.?/../.?"}) {
      EXPECT_EQ(judge_at(place, begin + times(part, 40)).behavior, Behavior::Ask) << begin << part;
    }
  }
}

// Each file that matches makes a path as long as the rest of the pattern.
TEST(HostileCommand, WithALongTextBehindAWildcardIsAskedForInTime) {
  const TemporaryFolder folder;
  const Place place = with_files(folder, 4000);
  const std::string marks(16, '=');
  for (const std::string& tail : {marks + std::string(100'000, 'A'), marks + std::string(3000, 'A'),
                                  times("a/", 50'000), times("../", 1000), times("?a", 50'000)}) {
    EXPECT_TRUE(judge_at(place, "cat */" + tail).safety) << tail.substr(0, 20);
  }
}

TEST(HostileCommand, WithLongWordsIsJudgedInTime) {
  const TemporaryFolder folder;
  const Place place = with_files(folder, 4000);
  const std::string marks = " " + std::string(16, '=');
  const std::string up_and_down = times("/usr/..", 500);
  for (const std::string& command :
       {"cat *" + std::string(100'000, 'A'), "cat " + std::string(100'000, '*') + "x",
        "cat *" + times("?a", 50'000), "cat" + times(marks + up_and_down, 30),
        "cat" + times(marks + "/usr/../usr/*", 1000), times("cd " + up_and_down + "/usr;", 30),
        "mkdir" + times(" " + up_and_down, 30), "mv" + times(" ../many", 1000)}) {
    judge_at(place, command);
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

// In some locales, bash takes these backslashes and bars for the second byte of a letter.
TEST(HostileCommand, WithABackslashOrABarBehindALetterBeyondAsciiIsAskedFor) {
  for (const std::string command :
       {"echo \xe3\x81\x82\\; touch pwned", "echo \xe6\x97\xa5\\; touch pwned",
        "echo \xe3\x81\x82\\\\; touch pwned", "echo \"\xe3\x81\x82\\\"; touch pwned; \\\"\"",
        "echo '\xc3\xa9\\.'", "echo \xc3\xa9\\\nb", "find . \xe3\x81\x82| ls -d",
        "echo \xe3\x81\x82|| ls", "echo \xe3\x81\x82|& ls"}) {
    const auto decision = judge(command);
    EXPECT_EQ(decision.behavior, Behavior::Ask) << command;
    EXPECT_TRUE(decision.safety) << command;
  }
}

// In some locales, the letter is a part of the variable's name.
TEST(HostileCommand, WithAVariableBesideALetterBeyondAsciiIsAskedFor) {
  for (const std::string command :
       {"echo $\xc3\xaa/etc/shadow", "echo $a\xc3\xaa/etc/shadow", "echo \"$\xc3\xaa\""}) {
    const auto decision = judge(command);
    EXPECT_EQ(decision.behavior, Behavior::Ask) << command;
    EXPECT_TRUE(decision.safety) << command;
  }
}

TEST(HostileCommand, IsNoneForItsLettersBeyondAscii) {
  for (const std::string command :
       {"echo \xe3\x81\x82", "echo \xe3\x81\x82 | grep '\xe3\x81\x82|\xe3\x81\x84'",
        "echo \"\xe3\x81\x82\"; echo '\xc3\xa9' && echo \xc3\xa9; ls \\\n -l"}) {
    EXPECT_EQ(judge(command).behavior, Behavior::Allow) << command;
  }
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
