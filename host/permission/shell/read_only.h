// Commands that change nothing. The list is closed: exact programs with exact options. It does not
// contain programs that run programs, that obey the configuration of their folder, or that never
// end. An unknown command needs approval.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "permission/path/dangerous_path.h"
#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// For one segment: a known command with harmless options, no written file, and no variable that
// changes what runs. `place` is the base of its relative paths. A device, a pipe and an entry of
// /proc are not files to read.
bool is_read_only(const Segment& segment, const Place& place);

// For each segment, seen from the folder to which earlier segments changed with `cd`.
std::vector<bool> read_only_segments(const Script& script, const Place& place);

// For each segment: the first dangerous path that it would read because it reads all files below a
// folder, or why that cannot be known; nullopt: there is none. Commands that read single files name
// them. Segments are seen as in read_only_segments().
std::vector<std::optional<std::string>> dangers_below(const Script& script, const Place& place,
                                                      const DangerousPaths& paths,
                                                      std::span<const std::string> extra);

// True if all segments are; an empty script is not read-only.
bool is_read_only(const Script& script, const Place& place);

// The names of all programs on the list. A read-only command can run only these. Some are built
// into the shell and need no file.
std::vector<std::string> read_only_programs();

}  // namespace host::permission::shell
