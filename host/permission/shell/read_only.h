// Commands that change nothing. The list is closed: an exact program with exact options. Programs
// that run programs, that obey the configuration of the folder they work in, or that never end are
// not on it. A command that is not known here is asked for.
#pragma once

#include <string>
#include <vector>

#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// One segment: known command, harmless options, no file written, no variable that changes what
// runs. `place` is where its relative paths are meant from: a device, a pipe or an entry of /proc
// is no file to read.
bool is_read_only(const Segment& segment, const Place& place);

// Each segment, seen from where the ones before it went by `cd`.
std::vector<bool> read_only_segments(const Script& script, const Place& place);

// All of them; an empty script is not read-only.
bool is_read_only(const Script& script, const Place& place);

// The programs of the list, by name: all that a command judged read-only can run. Some of them are
// the shell's own words, and need no file.
std::vector<std::string> read_only_programs();

}  // namespace host::permission::shell
