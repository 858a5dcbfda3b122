#include "tool/provider/catalog.h"

#include <gtest/gtest.h>

#include "support/fake_provider.h"

namespace host::tool {
namespace {

using test::declaration;
using test::FakeProvider;

std::shared_ptr<FakeProvider> serving(std::initializer_list<const char*> names,
                                      const char* text = "ok") {
  auto provider = std::make_shared<FakeProvider>();
  for (const char* name : names) provider->add_answering(declaration(name), text);
  return provider;
}

TEST(Catalog, ServesWhatProvidersOfferInNameOrder) {
  Catalog catalog;
  catalog.set("a", serving({"zeta", "beta"}));
  catalog.set("b", serving({"alpha"}));
  std::vector<std::string> names;
  for (const Entry& entry : catalog.snapshot()->entries()) names.push_back(entry.tool->name());
  EXPECT_EQ(names, (std::vector<std::string>{"alpha", "beta", "zeta"}));
  EXPECT_NE(catalog.snapshot()->find("beta"), nullptr);
  EXPECT_EQ(catalog.snapshot()->find("gamma"), nullptr);
}

TEST(Catalog, RefusesANameThatIsTakenAndKeepsTheFirst) {
  Catalog catalog;
  const auto first = serving({"echo"});
  EXPECT_TRUE(catalog.set("a", first).empty());
  const auto refusals = catalog.set("b", serving({"echo", "other"}));
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].tool, "echo");
  EXPECT_NE(refusals[0].reason.find("\"a\""), std::string::npos);
  EXPECT_EQ(catalog.snapshot()->find("echo")->provider, first);
  EXPECT_NE(catalog.snapshot()->find("other"), nullptr);
}

TEST(Catalog, ToolsWithTheSameTextsAreNoChangeOfTheLists) {
  Catalog catalog;
  const auto first = serving({"one", "two"});
  catalog.set("a", first);
  int changes = 0;
  catalog.on_change([&changes](const Changes&) { ++changes; });
  catalog.set("a", first);
  catalog.set("a", serving({"one", "two"}));
  EXPECT_EQ(changes, 0);
  catalog.set("a", serving({"one"}));
  EXPECT_EQ(changes, 1);
}

TEST(Catalog, AToolWithAnotherTextIsAChangeOfTheLists) {
  const auto described = [](const char* text) {
    auto provider = std::make_shared<FakeProvider>();
    Declaration one = declaration("one");
    one.description = text;
    provider->add_answering(one, "ok");
    return provider;
  };
  Catalog catalog;
  catalog.set("a", described("before"));
  catalog.set("b", serving({"two"}));
  int changes = 0;
  catalog.on_change([&changes](const Changes& what) { changes += what.tools ? 1 : 0; });
  catalog.set("a", described("before"));
  EXPECT_EQ(changes, 0);
  catalog.set("a", described("after"));
  EXPECT_EQ(changes, 1);
}

TEST(Catalog, ChangesOfSeveralSlotsAreOnePublicationAndEachIsToldItsRefusals) {
  Catalog catalog;
  int publications = 0;
  catalog.on_publish([&publications] { ++publications; });
  const auto refusals = catalog.set_all({{"a", serving({"one"})},
                                         {"b", serving({"two"})},
                                         {"c", serving({"one", "three"})},
                                         {"d", serving({"three", "two"})}});
  EXPECT_EQ(publications, 1);
  ASSERT_EQ(refusals.size(), 4u);
  EXPECT_TRUE(refusals[0].empty());
  EXPECT_TRUE(refusals[1].empty());
  ASSERT_EQ(refusals[2].size(), 1u);
  EXPECT_EQ(refusals[2][0].tool, "one");
  EXPECT_EQ(refusals[3].size(), 2u);
  EXPECT_EQ(catalog.snapshot()->entries().size(), 3u);
}

TEST(Catalog, KeepsTheHostsOwnNamesFromPluginsWhetherItOffersThemOrNot) {
  Catalog catalog;
  const auto refusals = catalog.set("plugin:p", serving({"Skill", "other"}));
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].tool, "Skill");
  EXPECT_EQ(catalog.snapshot()->find("Skill"), nullptr);
  EXPECT_NE(catalog.snapshot()->find("other"), nullptr);
  const auto own = std::make_shared<FakeProvider>("builtin", FakeProvider::Kind::Host);
  own->add_answering(declaration("Skill"), "ok");
  EXPECT_TRUE(catalog.set("builtin", own).empty());
  EXPECT_EQ(catalog.snapshot()->find("Skill")->provider, own);
}

TEST(Catalog, GivesAFreedNameToWhoWasRefusedIt) {
  Catalog catalog;
  catalog.set("a", serving({"echo"}));
  const auto second = serving({"echo"});
  catalog.set("b", second);
  catalog.set("a", nullptr);
  EXPECT_EQ(catalog.snapshot()->find("echo")->provider, second);
}

std::shared_ptr<FakeProvider> plugin(std::string name, std::initializer_list<const char*> names) {
  auto provider = std::make_shared<FakeProvider>(std::move(name));
  for (const char* tool : names) provider->add_answering(declaration(tool), "ok");
  return provider;
}

TEST(Catalog, ANewBuildTakesNoNameFromAnotherProviderThatServesIt) {
  Catalog catalog;
  catalog.set("early", plugin("early", {"other"}));
  const auto serves = plugin("late", {"greet"});
  catalog.set("late", serves);
  const auto refusals = catalog.set("early", plugin("early", {"other", "greet"}));
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].tool, "greet");
  EXPECT_NE(refusals[0].reason.find("\"late\""), std::string::npos) << refusals[0].reason;
  EXPECT_EQ(catalog.snapshot()->find("greet")->provider, serves);
  const auto again = plugin("late", {"greet"});  // a new build of its own keeps it
  EXPECT_TRUE(catalog.set("late", again).empty());
  EXPECT_EQ(catalog.snapshot()->find("greet")->provider, again);
  catalog.set("late", plugin("late", {"something_else"}));  // and one without it gives it away
  EXPECT_EQ(catalog.snapshot()->find("greet")->provider->name(), "early");
}

TEST(Catalog, ServesANameOfOneProviderOnce) {
  Catalog catalog;
  catalog.set("a", serving({"echo", "other", "echo"}));
  EXPECT_EQ(catalog.snapshot()->entries().size(), 2u);
}

TEST(Catalog, LeavesAnOldSnapshotAsItWas) {
  Catalog catalog;
  catalog.set("a", serving({"echo"}));
  const auto before = catalog.snapshot();
  catalog.set("a", nullptr);
  EXPECT_NE(before->find("echo"), nullptr);
  EXPECT_EQ(catalog.snapshot()->find("echo"), nullptr);
}

TEST(Catalog, TellsAChangeOfTheListAndNotAMereReload) {
  Catalog catalog;
  int changes = 0;
  catalog.on_change([&](const Changes& told) {
    EXPECT_TRUE(told.tools && !told.resources && !told.prompts);
    ++changes;
  });
  catalog.set("a", serving({"echo"}));
  EXPECT_EQ(changes, 1);
  catalog.set("a", serving({"echo"}, "new code"));
  EXPECT_EQ(changes, 1);
  catalog.set("a", serving({"echo", "more"}));
  EXPECT_EQ(changes, 2);
}

TEST(Snapshot, FindsThePostToolsOfAnActionByNameAndByTheirOwnList) {
  Catalog catalog;
  auto provider = serving({"pay", "pre_pay", "post_pay", "ship"});
  Declaration audit = declaration("post_audit");
  audit.after = {"pay", "ship"};
  provider->add_answering(audit, "ok");
  catalog.set("a", provider);
  const auto names_after = [&](std::string_view action) {
    std::vector<std::string> names;
    for (const Entry* entry : catalog.snapshot()->after(action))
      names.push_back(entry->tool->name());
    return names;
  };
  EXPECT_EQ(names_after("pay"), (std::vector<std::string>{"post_audit", "post_pay"}));
  EXPECT_EQ(names_after("pre_pay"), std::vector<std::string>{"post_pay"});
  EXPECT_EQ(names_after("ship"), std::vector<std::string>{"post_audit"});
  EXPECT_TRUE(names_after("other").empty());
}

}  // namespace
}  // namespace host::tool
