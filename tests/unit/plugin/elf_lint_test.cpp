// What is told of a library without loading it, and what becomes of it at staging.
#include "plugin/file/elf_lint.h"

#include <fcntl.h>

#include <fstream>
#include <random>

#include "plugin/file/elf_check.h"
#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

fs::path odd(const std::string& name) {
  return places::build() / "tests/plugins/oddly_built" / ("odd_" + name + ".so");
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Lint lint(const fs::path& path) {
  return lint_plugin(bytes_of(path), SystemLibraries::of_machine());
}

const LintFinding* find(const Lint& lint, const std::string& code) {
  for (const LintFinding& finding : lint.findings) {
    if (finding.code == code) return &finding;
  }
  return nullptr;
}

void expect(const std::string& name, const std::string& code, Weight weight,
            const std::string& words) {
  const Lint found = lint(odd(name));
  const LintFinding* finding = find(found, code);
  ASSERT_NE(finding, nullptr) << name << " lacks " << code;
  EXPECT_EQ(finding->weight, weight) << name;
  EXPECT_NE(finding->message.find(words), std::string::npos) << finding->message;
}

TEST(ElfLint, HasNothingToSayOfAPluginThatIsBuiltWell) {
  for (const auto* name : {"hello", "clock", "invoices"}) {
    const Lint found = lint(places::build() / "plugins" / (std::string(name) + ".so"));
    EXPECT_TRUE(found.findings.empty()) << name << ": " << found.findings.front().message;
    EXPECT_EQ(found.exports, std::vector<std::string>{"toolpost_plugin_v1"});
    EXPECT_EQ(found.build_id.size(), 40u);
    EXPECT_EQ(found.stays_loaded, "");
  }
}

TEST(ElfLint, TellsWhatIsDoubtful) {
  expect("unique", "E012", Weight::Doubtful, "shared_counter()::count");
  expect("nodelete", "E013", Weight::Doubtful, "NODELETE");
  expect("static_tls", "E014", Weight::Doubtful, "thread-local");
  expect("exports", "E011", Weight::Doubtful, "odd_also_exported");
  expect("without_id", "E015", Weight::Doubtful, "build id");
  expect("run_path", "E017", Weight::Doubtful, "/opt/beside");
  for (const auto* name : {"unique", "nodelete", "static_tls"})
    EXPECT_NE(lint(odd(name)).stays_loaded, "") << name;
  EXPECT_EQ(lint(odd("exports")).stays_loaded, "");
}

TEST(ElfLint, RefusesWhatCannotBeLoadedOrHarmsItsProcess) {
  expect("execstack", "E005", Weight::Refused, "executable stack");
  expect("undefined", "E007", Weight::Refused, "nowhere_to_be_found");
  const Lint undefined = lint(odd("undefined"));
  ASSERT_NE(find(undefined, "E007"), nullptr);
  const std::string& told = find(undefined, "E007")->message;
  EXPECT_NE(told.find("provides: nowhere_to_be_found: "), std::string::npos) << told;  // it alone
  EXPECT_NE(find(lint(animal("no_symbol")), "E002"), nullptr);
  EXPECT_NE(find(lint(animal("symbol_v2")), "E003"), nullptr);
}

TEST(ElfLint, TakesNoNameForMoreThanItIs) {
  expect("doubling", "E007", Weight::Refused, "_Z1f1AIiiES_IS0_S0_E");
  std::string bytes = bytes_of(odd("undefined"));
  for (std::size_t at = bytes.find("nowhere_to"); at != bytes.npos; at = bytes.find("nowhere_to"))
    bytes[at + 2] = '\033';  // begins what a terminal takes for an order
  const Lint steering = lint_plugin(bytes, SystemLibraries::of_machine());
  ASSERT_NE(find(steering, "E007"), nullptr);
  EXPECT_NE(find(steering, "E007")->message.find("no?here_to"), std::string::npos);
}

TEST(ElfLint, NamesTheVersionThatThisMachineIsTooOldFor) {
  std::string bytes = bytes_of(odd("well"));
  const std::size_t at = bytes.find("GLIBC_2.2.5");
  ASSERT_NE(at, bytes.npos);
  bytes[at + 6] = '9';
  const Lint found = lint_plugin(bytes, SystemLibraries::of_machine());
  const LintFinding* finding = find(found, "E006");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->message.find("GLIBC_9.2.5"), std::string::npos) << finding->message;
  EXPECT_NE(finding->message.find("GLIBC_2.3"), std::string::npos) << finding->message;
}

TEST(ElfLint, LooksIntoNoOtherLibraryForWhatWasLoadedBefore) {
  const auto proven = [](const char* name) {
    return lint_plugin(bytes_of(odd(name)), SystemLibraries({"/nowhere"}), History::LoadedBefore);
  };
  EXPECT_TRUE(proven("undefined").findings.empty());
  EXPECT_NE(find(proven("unique"), "E012"), nullptr);  // of its own structure all is still told
}

TEST(ElfLint, JudgesNoSymbolsWhereALibraryIsNotFound) {
  const Lint found = lint_plugin(bytes_of(odd("undefined")), SystemLibraries({"/nowhere"}));
  EXPECT_NE(find(found, "E016"), nullptr);
  EXPECT_EQ(find(found, "E007"), nullptr);
}

TEST(ElfLint, SurvivesEveryMutation) {
  const std::string whole = bytes_of(odd("unique"));
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 4; ++i) {
      const std::size_t at = random() % (i < 2 ? std::size_t{0x1000} : bytes.size());
      bytes[at] = static_cast<char>(random());
    }
    lint_plugin(bytes, SystemLibraries::of_machine());
  }
  for (std::size_t size = 64; size < whole.size(); size += whole.size() / 100)
    lint_plugin(std::string_view(whole).substr(0, size), SystemLibraries::of_machine());
}

TEST_F(PluginTest, WhatIsRefusedBeforeItIsLoadedSaysWhy) {
  install_file(odd("undefined"));
  start();
  EXPECT_NE(status().last_error.find("nowhere_to_be_found"), std::string::npos)
      << status().last_error;
  EXPECT_FALSE(status().serving);
}

TEST_F(PluginTest, WhatIsDoubtfulServesAndIsNoted) {
  install_file(odd("unique"));
  start();
  EXPECT_TRUE(status().serving) << status().last_error;
  std::string notes;
  for (const std::string& note : status().notes) notes += note + "; ";
  EXPECT_NE(notes.find("has unique symbols (shared_counter()::count"), std::string::npos) << notes;
}

}  // namespace
}  // namespace host::plugin
