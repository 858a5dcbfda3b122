// The skills that come with the host keep to the strict rules.
#include <gtest/gtest.h>

#include <algorithm>

#include "skill/folder_repository.h"
#include "support/places.h"
#include "yaml/tree.h"

namespace host::skill {
namespace {

TEST(ShippedSkills, AreValidByTheStrictRules) {
  FolderRepository repository(places::source().string() + "/skills");
  const Listing listing = repository.list();
  for (const auto& diagnostic : listing.diagnostics) ADD_FAILURE() << diagnostic.describe();
  std::vector<std::string> names;
  for (const auto& skill : listing.skills) {
    names.push_back(skill->name);
    EXPECT_TRUE(is_regular_name(skill->name));
    EXPECT_EQ(skill->name, skill->folder);
    EXPECT_LE(skill->description.size(), 1024u);
    EXPECT_LE(std::count(skill->text.begin(), skill->text.end(), '\n'), 500);
    yaml::Fault error;
    const auto yaml = yaml::parse_tree(skill->front_matter, error);
    ASSERT_TRUE(yaml);
    for (const yaml::Member& member : yaml->map) {
      const std::vector<std::string> known{"name",          "description", "license",
                                           "compatibility", "metadata",    "allowed-tools"};
      EXPECT_NE(std::find(known.begin(), known.end(), member.key.text), known.end())
          << member.key.text;
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"file-invoices", "schedule-across-zones"}));
}

// A skill that points at a file which is not there sends its reader astray.
TEST(ShippedSkills, NameOnlyFilesThatTheyHave) {
  FolderRepository repository(places::source().string() + "/skills");
  int named = 0;
  for (const auto& skill : repository.list().skills) {
    std::size_t at = 0;
    while ((at = skill->text.find("`references/", at)) != std::string::npos) {
      const std::size_t end = skill->text.find('`', at + 1);
      const std::string path = skill->text.substr(at + 1, end - at - 1);
      EXPECT_TRUE(repository.read(*skill, path)) << path;
      ++named;
      at = end;
    }
  }
  EXPECT_GT(named, 0);
}

}  // namespace
}  // namespace host::skill
