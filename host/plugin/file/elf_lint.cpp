#include "plugin/file/elf_lint.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <toolpost/plugin.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "base/unique_fd.h"
#include "plugin/file/mapped_file.h"

namespace host::plugin {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEntryPrefix = "toolpost_plugin_v";
constexpr std::size_t kMostNamed = 5;        // of a list in a message
constexpr std::size_t kMostCharacters = 60;  // of one name

std::string shortened(std::string name) {
  if (name.size() <= kMostCharacters) return name;
  return name.substr(0, kMostCharacters) + "...";
}

// The first of them, the short ones first: they are those that somebody wrote.
std::string listed(std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    out += (i ? ", " : "") + shortened(std::move(names[i]));
  if (names.size() > kMostNamed)
    out += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return out;
}

// Names come out of a foreign file: nothing in them may steer a terminal, a log or a JSON text.
std::string shown(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

// Each reference of a mangled name to its own earlier parts may double what it stands for: some
// hundred bytes can be gigabytes. Names that somebody wrote have few.
bool is_modest(std::string_view name) {
  constexpr std::size_t kMostBytes = 512;
  constexpr int kMostReferences = 8;
  int references = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    const char next = name[i + 1];
    const bool is_digit = (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z');
    references += (name[i] == 'S' || name[i] == 'T') && (next == '_' || is_digit);
  }
  return name.size() <= kMostBytes && references <= kMostReferences;
}

std::string demangled(const std::string& name) {
  if (!is_modest(name)) return name;
  int status = 0;
  char* const made = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && made ? made : name;
  std::free(made);
  return out;
}

// What every linker adds by itself where no version script keeps it back.
bool is_linkers_own(std::string_view name) {
  return name == "_init" || name == "_fini" || name == "_end" || name == "_edata" ||
         name == "__bss_start";
}

// GLIBC_2.34 by its numbers, for "newer" to mean what people mean.
std::vector<unsigned> numbers_of(std::string_view version) {
  std::vector<unsigned> numbers;
  const char* at = version.data() + std::min(version.find('_'), version.size() - 1) + 1;
  const char* const end = version.data() + version.size();
  while (at < end) {
    unsigned number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    at = next < end ? next + 1 : next;
  }
  return numbers;
}

std::string newest_like(const std::vector<std::string>& offered, std::string_view wanted) {
  const std::string_view family = wanted.substr(0, wanted.find('_') + 1);
  std::string newest;
  for (const std::string& version : offered) {
    const bool counts = version.starts_with(family) && !numbers_of(version).empty();
    if (counts && (newest.empty() || is_newer(version, newest))) newest = version;
  }
  return newest;
}

// A library of the system, open for as long as it is looked at.
struct OpenLibrary {
  MappedFile file;
  ElfTables tables;
};

std::optional<OpenLibrary> open_library(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  auto file = MappedFile::of(fd.get());
  if (!file) return std::nullopt;
  auto tables = ElfTables::open(file->bytes());
  if (!tables) return std::nullopt;
  return OpenLibrary{std::move(*file), std::move(*tables)};
}

class Linter {
 public:
  Linter(const ElfTables& tables, const SystemLibraries& libraries, History history)
      : tables_(tables), libraries_(libraries), history_(history) {}

  Lint run() {
    check();
    for (std::string& name : lint_.exports) name = shown(std::move(name));
    for (std::string& name : lint_.needed) name = shown(std::move(name));
    for (NeededVersion& one : lint_.versions) {
      one.library = shown(std::move(one.library));
      one.version = shown(std::move(one.version));
    }
    return std::move(lint_);
  }

 private:
  void check() {
    const Result<void> read = read_symbols();
    if (!read) return add(Weight::Refused, "E001", read.error().message);
    check_entry();
    check_layout();
    check_unloading();
    if (history_ == History::LoadedBefore) return;
    check_libraries();
    check_undefined();
  }

  void add(Weight weight, const char* code, std::string message) {
    lint_.findings.push_back({weight, code, shown(std::move(message))});
  }

  Result<void> read_symbols() {
    for (const std::string_view name : tables_.needed()) lint_.needed.emplace_back(name);
    lint_.build_id = tables_.build_id();
    HOST_TRY_ASSIGN(lint_.versions, tables_.needed_versions());
    return tables_.for_each_symbol([this](const ElfSymbol& symbol) {
      if (!symbol.defined) {
        if (!symbol.weak) undefined_.emplace(symbol.name);
        return;
      }
      if (symbol.unique) unique_.emplace_back(symbol.name);
      if (symbol.visible && !is_linkers_own(symbol.name)) lint_.exports.emplace_back(symbol.name);
    });
  }

  void check_entry() {
    const auto& exports = lint_.exports;
    if (std::find(exports.begin(), exports.end(), TP_ENTRY_SYMBOL) == exports.end()) {
      const auto other = std::find_if(exports.begin(), exports.end(), [](const auto& name) {
        return name.starts_with(kEntryPrefix);
      });
      if (other == exports.end()) {
        add(Weight::Refused, "E002",
            "exports no " TP_ENTRY_SYMBOL
            "(): it is no plugin of this host, or the function is hidden");
      } else {
        add(Weight::Refused, "E003",
            "is built for ABI major " + other->substr(kEntryPrefix.size(), 10) +
                ", this host has " + std::to_string(TP_ABI_MAJOR) +
                ": build it against this host's SDK");
      }
      return;
    }
    std::vector<std::string> others;
    for (const std::string& name : exports) {
      if (!name.starts_with(kEntryPrefix)) others.push_back(demangled(name));
    }
    if (others.empty()) return;
    add(Weight::Doubtful, "E011",
        "exports more than " TP_ENTRY_SYMBOL " (" + listed(others) +
            "): link it with the SDK's version script, as toolpost_add_plugin() does");
  }

  void check_layout() {
    if (tables_.text_relocations()) {
      add(Weight::Refused, "E004", "has relocations in its code: build it with -fPIC");
    }
    if (tables_.executable_stack()) {
      add(Weight::Refused, "E005",
          "asks for an executable stack: link it with -z noexecstack, and end assembler files with "
          "a .note.GNU-stack section");
    }
    if (tables_.build_id().empty()) {
      add(Weight::Doubtful, "E015",
          "has no build id, so that no backtrace can name the build: link it with "
          "--build-id=sha1");
    }
    if (!tables_.run_paths().empty()) {
      add(Weight::Doubtful, "E017",
          "has a run path (" + shortened(std::string(tables_.run_paths().front())) +
              "): it is loaded from a private copy, where paths beside it lead nowhere");
    }
  }

  void check_unloading() {
    if (!unique_.empty()) {
      std::vector<std::string> names;
      for (const std::string& name : unique_) names.push_back(demangled(name));
      stays("E012", "has unique symbols (" + listed(names) +
                        "), which its next build would share and which pin it in memory: build it "
                        "with -fno-gnu-unique and hidden visibility");
    }
    if (tables_.nodelete()) stays("E013", "says that it is never unloaded (NODELETE)");
    if (tables_.static_tls()) {
      stays("E014",
            "uses static thread-local storage, of which a process has little: build it without "
            "-ftls-model=initial-exec");
    }
  }

  void stays(const char* code, std::string why) {
    if (lint_.stays_loaded.empty()) lint_.stays_loaded = shown(why);
    add(Weight::Doubtful, code, std::move(why));
  }

  void check_libraries() {
    for (const std::string_view name : tables_.needed()) {
      if (find(name, tables_)) continue;
      all_found_ = false;
      add(Weight::Doubtful, "E016",
          "needs " + shortened(std::string(name)) + ", which was not found on this machine");
    }
    for (const NeededVersion& needed : lint_.versions) {
      if (needed.weak) continue;
      const std::vector<std::string>& offered = offered_by(needed.library);
      if (offered.empty() ||
          std::find(offered.begin(), offered.end(), needed.version) != offered.end()) {
        continue;
      }
      const std::string newest = newest_like(offered, needed.version);
      add(Weight::Refused, "E006",
          "needs " + shortened(needed.version) + " of " + shortened(needed.library) +
              "; this machine's has " +
              (newest.empty() ? "none of the kind" : shortened(newest) + " at most") +
              ": build it where the libraries are as old as here" +
              (needed.library.starts_with("libstdc++")
                   ? ", or link it with -static-libstdc++ -static-libgcc"
                   : ""));
    }
  }

  // Where the loader would find what `by` needs. Looked for once where it has no folders of its
  // own.
  std::optional<fs::path> find(std::string_view name, const ElfTables& by) {
    const auto& run_paths = by.run_paths();
    if (!run_paths.empty()) return libraries_.find(name, run_paths);
    const auto [known, fresh] = found_.try_emplace(std::string(name));
    if (fresh) known->second = libraries_.find(name, run_paths);
    return known->second;
  }

  // Empty: nobody knows. A library is needed in many versions, and read once.
  const std::vector<std::string>& offered_by(const std::string& name) {
    const auto [known, fresh] = offered_.try_emplace(name);
    if (!fresh) return known->second;
    const auto path = find(name, tables_);
    const auto library = path ? open_library(*path) : std::nullopt;
    if (!library) return known->second;
    if (auto offered = library->tables.offered_versions()) known->second = *std::move(offered);
    return known->second;
  }

  // By what it needs itself, then by what is in the process before it.
  void check_undefined() {
    if (undefined_.empty() || !all_found_) return;
    take_provided(tables_);
    if (!undefined_.empty()) take_provided_by("/proc/self/exe");
    if (undefined_.empty() || !all_found_) return;
    std::vector<std::string> names;
    for (const std::string& name : undefined_) names.push_back(demangled(name));
    add(Weight::Refused, "E007",
        "uses symbols that nothing provides: " + listed(names) +
            ": link the library that has them, or with -z defs to see this at build time");
  }

  void take_provided(const ElfTables& from) {
    for (const std::string_view name : from.needed()) {
      if (undefined_.empty() || !seen_.insert(std::string(name)).second) continue;
      const auto path = find(name, from);
      if (path) {
        take_provided_by(*path);
      } else {
        all_found_ = false;
      }
    }
  }

  void take_provided_by(const fs::path& path) {
    const auto library = open_library(path);
    if (!library) {
      all_found_ = false;
      return;
    }
    const Result<void> looked = library->tables.for_each_symbol([this](const ElfSymbol& symbol) {
      if (!symbol.defined) return;
      const auto at = undefined_.find(symbol.name);
      if (at != undefined_.end()) undefined_.erase(at);
    });
    if (!looked) all_found_ = false;
    take_provided(library->tables);
  }

  const ElfTables& tables_;
  const SystemLibraries& libraries_;
  const History history_;
  Lint lint_;
  std::set<std::string, std::less<>> undefined_;
  std::vector<std::string> unique_;
  std::set<std::string> seen_;
  std::map<std::string, std::optional<fs::path>> found_;     // by library
  std::map<std::string, std::vector<std::string>> offered_;  // by library
  bool all_found_ = true;                                    // else nobody can say what is missing
};

}  // namespace

const LintFinding* Lint::refusal() const {
  for (const LintFinding& finding : findings) {
    if (finding.weight == Weight::Refused) return &finding;
  }
  return nullptr;
}

Lint lint_plugin(std::string_view bytes, const SystemLibraries& libraries, History history) {
  const auto tables = ElfTables::open(bytes);
  if (tables) return Linter(*tables, libraries, history).run();
  Lint lint;
  lint.findings.push_back({Weight::Refused, "E001", tables.error().message});
  return lint;
}

Lint lint_plugin_file(int fd, History history) {
  const auto file = MappedFile::of(fd);
  if (file) return lint_plugin(file->bytes(), SystemLibraries::of_machine(), history);
  Lint lint;
  lint.findings.push_back({Weight::Refused, "E001", "cannot be mapped into memory"});
  return lint;
}

bool is_newer(std::string_view version, std::string_view than) {
  return numbers_of(than) < numbers_of(version);
}

bool is_plugin(std::string_view bytes) {
  const auto tables = ElfTables::open(bytes);
  if (!tables) return false;
  bool found = false;
  const Result<void> looked = tables->for_each_symbol([&found](const ElfSymbol& symbol) {
    found = found || (symbol.defined && symbol.visible && symbol.name == TP_ENTRY_SYMBOL);
  });
  return looked && found;
}

}  // namespace host::plugin
