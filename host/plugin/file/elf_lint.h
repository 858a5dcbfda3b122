// Checks a complete shared library against the build contract of plugins (sdk/README.md), without
// loading it. The check refuses a library if it cannot be loaded, or if it would harm its process.
// The check adds notes for a library that can be loaded but has drawbacks.
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

// The codes are stable:
//   E001 its tables are broken           E011 exports more than its entry
//   E002 exports no entry                E012 unique symbols
//   E003 is of another ABI major         E013 says that it is never unloaded (NODELETE)
//   E004 text relocations                E014 static thread-local storage
//   E005 executable stack                E015 no build id
//   E006 needs a newer library           E016 a library that was not found
//   E007 symbols that nothing provides   E017 a run path
struct LintFinding {
  Weight weight = Weight::Refused;
  std::string code;
  std::string message;  // the text follows the file's name: "exports no ..."
};

struct Lint {
  std::vector<std::string> exports;
  std::vector<std::string> needed;
  std::vector<NeededVersion> versions;
  std::string build_id;
  std::vector<LintFinding> findings;
  // The reason why the library must not be unloaded if it runs inline: a property with which its
  // image would stay in the process, or would be shared with its next build.
  std::string stays_loaded;  // empty: the library can be unloaded

  const LintFinding* refusal() const;  // the first refusal; nullptr: none
};

// LoadedBefore means that the library was loaded on this machine before. For a library that was
// loaded before, the check does not look up the library's symbols in the system's libraries. The
// lookup of symbols takes a millisecond or more.
enum class History { New, LoadedBefore };

// Checks the library in `bytes`, which must have passed check_elf().
Lint lint_plugin(std::string_view bytes, const SystemLibraries& libraries,
                 History history = History::New);

// Checks the library in an open file. Other processes must not be able to change the file.
Lint lint_plugin_file(int fd, History history = History::New);

// Compares symbol versions by their numbers: GLIBC_2.34 is newer than GLIBC_2.4.
bool is_newer(std::string_view version, std::string_view than);

// True if the file is a library that exports the entry symbol of this ABI.
bool is_plugin(std::string_view bytes);

}  // namespace host::plugin
