#include "skill/link_check.h"

#include "skill/links.h"
#include "support/skill_tree.h"

namespace host::skill {
namespace {

namespace fs = std::filesystem;

std::string told(const std::vector<config::Diagnostic>& diagnostics, const fs::path& root) {
  std::string out;
  for (const auto& one : diagnostics) out += one.headline().substr(root.string().size() + 1) + "\n";
  return out;
}

TEST(Links, HaveTheirTargetsAndPlaces) {
  const auto links = links_of(
      "# See [one](a.md)\n\n- ä ![two](<b c.png>)\n  [three][r] and `[no](code.md)`\n\n"
      "```\n[no](fenced.md)\n```\n\n[four](d\\_e.md)\n<https://example.org>\n\n[r]: f.md "
      "'title'\n");
  ASSERT_EQ(links.size(), 5u);
  const auto at = [](const Link& link) {
    return link.target + ":" + std::to_string(link.line) + ":" + std::to_string(link.column);
  };
  EXPECT_EQ(at(links[0]), "a.md:1:13");
  EXPECT_EQ(at(links[1]), "b c.png:3:13");
  EXPECT_EQ(at(links[2]), "f.md:13:6");
  EXPECT_EQ(at(links[3]), "d_e.md:10:0");
  EXPECT_EQ(at(links[4]), "https://example.org:11:2");
}

TEST(Links, AreBounded) {
  std::string many;
  for (std::size_t i = 0; i < kMaxLinks + 10; ++i) many += "[a](b)\n";
  EXPECT_EQ(links_of(many).size(), kMaxLinks);
}

class LinkCheck : public ::testing::Test {
 protected:
  std::string check(const std::string& body) {
    tree_.write("a/SKILL.md", "---\nname: a\ndescription: '[x](none.md)'\n---\n" + body);
    return told(check_links(tree_.root() / "a"), tree_.root());
  }
  SkillTree tree_;
};

TEST_F(LinkCheck, PassesWhatIsThereAndWhatIsNotTheSkills) {
  tree_.write("a/references/fee table.md",
              "[back](../SKILL.md) [self](#top) [same](fee%20table.md)");
  tree_.write("a/scripts/run.sh", "");
  EXPECT_EQ(
      check("[a](references/fee%20table.md#part) [b](<references/fee table.md>) [c](./scripts)\n"
            "[d](scripts/) [e](scripts/run.sh?x=1) [f](https://example.org/none) [g](#here)\n"
            "[h](mailto:a@example.org) [i](//example.org/x) [j](references/../SKILL.md) [k]()\n"),
      "");
}

TEST_F(LinkCheck, FindsDeadLinksAndThoseThatLeaveWithTheirLines) {
  tree_.write("a/references/b.md", "text\n\n[up](../../other/SKILL.md)\n![x](c.png)\n");
  tree_.write("outside.md", "x");
  tree_.write("a/.hidden.md", "x");
  fs::create_symlink("../outside.md", tree_.root() / "a/link.md");
  EXPECT_EQ(
      check(
          "[a](none.md)\n[b](../outside.md)\r\n[c](/etc/passwd)\n[d](references/../../outside.md)\n"
          "[e](.hidden.md)\n[f](link.md)\n[g](SKILL.md/x)\n[h](%2e%2e/outside.md)\n"),
      "a/SKILL.md:5:5: error[S014]: the link \"none.md\" leads to nothing that is served: none.md "
      "does not exist\n"
      "a/SKILL.md:6:5: error[S015]: the link \"../outside.md\" leads out of the skill's folder\n"
      "a/SKILL.md:7:5: error[S015]: the link \"/etc/passwd\" leads out of the skill's folder\n"
      "a/SKILL.md:8:5: error[S015]: the link \"references/../../outside.md\" leads out of the "
      "skill's folder\n"
      "a/SKILL.md:9:5: error[S014]: the link \".hidden.md\" leads to nothing that is served: "
      ".hidden.md is not valid: hidden files are not served\n"
      "a/SKILL.md:10:5: error[S014]: the link \"link.md\" leads to nothing that is served: link.md "
      "is, or is below, a symbolic link\n"
      "a/SKILL.md:11:5: error[S014]: the link \"SKILL.md/x\" leads to nothing that is served: "
      "SKILL.md/x does not exist\n"
      "a/SKILL.md:12:5: error[S015]: the link \"%2e%2e/outside.md\" leads out of the skill's "
      "folder\n"
      "a/references/b.md:3:6: error[S015]: the link \"../../other/SKILL.md\" leads out of the "
      "skill's folder\n"
      "a/references/b.md:4:6: error[S014]: the link \"c.png\" leads to nothing that is served: "
      "references/c.png does not exist\n");
}

TEST_F(LinkCheck, LooksAtTheLinksOfASkillWhoseFrontMatterIsBroken) {
  tree_.write("a/SKILL.md", "---\nname: [a\n---\n[a](none.md)\n");
  EXPECT_EQ(check_links(tree_.root() / "a").size(), 1u);
  tree_.write("a/SKILL.md", "no front matter\n[a](none.md)\n");
  EXPECT_EQ(check_links(tree_.root() / "a").at(0).line, 2u);
}

}  // namespace
}  // namespace host::skill
