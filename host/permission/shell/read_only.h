// Commands that change nothing. The list is closed: an exact program with exact options. Programs
// that run programs, that obey the configuration of the folder they work in, or that never end are
// not on it. A command that is not known here is asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "permission/path/dangerous_path.h"
#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// One segment: known command, harmless options, no file written, no variable that changes what
// runs. `place` is where its relative paths are meant from: a device, a pipe or an entry of /proc
// is no file to read.
bool is_read_only(const Segment& segment, const Place& place);

// Each segment, seen from where the ones before it went by `cd`.
std::vector<bool> read_only_segments(const Script& script, const Place& place);

// The first dangerous path that a read-only segment would read because it reads all files below a
// folder, or why that cannot be known; nothing: there is none. Other commands read what they name.
// Each segment is seen as by read_only_segments().
std::vector<std::optional<std::string>> dangers_below(const Script& script, const Place& place,
                                                      const DangerousPaths& paths,
                                                      std::span<const std::string> extra);

// All of them; an empty script is not read-only.
bool is_read_only(const Script& script, const Place& place);

// The programs of the list, by name: all that a command judged read-only can run. Some of them are
// the shell's own words, and need no file.
std::vector<std::string> read_only_programs();

}  // namespace host::permission::shell
