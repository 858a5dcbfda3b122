// Words whose value nobody knows before the shell runs them.
#include <gmock/gmock.h>

#include <algorithm>

#include "permission/shell/pattern.h"
#include "permission/shell/words.h"
#include "support.h"

namespace host::permission::test {
namespace {

using ::testing::HasSubstr;

const std::string kHoleText(1, shell::kHole);

std::string shape(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '#', shell::kHole);
  return out;
}

Behavior behavior_of(const Engine& engine, std::string_view command) {
  return decide_command(engine, command).behavior;
}

TEST(ShellPattern, MayTouchWhatStandsInTheHolesOfAShape) {
  EXPECT_TRUE(shell::may_touch("make deploy", shape("make# deploy")));
  EXPECT_TRUE(shell::may_touch("make deploy", shape("make de#")));
  EXPECT_TRUE(shell::may_touch("make deploy", shape("#")));
  EXPECT_TRUE(shell::may_touch("curl:*", shape("#")));
  EXPECT_TRUE(shell::may_touch("git * --force", shape("git push#")));
  EXPECT_TRUE(shell::may_touch("git *", shape("gi#")));
  EXPECT_FALSE(shell::may_touch("make deploy", shape("echo a")));
  EXPECT_FALSE(shell::may_touch("curl:*", shape("make #")));
  EXPECT_FALSE(shell::may_touch("curl:*", shape("curly#")));
  EXPECT_FALSE(shell::may_touch("git * --force", shape("npm #")));
}

TEST(ShellPattern, MayTouchWhatIsTooLongToCompare) {
  const std::string text(1u << 16u, 'a');
  EXPECT_TRUE(shell::may_touch("make deploy", text + kHoleText));
}

TEST(ShellRules, AskWhereAVariableMayMakeADeniedCommand) {
  for (const Mode mode : {Mode::Default, Mode::AcceptEdits, Mode::Bypass}) {
    const Engine rules = engine(mode, {allow("shell", "make:*"), deny("shell", "make deploy")});
    for (const std::string_view command :
         {"make $X deploy", "make ${X}deploy", "make \"$X\"deploy", "make de${X}ploy",
          "make $@ deploy", "make \"$@\" deploy", "make test; make $X deploy", "make $1 deploy",
          "make $X", "make deplo?", "make d*", "make [d]eploy", "make $X$Y deploy", "make $X?eploy",
          "X= make $X deploy", "env make $X deploy", "sh -c 'make $X deploy'"}) {
      EXPECT_EQ(behavior_of(rules, command), Behavior::Ask) << command;
    }
    EXPECT_EQ(behavior_of(rules, "make deploy"), Behavior::Deny);
    EXPECT_EQ(behavior_of(rules, "make test"), Behavior::Allow);
    EXPECT_EQ(behavior_of(rules, "make '$X' de'*'ploy"), Behavior::Allow) << "these are only text";
  }
}

// A program that prints takes no paths, so that only the rules speak.
TEST(ShellRules, AskWhereWordsThatArePrintedMayBecomeDenied) {
  const Engine rules =
      engine(Mode::Default, {allow("shell", "echo:*"), deny("shell", "echo key*")});
  EXPECT_EQ(behavior_of(rules, "echo $X"), Behavior::Ask);
  EXPECT_EQ(behavior_of(rules, "echo k$X"), Behavior::Ask);
  EXPECT_EQ(behavior_of(rules, "echo k*"), Behavior::Ask);
  EXPECT_EQ(behavior_of(rules, "echo ~"), Behavior::Ask);
  EXPECT_EQ(behavior_of(rules, "echo ~bob"), Behavior::Ask);
  EXPECT_EQ(behavior_of(rules, "echo x$X"), Behavior::Allow) << "it begins otherwise";
  EXPECT_EQ(behavior_of(rules, "echo x*"), Behavior::Allow);
  const Engine home =
      engine(Mode::Default, {allow("shell", "echo:*"), deny("shell", "echo /srv/www/key")});
  for (const std::string_view command : {"echo ~+/key", "echo ~-/key", "echo ~www/key"})
    EXPECT_EQ(behavior_of(home, command), Behavior::Ask) << command;
  EXPECT_EQ(behavior_of(home, "echo x~+/key"), Behavior::Allow);
  const Engine none = engine(Mode::Default, {allow("shell", "echo:*"), deny("shell", "curl:*")});
  EXPECT_EQ(behavior_of(none, "echo $X"), Behavior::Allow);
}

TEST(ShellRules, AskForEachOfManyForms) {
  const Engine quoted =
      engine(Mode::Bypass, {allow("shell", "echo:*"), deny("shell", "echo 'a b' now")});
  EXPECT_EQ(behavior_of(quoted, "echo \"a b\" now"), Behavior::Deny);
  EXPECT_EQ(behavior_of(quoted, "echo \"a $X\" now"), Behavior::Ask);
  const Engine asks = engine(Mode::Bypass, {allow("shell", "echo:*"), ask("shell", "echo key")});
  EXPECT_EQ(behavior_of(asks, "echo k$X"), Behavior::Ask);
}

TEST(ShellSafety, AsksForAPathThatAVariableMayMakeDangerous) {
  for (const Mode mode : {Mode::Default, Mode::AcceptEdits, Mode::Bypass}) {
    const Engine rules = engine(mode, {allow("shell", "touch:*"), allow("shell", "echo * > *")},
                                {"/home/u/project"});
    for (const std::string_view command :
         {"echo pwn > $X.git/hooks/pre-commit", "touch $X.git/x2", "touch .g${X}it/x4",
          "touch .git$X/x5", "touch $X.env", "touch \"$X\".bashrc", "cp a $X.git/hook2", "touch $X",
          "cd $X && touch hooks/a", "X=$Y touch a", "cat < $X", "touch ~bob/a", "touch ~+/a",
          "touch ~-/a", "touch --file=$X", "touch $HOME/a", "touch $PWD/a"}) {
      const Decision decision = decide_command(rules, command);
      EXPECT_EQ(decision.behavior, Behavior::Ask) << command;
      EXPECT_TRUE(decision.safety) << command;
    }
    EXPECT_EQ(behavior_of(rules, "touch a"), Behavior::Allow);
    EXPECT_EQ(behavior_of(rules, "touch '$X'"), Behavior::Allow);
  }
}

// xargs, parallel and find put words into the commands that they run.
TEST(ShellRules, AskWhereAProgramMayMakeADeniedCommand) {
  const Engine rules =
      engine(Mode::Bypass, {allow("shell", "xargs:*"), allow("shell", "find:*"),
                            allow("shell", "parallel:*"), deny("shell", "make deploy")});
  for (const std::string_view command :
       {"echo deploy | xargs make", "echo deploy | xargs -n 1 make", "xargs make < a",
        "echo deploy | xargs -I{} make {}", "echo make | xargs -I % % deploy",
        "echo ploy | xargs -i make de{}", "echo ploy | xargs --replace=_ make de_",
        "echo deploy | env xargs make", "find . -name deploy -execdir make {} +",
        "echo deploy | parallel make", "parallel make ::: deploy"}) {
    EXPECT_EQ(behavior_of(rules, command), Behavior::Ask) << command;
  }
  EXPECT_EQ(behavior_of(rules, "echo a | xargs make deploy"), Behavior::Deny);
  EXPECT_EQ(behavior_of(rules, "echo a | xargs"), Behavior::Allow);
}

TEST(ShellSafety, AsksForAPathThatAProgramMayAdd) {
  for (const std::string_view command :
       {"echo .g?it/x | sed s/q// | xargs touch", "ls | xargs -I{} cp {} a", "xargs rm -f < list",
        "find . -exec touch {} +", "find . -name a -exec sh -c 'touch a' {} \\;"}) {
    const Decision decision = decide_command(engine(Mode::Bypass), command);
    EXPECT_EQ(decision.behavior, Behavior::Ask) << command;
  }
  EXPECT_THAT(decide_command(engine(Mode::Bypass), "ls | xargs touch").reason,
              HasSubstr("the words that a program such as xargs adds"));
  EXPECT_EQ(behavior_of(engine(Mode::Bypass), "ls | xargs echo"), Behavior::Allow);
  EXPECT_EQ(behavior_of(engine(Mode::Bypass), "find . -name a -exec touch b \\;"), Behavior::Allow);
}

TEST(ShellSafety, SaysWhichWordIsNotKnown) {
  const Decision decision = decide_command(engine(Mode::Bypass), "touch a$X");
  EXPECT_THAT(decision.reason, HasSubstr("the value of a$X is not known before it runs"));
}

}  // namespace
}  // namespace host::permission::test
