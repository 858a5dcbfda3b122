#include "permission/path/path_rules.h"

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

Behavior with_rule(Rule rule, std::string_view path, Place place = kPlace) {
  return decide_path(engine(Mode::Default, {std::move(rule)}, {}, std::move(place)), writes_file(),
                     path)
      .behavior;
}

TEST(PathRule, MatchesAGlobWhoseStarCrossesSlashes) {
  EXPECT_EQ(with_rule(allow("write", "src/**"), "src/a/b.c"), Behavior::Allow);
  EXPECT_EQ(with_rule(allow("write", "src/*"), "src/a/b.c"), Behavior::Allow);
  EXPECT_EQ(with_rule(allow("write", "src/**"), "./src//a.c"), Behavior::Allow);
  EXPECT_EQ(with_rule(allow("write", "/home/u/project/src/**"), "src/a.c"), Behavior::Allow);
  EXPECT_EQ(with_rule(allow("write", "src/**"), "/home/u/project/src/a.c"), Behavior::Allow);
  EXPECT_EQ(with_rule(allow("write", "~/x/*"), "/home/u/x/y"), Behavior::Allow);
  EXPECT_EQ(with_rule(allow("write", "src/**"), "lib/a.c"), Behavior::Ask);
}

TEST(PathRule, AllowsNothingThatClimbsOut) {
  EXPECT_EQ(with_rule(allow("write", "src/**"), "src/../../x"), Behavior::Ask);
  EXPECT_EQ(with_rule(allow("write", "/srv/**"), "/srv/../etc/passwd"), Behavior::Ask);
}

TEST(PathRule, AllowsNothingThatASymbolicLinkLeadsOut) {
  const TemporaryFolder folder;
  const std::string outside = folder.folder("outside");
  const std::string inside = folder.folder("inside");
  folder.link("inside/link", outside);
  EXPECT_EQ(with_rule(allow("write", inside + "/**"), inside + "/a"), Behavior::Allow);
  EXPECT_EQ(with_rule(allow("write", inside + "/**"), inside + "/link/a"), Behavior::Ask);
  EXPECT_EQ(with_rule(allow("write", "*.md"), folder.link("inside/x.md", "/etc/passwd")),
            Behavior::Ask);
}

TEST(PathRule, FollowsLinksInThePatternsOwnFolder) {
  const TemporaryFolder folder;
  folder.folder("real");
  const std::string link = folder.link("link", folder / "real");
  EXPECT_EQ(with_rule(allow("write", link + "/**"), link + "/a"), Behavior::Allow);
}

TEST(PathRule, DeniesInEverySpellingAndThroughLinks) {
  const TemporaryFolder folder;
  const std::string vault = folder.folder("vault");
  const std::string link = folder.link("link", vault);
  for (const std::string& path :
       {vault + "/a", vault + "/../vault/a", folder.text() + "//vault/./a", link + "/a"}) {
    EXPECT_EQ(with_rule(deny("write", vault + "/**"), path), Behavior::Deny) << path;
  }
  EXPECT_EQ(with_rule(deny("write", vault + "/**"), folder / "other"), Behavior::Ask);
}

TEST(PathRule, AllowsACallOnlyWhereEachOfItsPathsIsCovered) {
  tool::Declaration tool = writes_file("copy");
  tool.path_args = {"/from", "/to"};
  const Engine host =
      engine(Mode::Default, {allow("copy", "a/*"), allow("copy", "b/*"), deny("copy", "d/*")});
  const auto copy = [&](std::string_view from, std::string_view to) {
    return decide(host, tool, arguments({{"from", from}, {"to", to}})).behavior;
  };
  EXPECT_EQ(copy("a/x", "b/x"), Behavior::Allow);
  EXPECT_EQ(copy("a/x", "c/x"), Behavior::Ask);
  EXPECT_EQ(copy("a/x", "d/x"), Behavior::Deny);
}

TEST(PathRule, IsSuggestedForThePathsNeighbours) {
  EXPECT_EQ(neighbours_of("src/a/b.c", kPlace), "src/a/**");
  EXPECT_EQ(neighbours_of("b.c", kPlace), "**");
  EXPECT_EQ(neighbours_of("/srv/x/y", kPlace), "/srv/x/**");
  EXPECT_EQ(neighbours_of("../x/y", kPlace), "/home/u/x/**");
  EXPECT_EQ(neighbours_of("/file", kPlace), "/file");
  EXPECT_EQ(neighbours_of("a[1]/b", kPlace), "a\\[1]/**");
  const auto decision = decide_path(engine(Mode::Default), writes_file(), "a[1]/b");
  EXPECT_EQ(with_rule(allow("write", decision.suggestions.at(0).content), "a[1]/c"),
            Behavior::Allow);
}

}  // namespace
}  // namespace host::permission::test
