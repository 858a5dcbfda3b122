// Checks a complete shared library against the build contract of plugins (sdk/README.md), without
// loading it. The check refuses a library if it cannot be loaded, or if it would harm its process.
// If a library can be loaded but has drawbacks, the check adds notes about the drawbacks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plugin/file/elf_file.h"
#include "plugin/file/system_libraries.h"

namespace host::plugin {

enum class Weight { Refused, Doubtful };

// The meaning of each code of a finding. The meaning of a code never changes. E001: the library has
// broken ELF tables. E002: the library does not export the entry symbol. E003: the library has
// another ABI major version. E004: the library has text relocations. E005: the library needs an
// executable stack. E006: the library needs a newer system library. E007: the library uses
// undefined symbols. E011: the library exports more than its entry symbol. E012: the library has
// unique symbols. E013: the library is marked NODELETE (never unloaded). E014: the library uses
// static thread-local storage. E015: the library has no build id. E016: the library needs a library
// that was not found. E017: the library has a run path.
struct LintFinding {
  Weight weight = Weight::Refused;
  std::string code;
  std::string message;  // the rest of a sentence that begins with the file's name
};

struct Lint {
  std::vector<std::string> exports;
  std::vector<std::string> needed;
  std::vector<NeededVersion> versions;
  std::string build_id;
  std::vector<LintFinding> findings;
  // The reason why the host must not unload an inline library. Some ELF properties keep the image
  // of an unloaded library in the process, or make the next build of the library share this image.
  std::string stays_loaded;  // empty: the library can be unloaded

  const LintFinding* refusal() const;  // the first finding with the weight Refused; nullptr: none
};

// LoadedBefore means that the library was loaded on this machine before. For a library that was
// loaded before, the check does not look up the library's symbols in the system's libraries. To
// look up the symbols of a library takes a millisecond or more.
enum class History { New, LoadedBefore };

// Checks the library in `bytes`, which must have passed check_elf().
Lint lint_plugin(std::string_view bytes, const SystemLibraries& libraries,
                 History history = History::New);

// Checks the library in an open file. Other processes must not be able to change the file.
Lint lint_plugin_file(int fd, History history = History::New);

// Compares symbol versions by their numbers, so that GLIBC_2.34 is newer than GLIBC_2.4.
bool is_newer(std::string_view version, std::string_view than);

// True if the file is a library that exports the plugin ABI's entry symbol.
bool is_plugin(std::string_view bytes);

}  // namespace host::plugin
