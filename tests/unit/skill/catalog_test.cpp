#include "skill/catalog.h"

#include <boost/asio/io_context.hpp>

#include <chrono>

#include "skill/folder_repository.h"
#include "support/cpu_time.h"
#include "support/skill_tree.h"

namespace host::skill {
namespace {

namespace fs = std::filesystem;

class SkillCatalog : public ::testing::Test {
 protected:
  std::unique_ptr<Catalog> open(Options options = {}, Live live = Live::Yes) {
    config::Skills skills;
    skills.dirs = {low_.root(), high_.root()};
    repositories_ = std::make_shared<Repositories>(folder_repositories(skills), live);
    return std::make_unique<Catalog>(repositories_, std::move(options));
  }
  // A folder of a plugin with one skill.
  static PluginFolder shipped_with(const SkillTree& tree, std::vector<std::string> plugins) {
    return {tree.root() / "skills", std::move(plugins)};
  }
  static std::string names(Catalog& catalog) {
    std::string out;
    for (const auto& skill : catalog.state().skills) out += skill->name + " ";
    return out;
  }
  SkillTree low_;
  SkillTree high_;
  SkillTree plugins_;
  std::shared_ptr<Repositories> repositories_;
};

// Case 54.
TEST_F(SkillCatalog, LetsTheLaterFolderWinAndTellsWhatIsShadowed) {
  low_.add("a", "low");
  low_.add("b", "low");
  high_.add("a", "high");
  const auto catalog = open();
  EXPECT_EQ(names(*catalog), "a b ");
  EXPECT_EQ(catalog->find("a")->description, "high");
  EXPECT_EQ(catalog->find("b")->description, "low");
  EXPECT_EQ(catalog->find("c"), nullptr);
  ASSERT_EQ(catalog->state().shadowed.size(), 1u);
  EXPECT_EQ(catalog->state().shadowed[0].skill->source, low_.root());
  EXPECT_EQ(catalog->state().shadowed[0].by->source, high_.root());
}

TEST_F(SkillCatalog, AFolderDoesNotTakeTheNameOfASkillWhoseFolderHasIt) {
  low_.add("alpha", "the skill");
  low_.write("zzz/SKILL.md", "---\nname: alpha\ndescription: in its place\n---\nDo.\n");
  const auto catalog = open();
  EXPECT_EQ(names(*catalog), "alpha ");
  EXPECT_EQ(catalog->find("alpha")->description, "the skill");
  ASSERT_EQ(catalog->state().shadowed.size(), 1u);
  EXPECT_EQ(catalog->state().shadowed[0].skill->folder, "zzz");
  EXPECT_EQ(catalog->state().shadowed[0].by->folder, "alpha");
}

// Case 54.
TEST_F(SkillCatalog, ShowsAnEditAtTheVeryNextRead) {
  low_.add("a", "first", "one\n");
  const auto catalog = open();
  for (int i = 0; i < 50; ++i) {  // faster than file times advance, and of one length
    const std::string word = "w" + std::to_string(10 + i);
    low_.add("a", word, word);
    EXPECT_EQ(catalog->find("a")->description, word);
    EXPECT_TRUE(catalog->find("a")->text.ends_with(word));
  }
}

// Case 54.
TEST_F(SkillCatalog, FollowsSkillsThatComeAndGo) {
  const auto catalog = open();
  EXPECT_EQ(names(*catalog), "");
  fs::create_directories(low_.root() / "late");
  EXPECT_EQ(names(*catalog), "");
  low_.add("late");
  EXPECT_EQ(names(*catalog), "late ");
  high_.add("late", "high");
  EXPECT_EQ(catalog->find("late")->description, "high");
  fs::remove_all(high_.root() / "late");
  EXPECT_EQ(catalog->find("late")->description, "Does things.");
  fs::rename(low_.root() / "late/SKILL.md", low_.root() / "late/other.md");
  EXPECT_EQ(names(*catalog), "");
  fs::rename(low_.root() / "late/other.md", low_.root() / "late/SKILL.md");
  EXPECT_EQ(names(*catalog), "late ");
  fs::remove_all(low_.root());
  EXPECT_EQ(names(*catalog), "");
  low_.add("again");
  EXPECT_EQ(names(*catalog), "again ");
}

TEST_F(SkillCatalog, ServesTheLastValidTextOfASkillThatBreaksAndSaysSo) {
  low_.add("a", "first");
  low_.add("b");
  const auto catalog = open();
  for (const char* broken : {"", "---\nname: a\n", "---\nname: ../a\ndescription: d\n---\nb\n"}) {
    low_.write("a/SKILL.md", broken);
    EXPECT_EQ(names(*catalog), "a b ");
    EXPECT_EQ(catalog->find("a")->description, "first");
    ASSERT_EQ(catalog->state().diagnostics.size(), 2u) << broken;
    EXPECT_EQ(catalog->state().diagnostics[0].severity, config::Severity::Error);
    EXPECT_EQ(catalog->state().diagnostics[1].code, "S013");
  }
  low_.add("a", "second");
  EXPECT_EQ(catalog->find("a")->description, "second");
  EXPECT_TRUE(catalog->state().diagnostics.empty());
  low_.write("a/SKILL.md", "");
  EXPECT_EQ(catalog->find("a")->description, "second");
  fs::remove(low_.root() / "a/SKILL.md");
  EXPECT_EQ(names(*catalog), "b ");
  low_.write("a/SKILL.md", "");  // of a skill that was withdrawn nothing is kept
  EXPECT_EQ(names(*catalog), "b ");
}

TEST_F(SkillCatalog, HidesTheFaultsOfHiddenSkillsWhateverTheirFolderIs) {
  const std::string named = "---\nname: payroll\ndescription: d\n---\n";
  low_.write("p1/SKILL.md", named + "body\n");
  low_.write("p2/SKILL.md", named);  // never valid, but has a name
  low_.write("open/SKILL.md", "");
  const auto shown = open({.hidden = {"payroll"}, .all_faults = false});
  const auto all = open();
  const auto faults = [](Catalog& catalog) {
    std::string out;
    for (const config::Diagnostic& fault : catalog.state().diagnostics)
      out += fs::path(fault.file).parent_path().filename().string() + " ";
    return out;
  };
  EXPECT_EQ(faults(*shown), "open ");
  low_.write("p1/SKILL.md", "");
  EXPECT_EQ(faults(*shown), "open ");
  low_.write("p1/SKILL.md", "---\nname: other\n");
  EXPECT_EQ(faults(*shown), "open ");
  EXPECT_EQ(names(*all), "payroll ");
  EXPECT_NE(faults(*all).find("p1 "), std::string::npos);
  EXPECT_NE(faults(*all).find("p2 "), std::string::npos);
}

TEST_F(SkillCatalog, DoesNotTakeASkillFromAFileThatWasNeverValid) {
  low_.write("a/SKILL.md", "---\nname: a\n");
  low_.add("b");
  const auto catalog = open();
  EXPECT_EQ(names(*catalog), "b ");
  EXPECT_EQ(catalog->state().diagnostics.at(0).code, "S003");
  low_.add("a");
  EXPECT_EQ(names(*catalog), "a b ");
  EXPECT_TRUE(catalog->state().diagnostics.empty());
}

TEST_F(SkillCatalog, StaysAsItWasWhereFrozen) {
  low_.add("a", "first");
  const auto catalog = open({}, Live::No);
  low_.add("a", "second");
  low_.add("b");
  EXPECT_EQ(names(*catalog), "a ");
  EXPECT_EQ(catalog->find("a")->description, "first");
}

TEST_F(SkillCatalog, HidesNames) {
  low_.add("a");
  low_.add("b");
  const auto catalog = open({.hidden = {"a"}});
  EXPECT_EQ(names(*catalog), "b ");
  EXPECT_EQ(catalog->find("a"), nullptr);
}

TEST_F(SkillCatalog, TellsListenersOnceForEachChangeAndOnlyOfChanges) {
  low_.add("a");
  const auto catalog = open();
  int told = 0;
  catalog->on_change([&] {
    ++told;
    catalog->state();  // a listener may look
  });
  catalog->state();
  EXPECT_EQ(told, 0);
  low_.write("a/references/x.md", "x");
  catalog->state();
  EXPECT_EQ(told, 0);
  low_.add("a", "edited");
  catalog->state();
  catalog->state();
  EXPECT_EQ(told, 1);
}

TEST_F(SkillCatalog, TellsListenersOfEditsThatNobodyAskedFor) {
  low_.add("a");
  const auto catalog = open();
  boost::asio::io_context io;
  catalog->on_change([&] { repositories_->stop_watching(); });
  repositories_->watch(io.get_executor());
  low_.add("a", "edited");
  const auto start = std::chrono::steady_clock::now();
  io.run();  // until the listener was told
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST_F(SkillCatalog, MayGoAwayWhileItIsWatching) {
  boost::asio::io_context io;
  auto catalog = open();
  repositories_->watch(io.get_executor());
  low_.add("a");
  catalog.reset();
  repositories_.reset();
  io.run();
}

// A plugin comes with skills, but cannot replace those of the operator.
TEST_F(SkillCatalog, ReadsSkillsOfPluginsBelowThoseOfTheOperator) {
  low_.add("a", "of the operator");
  plugins_.add("skills/a", "of the plugin");
  plugins_.add("skills/b", "of the plugin");
  const auto catalog = open();
  int told = 0;
  catalog->on_change([&] { ++told; });
  EXPECT_EQ(names(*catalog), "a ");
  repositories_->set_plugin_folders({shipped_with(plugins_, {"clock"})});
  EXPECT_EQ(told, 1);
  EXPECT_EQ(names(*catalog), "a b ");
  EXPECT_EQ(catalog->find("a")->description, "of the operator");
  ASSERT_EQ(catalog->state().shadowed.size(), 1u);
  EXPECT_EQ(catalog->state().shadowed[0].skill->source, plugins_.root() / "skills");
  ASSERT_EQ(catalog->state().sources.size(), 3u);
  EXPECT_EQ(catalog->state().sources[0].plugins, std::vector<std::string>{"clock"});
  EXPECT_EQ(catalog->state().sources[0].skills, 2u);
  plugins_.add("skills/c");
  EXPECT_EQ(names(*catalog), "a b c ");
  const auto held = catalog->find("b");
  repositories_->set_plugin_folders({});
  EXPECT_EQ(names(*catalog), "a ");
  EXPECT_EQ(catalog->read(*held, "SKILL.md").error().kind, ErrorKind::NotFound);
}

TEST_F(SkillCatalog, KeepsAnEditedSkillOfAPluginWhileOtherPluginsComeAndGo) {
  plugins_.add("skills/b");
  const auto catalog = open();
  repositories_->set_plugin_folders({shipped_with(plugins_, {"clock"})});
  EXPECT_EQ(names(*catalog), "b ");
  plugins_.write("skills/b/SKILL.md", "");  // broken: only the repository knows the last valid text
  repositories_->set_plugin_folders({shipped_with(plugins_, {"clock", "hello"})});
  EXPECT_EQ(names(*catalog), "b ");
  EXPECT_EQ(catalog->state().sources[0].plugins.size(), 2u);
}

TEST_F(SkillCatalog, ReadsAFolderOfAPluginOnceIfTheOperatorConfiguredIt) {
  plugins_.add("a", "shared");
  config::Skills skills;
  skills.dirs = {plugins_.root()};
  repositories_ = std::make_shared<Repositories>(folder_repositories(skills));
  Catalog catalog(repositories_, {});
  repositories_->set_plugin_folders({{plugins_.root(), {"clock"}}});
  EXPECT_EQ(catalog.state().sources.size(), 1u);
  EXPECT_TRUE(catalog.state().shadowed.empty());
}

TEST_F(SkillCatalog, ReadsNoFolderOfAPluginThatOthersCanWriteOrThatIsALink) {
  plugins_.add("skills/b");
  plugins_.add("elsewhere/c");
  fs::create_directory_symlink(plugins_.root() / "elsewhere", plugins_.root() / "link");
  const auto catalog = open();
  const fs::path folder = plugins_.root() / "skills";
  fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
  repositories_->set_plugin_folders(
      {{plugins_.root() / "link", {"hello"}}, shipped_with(plugins_, {"clock"})});
  EXPECT_EQ(names(*catalog), "");
  ASSERT_EQ(catalog->state().diagnostics.size(), 2u);
  EXPECT_NE(catalog->state().diagnostics[0].message.find("symbolic link"), std::string::npos);
  EXPECT_NE(catalog->state().diagnostics[1].message.find("written by other users"),
            std::string::npos);
  fs::permissions(folder, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(names(*catalog), "b ");
  for (const fs::path& part : {folder / "b", folder / "b/SKILL.md"}) {
    fs::permissions(part, fs::perms::group_write, fs::perm_options::add);
    EXPECT_EQ(names(*catalog), "") << part;
    fs::permissions(part, fs::perms::group_write, fs::perm_options::remove);
    EXPECT_EQ(names(*catalog), "b ") << part;
  }
}

TEST_F(SkillCatalog, ShowsEachAgentTheRepositoriesThatItChooses) {
  low_.add("a", "low");
  high_.add("a", "high");
  high_.add("c");
  plugins_.add("skills/b");
  const auto all = open();
  repositories_->set_plugin_folders({shipped_with(plugins_, {"clock"})});
  const auto reading = [](std::set<std::string, std::less<>> repositories) {
    Options options;
    options.repositories = std::move(repositories);
    return options;
  };
  Catalog low(repositories_, reading({low_.root().string()}));
  EXPECT_EQ(names(low), "a ");
  EXPECT_EQ(low.find("a")->description, "low");  // nothing that it does not read shadows it
  EXPECT_TRUE(low.state().shadowed.empty());
  Catalog of_plugin(repositories_, reading({repository_of_plugin("clock")}));
  EXPECT_EQ(names(of_plugin), "b ");
  Catalog none(repositories_, reading({}));
  EXPECT_EQ(names(none), "");
  Options of_hello;
  of_hello.plugins = std::set<std::string>{"hello"};
  Catalog without_clock(repositories_, of_hello);
  EXPECT_EQ(names(without_clock), "a c ");
  EXPECT_EQ(names(*all), "a b c ");
}

TEST_F(SkillCatalog, WithdrawsAndServesSkillsOfPluginsAlsoWhereFrozen) {
  plugins_.add("skills/b", "first");
  const auto catalog = open({}, Live::No);
  repositories_->set_plugin_folders({shipped_with(plugins_, {"clock"})});
  EXPECT_EQ(names(*catalog), "b ");
  plugins_.add("skills/b", "second");
  EXPECT_EQ(catalog->find("b")->description, "first");
  repositories_->set_plugin_folders({});
  EXPECT_EQ(names(*catalog), "");
}

TEST_F(SkillCatalog, TellsOfEditsInFoldersOfPluginsThatNobodyAskedFor) {
  plugins_.add("skills/b");
  const auto catalog = open();
  boost::asio::io_context io;
  repositories_->watch(io.get_executor());
  repositories_->set_plugin_folders({shipped_with(plugins_, {"clock"})});
  catalog->on_change([&] { repositories_->stop_watching(); });
  plugins_.add("skills/b", "edited");
  const auto start = std::chrono::steady_clock::now();
  io.run();  // until the listener was told
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST_F(SkillCatalog, CostsLittleWhileNothingChanges) {
  for (int i = 0; i < 200; ++i) low_.add("s" + std::to_string(i));
  const auto catalog = open();
  catalog->state();
  const test::CpuTime cpu;
  for (int i = 0; i < 1000; ++i) catalog->find("s7");
  EXPECT_LT(cpu.taken(), std::chrono::seconds(5));
}

}  // namespace
}  // namespace host::skill
