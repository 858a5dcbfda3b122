#include "builtin/skill_provider.h"

#include <gtest/gtest.h>

#include "base/text/encoding.h"
#include "json/json.h"
#include "skill/folder_repository.h"
#include "support/skill_tree.h"

namespace host::builtin {
namespace {

class SkillTool : public ::testing::Test {
 protected:
  SkillTool() {
    tree_.add("invoices", "Files invoices.", "# How\n");
    tree_.write("invoices/references/fields.md", "the fields");
  }

  SkillProvider& provider() {
    if (!provider_) {
      config::Skills skills;
      skills.dirs = {tree_.root()};
      catalog_ =
          std::make_unique<skill::Catalog>(skill::folder_repositories(skills), skill::Options{});
      provider_ = std::make_unique<SkillProvider>(*catalog_, 4096, "toolpost 1");
    }
    return *provider_;
  }

  tool::CallResult call(std::string arguments) {
    auto invocation = std::make_shared<tool::Invocation>();
    invocation->arguments = std::move(arguments);
    std::optional<Result<tool::CallResult>> result;
    invocation->set_on_finish(
        [&](Result<tool::CallResult> finished) { result = std::move(finished); });
    provider().start(invocation);
    EXPECT_TRUE(result.has_value()) << "not finished";
    EXPECT_TRUE(result && *result) << "an error in place of a result";
    return result && *result ? **result : tool::CallResult{};
  }

  Result<tool::CallResult> answer(tool::Function function, std::string arguments,
                                  std::string name = {}) {
    auto invocation = std::make_shared<tool::Invocation>();
    invocation->function = function;
    invocation->name = std::move(name);
    invocation->arguments = std::move(arguments);
    Result<tool::CallResult> result = Error{ErrorKind::Internal, "not finished"};
    invocation->set_on_finish(
        [&](Result<tool::CallResult> finished) { result = std::move(finished); });
    provider().start(invocation);
    return result;
  }
  Result<tool::CallResult> read_resource(const std::string& uri) {
    return answer(tool::Function::ReadResource, {}, uri);
  }

  // The blocks of a result as JSON.
  static json::Document blocks(const tool::CallResult& result) {
    auto parsed = json::parse("[" + result.content + "]");
    EXPECT_TRUE(parsed) << result.content;
    return parsed ? *std::move(parsed) : json::Document();
  }
  static std::string text(const tool::CallResult& result) {
    const json::Document document = blocks(result);
    std::string out;
    for (const auto& block : document.root().GetArray()) out += json::find_text(block, "text");
    return out;
  }

  skill::SkillTree tree_;
  std::unique_ptr<skill::Catalog> catalog_;
  std::unique_ptr<SkillProvider> provider_;
};

TEST_F(SkillTool, GivesTheWholeMarkdownAndTheListOfFiles) {
  const auto result = call(R"({"skill":"invoices"})");
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(
      text(result),
      "---\nname: invoices\ndescription: Files invoices.\n---\n# How\n"
      "Files of this skill, each to be read with its `path`:\n- references/fields.md (10 bytes)\n");
}

TEST_F(SkillTool, GivesOneFile) {
  EXPECT_EQ(text(call(R"({"skill":"invoices","path":"references/fields.md"})")), "the fields");
  EXPECT_EQ(text(call(R"({"skill":"invoices","path":"SKILL.md"})")),
            "---\nname: invoices\ndescription: Files invoices.\n---\n# How\n");
}

// Case 52.
TEST_F(SkillTool, GivesWhatIsNoTextAsABlob) {
  const std::string bytes("\x89PNG\0\xff", 6);
  tree_.write("invoices/assets/a b.png", bytes);
  const auto document = blocks(call(R"({"skill":"invoices","path":"assets/a b.png"})"));
  const json::Value* resource = json::at(document.root(), "/0/resource");
  ASSERT_NE(resource, nullptr);
  EXPECT_EQ(json::find_text(document.root()[0], "type"), "resource");
  EXPECT_EQ(json::find_text(*resource, "uri"), "skill://invoices/assets/a%20b.png");
  EXPECT_EQ(json::find_text(*resource, "mimeType"), "image/png");
  EXPECT_EQ(from_base64(json::find_text(*resource, "blob")), bytes);
}

// Case 52.
TEST_F(SkillTool, AnswersAnUnknownSkillWithWhatThereIs) {
  const auto result = call(R"({"skill":"invoice"})");
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(text(result),
            "There is no skill \"invoice\". Did you mean \"invoices\"? There is:\n- invoices: "
            "Files invoices.\n");
}

// Case 52.
TEST_F(SkillTool, AnswersABadPathWithTheFilesThereAre) {
  tree_.write("secret", "top secret");
  std::filesystem::create_symlink("../secret", tree_.root() / "invoices/link");
  for (const char* path : {"../secret", "/etc/passwd", ".", "..", "missing.md", "link",
                           "references", "references/../../secret"}) {
    const auto result = call(R"({"skill":"invoices","path":")" + std::string(path) + R"("})");
    EXPECT_TRUE(result.is_error) << path;
    const std::string answer = text(result);
    EXPECT_TRUE(
        answer.ends_with(" Its files are:\n- SKILL.md\n- references/fields.md (10 bytes)\n"))
        << answer;
    EXPECT_EQ(answer.find("top secret"), std::string::npos);
  }
}

TEST_F(SkillTool, RefusesAFileThatIsTooLarge) {
  tree_.write("invoices/big.txt", std::string(skill::kMaxFileBytes + 1, 'x'));
  const auto result = call(R"({"skill":"invoices","path":"big.txt"})");
  EXPECT_TRUE(result.is_error);
  EXPECT_NE(text(result).find("is larger than 1048576 bytes"), std::string::npos);
}

TEST_F(SkillTool, ShowsAnEditAtTheNextCall) {
  call(R"({"skill":"invoices"})");
  tree_.add("invoices", "Files invoices.", "# Otherwise\n");
  EXPECT_NE(text(call(R"({"skill":"invoices"})")).find("# Otherwise"), std::string::npos);
}

TEST_F(SkillTool, IsDeclaredAsReadingAndListsTheSkills) {
  ASSERT_EQ(provider().tools().size(), 1u);
  const tool::Tool& tool = *provider().tools()[0];
  EXPECT_EQ(tool.name(), "Skill");
  EXPECT_TRUE(tool.declared().read_only);
  EXPECT_TRUE(tool.declared().concurrency_safe);
  EXPECT_NE(tool.declared().description.find("not tools to be called"), std::string::npos);
  EXPECT_NE(tool.declared().description.find("\n- invoices: Files invoices.\n"), std::string::npos);
  EXPECT_TRUE(tool.requires_argument("skill"));
  EXPECT_FALSE(tool.requires_argument("path"));
}

TEST_F(SkillTool, OffersEachSkillAsAResourceAndAPrompt) {
  tree_.add("payments", "Pays.");
  const tool::Offer& offer = provider().offer();
  ASSERT_EQ(offer.resources.size(), 2u);
  EXPECT_EQ(offer.resources[1].uri, "skill://payments/SKILL.md");
  EXPECT_EQ(offer.resources[1].name, "payments");
  EXPECT_EQ(offer.resources[1].description, "Pays.");
  ASSERT_EQ(offer.prompts.size(), 2u);
  EXPECT_EQ(offer.prompts[0].name, "invoices");
  EXPECT_EQ(offer.templates.size(), 1u);
}

TEST_F(SkillTool, ReadsItsFilesAsResources) {
  tree_.write("invoices/logo.png", std::string("\x89PNG\0", 5));
  const auto main = read_resource("skill://invoices/SKILL.md");
  ASSERT_TRUE(main) << main.error().message;
  const auto tree = json::parse(main->structured);
  EXPECT_EQ(json::text(*json::at(tree->root(), "/contents/0/uri")), "skill://invoices/SKILL.md");
  EXPECT_EQ(json::text(*json::at(tree->root(), "/contents/0/mimeType")), "text/markdown");
  EXPECT_EQ(json::text(*json::at(tree->root(), "/contents/0/text")),
            catalog_->find("invoices")->text);
  EXPECT_EQ(read_resource("skill://invoices/references/fields.md")->structured,
            R"({"contents":[{"uri":"skill://invoices/references/fields.md",)"
            R"("mimeType":"text/markdown","text":"the fields"}]})");
  EXPECT_EQ(read_resource("skill://invoices/logo.png")->structured,
            R"({"contents":[{"uri":"skill://invoices/logo.png","mimeType":"image/png",)"
            R"("blob":"iVBORwA="}]})");
}

TEST_F(SkillTool, ReadsNoResourceThatIsNoFileOfASkill) {
  tree_.write("secret", "top secret");
  for (const char* uri : {"skill://invoices", "skill://invoices/", "skill://invoices/references",
                          "skill://invoices/missing.md", "skill://invoices/../secret",
                          "skill://invoices/%2E%2E/secret", "skill://invoices/..%2Fsecret",
                          "skill://other/SKILL.md", "file:///etc/passwd", ""}) {
    const auto read = read_resource(uri);
    ASSERT_FALSE(read) << uri;
    EXPECT_EQ(read.error().kind, ErrorKind::NotFound) << uri;
  }
}

TEST_F(SkillTool, GivesASkillAsAPromptWithItsFiles) {
  const auto prompt = answer(tool::Function::GetPrompt, R"({"name":"invoices","arguments":{}})");
  ASSERT_TRUE(prompt);
  const auto tree = json::parse(prompt->structured);
  EXPECT_EQ(json::find_text(tree->root(), "description"), "Files invoices.");
  EXPECT_EQ(json::text(*json::at(tree->root(), "/messages/0/role")), "user");
  EXPECT_EQ(json::text(*json::at(tree->root(), "/messages/0/content/text")),
            catalog_->find("invoices")->text);
  EXPECT_NE(json::text(*json::at(tree->root(), "/messages/1/content/text")).find("fields.md"),
            std::string_view::npos);
  EXPECT_EQ(answer(tool::Function::GetPrompt, R"({"name":"other"})").error().kind,
            ErrorKind::NotFound);
}

TEST_F(SkillTool, TellsWhichSkillWasEdited) {
  tree_.add("payments", "Pays.");
  std::vector<std::string> told;
  provider().on_update([&](const std::string& uri) { told.push_back(uri); });
  tree_.add("invoices", "Files invoices.", "other body");
  catalog_->state();
  EXPECT_EQ(told, std::vector<std::string>{"skill://invoices/SKILL.md"});
  tree_.add("late", "New.");
  std::filesystem::remove_all(tree_.root() / "payments");
  catalog_->state();
  EXPECT_EQ(told.size(), 1u);  // what came or went is another list, no edit
}

TEST_F(SkillTool, IsAbsentWhileThereIsNoSkillAndTellsWhenThatChanges) {
  std::filesystem::remove_all(tree_.root() / "invoices");
  EXPECT_TRUE(provider().tools().empty());
  int told = 0;
  provider().on_change([&] { ++told; });
  tree_.add("late");
  catalog_->state();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(provider().tools().size(), 1u);
  tree_.add("late", "Does things.", "other body");  // lists nothing new
  catalog_->state();
  EXPECT_EQ(told, 1);
  std::filesystem::remove_all(tree_.root() / "late");
  catalog_->state();
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(provider().tools().empty());
  EXPECT_EQ(text(call(R"({"skill":"late"})")),
            "There is no skill \"late\". There is none at all now.");
}

}  // namespace
}  // namespace host::builtin
