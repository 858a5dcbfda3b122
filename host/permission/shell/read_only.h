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

// Returns true for each segment of the script (a part between operators) that is read-only,
// otherwise false. A read-only segment is a known command with harmless options, writes no file,
// and sets no variable that changes which program runs. A segment that reads a device, a pipe or an
// entry of /proc is not read-only. If the host would have to look at too many files, the segment
// does not count as read-only. After a `cd`, relative paths of later segments start at the new
// folder.
std::vector<bool> read_only_segments(const Script& script, const Place& place, Budget& budget);

// Returns one text or nullopt for each segment of the script (a part between operators). If a
// segment reads all files below a folder, its text is the first dangerous path in the folder. If
// the host cannot search the folder of a segment, the text of the segment says why. A segment that
// reads no dangerous path gets nullopt.
std::vector<std::optional<std::string>> dangers_below(const Script& script, const Place& place,
                                                      const DangerousPaths& paths,
                                                      std::span<const std::string> extra,
                                                      Budget& budget);

// Returns the names of all programs on the list of read-only commands. A read-only command can run
// only the programs on the list of read-only commands. Some programs on the list are built into the
// shell and need no file.
std::vector<std::string> read_only_programs();

}  // namespace host::permission::shell
