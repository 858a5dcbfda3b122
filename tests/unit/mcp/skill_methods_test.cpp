// The skills extension over the stateless version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "mcp/method/methods.h"
#include "skill/folder_repository.h"
#include "support/session_host.h"
#include "support/skill_tree.h"

namespace host::mcp {
namespace {

using test::LinePeer;
using test::SessionHost;
using ::testing::HasSubstr;

class SkillMethodsTest : public ::testing::Test {
 protected:
  SkillMethodsTest() {
    tree.add("invoices", "Files invoices.", "# How\n");
    tree.write("invoices/references/fields.md", "the fields");
    tree.write("invoices/references/deep/more.md", "more");
    tree.add("payments", "Pays.");
    config::Skills folders;
    folders.dirs = {tree.root()};
    skills =
        std::make_unique<skill::Catalog>(skill::folder_repositories(folders), skill::Options{});
    host = std::make_unique<SessionHost>(nullptr, skills.get());
    peer = std::make_unique<LinePeer>(*host);
  }
  std::string ask(std::string_view method, std::string_view params = "{}") {
    std::string meta = test::modern_meta();
    std::string inside(params.substr(1, params.size() - 2));
    if (inside.empty()) meta.erase(0, 1);
    return peer->say_one(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                         R"(","params":{)" + inside + meta + "}}");
  }
  json::Document result(std::string_view method, std::string_view params = "{}") {
    const std::string answer = ask(method, params);
    auto tree_of = json::parse(answer);
    EXPECT_TRUE(tree_of && json::find(tree_of->root(), "result")) << answer;
    return *std::move(tree_of);
  }
  static std::string text(const json::Document& tree_of, const char* pointer) {
    const json::Value* const at = json::at(tree_of.root(), pointer);
    return at ? std::string(json::text(*at)) : std::string("(nothing)");
  }

  skill::SkillTree tree;
  std::unique_ptr<skill::Catalog> skills;
  std::unique_ptr<SessionHost> host;
  std::unique_ptr<LinePeer> peer;
};

TEST_F(SkillMethodsTest, AreDeclaredWhereTheyAreServed) {
  EXPECT_THAT(ask("server/discover"),
              HasSubstr(R"("io.modelcontextprotocol/skills":{"directoryRead":true})"));
}

TEST_F(SkillMethodsTest, ListEachSkillWithAllItsFilesAndTheirDigests) {
  const auto listed = result("skills/list");
  EXPECT_EQ(text(listed, "/result/skills/0/uri"), "skill://invoices/SKILL.md");
  EXPECT_EQ(text(listed, "/result/skills/0/frontmatter/description"), "Files invoices.");
  EXPECT_EQ(text(listed, "/result/skills/0/resources/2/uri"),
            "skill://invoices/references/fields.md");
  EXPECT_EQ(text(listed, "/result/skills/0/resources/2/digest"),
            "sha256:" + to_hex(sha256("the fields")));
  EXPECT_EQ(json::at(listed.root(), "/result/skills/0/resources/2/size")->GetInt(), 10);
  EXPECT_EQ(json::at(listed.root(), "/result/skills/0/resources")->Size(), 3u);
  EXPECT_EQ(text(listed, "/result/skills/1/uri"), "skill://payments/SKILL.md");
  EXPECT_EQ(text(listed, "/result/resultType"), "complete");
  EXPECT_EQ(text(listed, "/result/cacheScope"), "private");
}

TEST_F(SkillMethodsTest, CallAListDynamicThatCannotBeWhole) {
  tree.write("payments/large.bin", std::string(skill::kMaxFileBytes + 1, 'x'));
  EXPECT_EQ(text(result("skills/list"), "/result/skills/1/resources"), "dynamic");
}

TEST_F(SkillMethodsTest, GiveOneSkillByItsUri) {
  const auto got = result("skills/get", R"({"uri":"skill://invoices/SKILL.md"})");
  EXPECT_EQ(text(got, "/result/skill/frontmatter/name"), "invoices");
  for (const char* uri : {"skill://invoices", "skill://invoices/references/fields.md",
                          "skill://nobody/SKILL.md", "file:///etc/passwd"}) {
    const std::string answer = ask("skills/get", R"({"uri":")" + std::string(uri) + R"("})");
    EXPECT_THAT(answer, HasSubstr("-32602")) << uri;
    EXPECT_THAT(answer, HasSubstr(uri));
  }
  EXPECT_THAT(ask("skills/get"), HasSubstr("-32602"));
}

TEST_F(SkillMethodsTest, ReadFoldersOneLevelAtATime) {
  const auto root = result("resources/directory/read", R"({"uri":"skill://invoices"})");
  EXPECT_EQ(json::at(root.root(), "/result/resources")->Size(), 2u);
  EXPECT_EQ(text(root, "/result/resources/0/name"), "SKILL.md");
  EXPECT_EQ(text(root, "/result/resources/0/mimeType"), "text/markdown");
  EXPECT_EQ(text(root, "/result/resources/1/uri"), "skill://invoices/references");
  EXPECT_EQ(text(root, "/result/resources/1/mimeType"), "inode/directory");
  const auto below = result("resources/directory/read", R"({"uri":"skill://invoices/references"})");
  EXPECT_EQ(text(below, "/result/resources/0/name"), "deep");
  EXPECT_EQ(text(below, "/result/resources/1/uri"), "skill://invoices/references/fields.md");
  for (const char* uri : {"skill://invoices/SKILL.md", "skill://invoices/none", "skill://invoices/",
                          "skill://invoices/..", "skill://nobody"}) {
    EXPECT_THAT(ask("resources/directory/read", R"({"uri":")" + std::string(uri) + R"("})"),
                HasSubstr("-32602"))
        << uri;
  }
}

// They have no word for extensions, so it is an experimental capability of theirs.
TEST_F(SkillMethodsTest, AreExperimentalInVersionsWithSessions) {
  EXPECT_THAT(
      peer->say_one(
          R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
          R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})"),
      HasSubstr(R"("experimental":{"io.modelcontextprotocol/skills":{"directoryRead":true}})"));
  const std::string answer = peer->say_one(R"({"jsonrpc":"2.0","id":1,"method":"skills/list"})");
  EXPECT_THAT(answer, HasSubstr(R"("result":{"skills":[{)"));
  EXPECT_THAT(answer, ::testing::Not(HasSubstr("resultType")));
}

}  // namespace
}  // namespace host::mcp
