// What is told of a library without loading it, and what becomes of it at staging.
#include "plugin/file/elf_lint.h"

#include <elf.h>
#include <fcntl.h>

#include <cstring>
#include <fstream>
#include <random>
#include <vector>

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

// A library of nothing but tables, which may say anything.
class Crafted {
 public:
  explicit Crafted(std::string strings) : strings_(std::move(strings)) {}

  // So many exported symbols, whose names begin one after another in the strings.
  Crafted& symbols(std::uint32_t count) {
    symbols_ = count + 1;
    return *this;
  }
  // So many records, which all have the same `entries` entries.
  Crafted& versions(std::uint32_t records, std::uint16_t entries) {
    records_ = records;
    entries_ = entries;
    return *this;
  }
  Crafted& with(Elf64_Sxword tag, std::uint32_t count, Elf64_Xword value) {
    for (std::uint32_t i = 0; i < count; ++i) dynamic_.push_back({tag, {value}});
    return *this;
  }
  std::string bytes() const {
    std::string hash(8, '\0');
    std::memcpy(hash.data() + 4, &symbols_, sizeof symbols_);
    std::string symbols(sizeof(Elf64_Sym), '\0');
    for (std::uint32_t i = 1; i < symbols_; ++i) {
      Elf64_Sym one{};
      one.st_name = i;
      one.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
      one.st_shndx = 1;
      add(symbols, one);
    }
    std::string needs;
    const std::uint32_t all = records_ * sizeof(Elf64_Verneed);
    for (std::uint32_t i = 0; i < records_; ++i) {
      const auto at = static_cast<std::uint32_t>(i * sizeof(Elf64_Verneed));
      add(needs, Elf64_Verneed{1, entries_, 1, all - at, sizeof(Elf64_Verneed)});
    }
    for (std::uint32_t i = 0; i < entries_; ++i)
      add(needs, Elf64_Vernaux{0, VER_FLG_WEAK, 0, 1, sizeof(Elf64_Vernaux)});
    return put_together(hash, symbols, needs);
  }

 private:
  template <class T>
  static void add(std::string& to, const T& what) {
    to.append(reinterpret_cast<const char*>(&what), sizeof what);
  }
  std::string put_together(const std::string& hash, const std::string& symbols,
                           const std::string& needs) const {
    const std::uint64_t head = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
    std::vector<Elf64_Dyn> dynamic = dynamic_;
    const std::uint64_t tables = head + (dynamic.size() + 7) * sizeof(Elf64_Dyn);
    const auto entry = [&](Elf64_Sxword tag, std::uint64_t value) {
      dynamic.push_back({tag, {value}});
    };
    entry(DT_HASH, tables);
    entry(DT_SYMTAB, tables + hash.size());
    entry(DT_VERNEED, tables + hash.size() + symbols.size());
    entry(DT_VERNEEDNUM, records_);
    entry(DT_STRTAB, tables + hash.size() + symbols.size() + needs.size());
    entry(DT_STRSZ, strings_.size());
    entry(DT_NULL, 0);
    Elf64_Ehdr header{};
    header.e_phoff = sizeof header;
    header.e_phnum = 2;
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_filesz = 1u << 30u;
    Elf64_Phdr section{};
    section.p_type = PT_DYNAMIC;
    section.p_offset = head;
    section.p_filesz = dynamic.size() * sizeof(Elf64_Dyn);
    std::string out;
    add(out, header);
    add(out, load);
    add(out, section);
    for (const Elf64_Dyn& one : dynamic) add(out, one);
    return out + hash + symbols + needs + strings_;
  }

  std::string strings_;
  std::vector<Elf64_Dyn> dynamic_;
  std::uint32_t symbols_ = 1;
  std::uint32_t records_ = 0;
  std::uint16_t entries_ = 0;
};

std::string names(std::size_t bytes) {
  return std::string(1, '\0') + std::string(bytes, 'a') + std::string(1, '\0');
}

void expect_broken(const Crafted& crafted, const std::string& words) {
  const Lint found = lint_plugin(crafted.bytes(), SystemLibraries({"/nowhere"}));
  const LintFinding* finding = find(found, "E001");
  ASSERT_NE(finding, nullptr) << words;
  EXPECT_NE(finding->message.find(words), std::string::npos) << finding->message;
  EXPECT_TRUE(found.exports.empty() || found.exports.size() < 2000);
}

// What a small file says may stand for very much: names lie in each other, and tables too.
TEST(ElfLint, TakesNoMoreOutOfAFileThanALibraryHas) {
  const Lint well = lint_plugin(Crafted(names(1000)).symbols(500).versions(5, 5).bytes(),
                                SystemLibraries({"/nowhere"}));
  EXPECT_EQ(find(well, "E001"), nullptr);
  EXPECT_EQ(well.exports.size(), 500u);
  EXPECT_EQ(well.versions.size(), 25u);
  expect_broken(Crafted(names(200'000)).symbols(10), "broken symbol name");
  expect_broken(Crafted(names(60'000)).symbols(3000), "broken symbol table");
  expect_broken(Crafted(names(10)).versions(1000, 1000), "broken version table");
  expect_broken(Crafted(names(60'000)).versions(1, 4000), "broken version table");
  expect_broken(Crafted(names(10)).with(DT_NEEDED, 5000, 1), "broken dynamic section");
  expect_broken(Crafted(names(200'000)).with(DT_RUNPATH, 1, 1), "broken dynamic string");
}

TEST(ElfLint, SaysLongNamesInShort) {
  const Lint found =
      lint_plugin(Crafted(names(50'000)).with(DT_NEEDED, 1, 1).with(DT_RUNPATH, 1, 1).bytes(),
                  SystemLibraries({"/nowhere"}));
  for (const std::string code : {"E016", "E017"}) {
    ASSERT_NE(find(found, code), nullptr) << code;
    EXPECT_LT(find(found, code)->message.size(), 200u) << code;
  }
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
