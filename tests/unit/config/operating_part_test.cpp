#include "config/reader/operating_part.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "loading.h"

namespace host::config {
namespace {

Loaded part_of(const std::string& text, std::vector<const char*> variables = {}) {
  variables.insert(variables.begin(), "HOME=/home/ada");
  variables.push_back(nullptr);
  return operating_part_of(text, "/etc/toolpost/config.toml", variables.data());
}

constexpr const char* kStore =
    "[store]\nfile = \"/s/t.db\"\n[audit]\nfile = \"/s/a.jsonl\"\n[approval]\nexpire_s = 7\n";

std::string with_store(const std::string& more) {
  return kStore + more;
}

TEST(OperatingPart, IsTheWholeOfAFileWithoutFaults) {
  const Loaded loaded = part_of(with_store("[[rule]]\ntool = \"t\"\nbehavior = \"deny\"\n"));
  EXPECT_EQ(good(loaded).permission.rules.size(), 1u);
  EXPECT_TRUE(loaded.diagnostics.empty());
}

TEST(OperatingPart, IsReadFromAFileWithFaultsInOtherSections) {
  for (const char* const fault : {
           "[[rule]]\ntool = \"t\"\nbehavior = \"deny\"\nbogus = 1\n",
           "[[rule]]\ntool = \"t\"\nbehavior = \"denny\"\n",
           "[limits]\nbody_bytes = \"many\"\n",
           "[[upstreem]]\nid = \"u\"\n",
           "[log]\nlevle = \"info\"\n",
           "[permission]\nmode = \"bypas\"\n",
       }) {
    const Loaded loaded = part_of(with_store(fault));
    ASSERT_TRUE(loaded.config) << fault << told(loaded);
    EXPECT_EQ(loaded.diagnostics.size(), 1u) << told(loaded);
    EXPECT_EQ(loaded.config->store.file, "/s/t.db");
    EXPECT_EQ(loaded.config->audit.file, "/s/a.jsonl");
    EXPECT_EQ(loaded.config->approval.expire, std::chrono::seconds(7));
    EXPECT_EQ(loaded.config->file, "/etc/toolpost/config.toml");
    EXPECT_TRUE(loaded.config->permission.rules.empty());
  }
}

TEST(OperatingPart, IsNotReadIfASectionOfItHasAFault) {
  for (const char* const text : {
           "[store]\nfil = \"/s/t.db\"\n",
           "[store]\nfile = 3\n",
           "[audit]\nrequired = \"yes\"\n",
           "[server]\nlisten = \"nowhere\"\n",
           "[plugins]\ndirs = 1\n",
           "store = \"/s/t.db\"\n",
           "[[store]]\nfile = \"/s/t.db\"\n",
           "[audit]\nfile = \"\"\nrequired = true\n",
       }) {
    const Loaded loaded = part_of(text);
    EXPECT_FALSE(loaded.config) << text;
    EXPECT_FALSE(loaded.diagnostics.empty()) << text;
  }
}

// Otherwise a command would open the default store, which can be that of another host.
TEST(OperatingPart, IsNotReadIfAnUnknownNameCanMeanAKeyOfIt) {
  for (const char* const text : {
           "[stroe]\nfile = \"/s/t.db\"\n",
           "[database]\nfile = \"/s/t.db\"\n",
           "[stroe]\nfiel = \"/s/t.db\"\n",
           "[log]\nlevel = \"info\"\nfile = \"/s/t.db\"\n",
           "[[rule]]\ntool = \"t\"\nbehavior = \"deny\"\nfile = \"/s/t.db\"\n",
           "file = \"/s/t.db\"\n",
           "[host.store]\nfile = \"/s/t.db\"\n",
           "[host]\nstore = {file = \"/s/t.db\"}\n",
           "[aproval]\nexpire_s = 5\n",
           "[[stroe]]\nfile = \"/s/t.db\"\n",
       }) {
    const Loaded loaded = part_of(text);
    EXPECT_FALSE(loaded.config) << text;
    EXPECT_FALSE(loaded.diagnostics.empty()) << text;
  }
}

TEST(OperatingPart, IsReadIfTheFileSetsTheKeyThatAnUnknownNameResembles) {
  const Loaded loaded = part_of(
      "[store]\nfile = \"/s/t.db\"\n[audit]\nfile = \"/s/a.jsonl\"\n[log]\nfile = \"/l\"\n");
  ASSERT_TRUE(loaded.config) << told(loaded);
  EXPECT_EQ(loaded.config->store.file, "/s/t.db");
}

TEST(OperatingPart, IsNotReadFromWhatIsNotToml) {
  EXPECT_FALSE(part_of(with_store("[[rule\n")).config);
  EXPECT_FALSE(operating_part("/nonexistent/config.toml", nullptr).config);
}

TEST(OperatingPart, IsNotReadIfAnEnvironmentVariableHasAFault) {
  const std::string text = with_store("[log]\nbogus = 1\n");
  EXPECT_FALSE(part_of(text, {"TOOLPOST_STROE__FILE=/s/other.db"}).config);
  const Loaded loaded = part_of(text, {"TOOLPOST_STORE__FILE=/s/other.db"});
  ASSERT_TRUE(loaded.config) << told(loaded);
  EXPECT_EQ(loaded.config->store.file, "/s/other.db");
}

}  // namespace
}  // namespace host::config
