// Handles the descriptors 0, 1 and 2 of a command, and finds out whether its output could be
// written.
#pragma once

#include <string>

namespace host::cli {

// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed, as after `toolpost serve
// <&- >&- 2>&-`. If descriptor 2 stayed closed, the audit file could get the number 2, and log
// lines would be written into the audit. If standard output was closed, every write to it fails.
// Call open_closed_streams() before any file is opened. Returns false if /dev/null cannot be
// opened.
bool open_closed_streams();

// `remedy` tells the user what to do if the output of this command cannot be written.
void set_lost_output(std::string remedy);

// Remembers the first error of a write to standard output, for the text of check_output().
void note_write_error(int code);

// Writes the buffered rest of standard output. If standard output could not be written, for example
// because the disk is full, the function reports the failure on standard error. If standard output
// could not be written, check_output() returns kExitFailure instead of kExitOk. If the output could
// be written, and also if the reader has closed the pipe (EPIPE), check_output() returns
// `exit_code`.
int check_output(int exit_code);

}  // namespace host::cli
