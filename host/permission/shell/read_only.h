// Recognises shell commands that change nothing. The list of read-only commands names exact
// programs with exact options, and every other command needs approval. The list of read-only
// commands contains no program that runs other programs, reads a configuration from the current
// folder, or never ends.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "permission/path/budget.h"
#include "permission/path/dangerous_path.h"
#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// Returns one entry for each segment. The entry is true if the segment is a known command with
// harmless options, writes no file, and sets no variable that changes which program runs. The entry
// is false if the segment reads a device, a pipe or an entry of /proc. The entry is also false if
// the check would have to look at too many files. Relative paths start at the folder to which
// earlier segments changed with `cd`.
std::vector<bool> read_only_segments(const Script& script, const Place& place, Budget& budget);

// Returns one entry for each segment. If the segment reads all files below a folder, the entry is
// the first dangerous path in the folder. If the host cannot search the folder, the entry is the
// reason. The entry is nullopt if the segment reads no dangerous path. Relative paths start at the
// folder to which earlier segments changed with `cd`.
std::vector<std::optional<std::string>> dangers_below(const Script& script, const Place& place,
                                                      const DangerousPaths& paths,
                                                      std::span<const std::string> extra,
                                                      Budget& budget);

// Returns the names of all programs on the list of read-only commands. A read-only command can run
// only the programs on the list of read-only commands. Some programs on the list are built into the
// shell and need no file.
std::vector<std::string> read_only_programs();

}  // namespace host::permission::shell
