// Reports the failure of a command. The report is a sentence on standard error and, with --json,
// also {"error": {"kind", "message"}} on standard output.
#pragma once

#include <string>

#include "base/result.h"

namespace host::cli {

// Sets whether the command also prints errors as JSON. Call complain_in_json() before a command
// runs. The default is false.
void complain_in_json(bool json);

int exit_code_for(ErrorKind kind);

// Prints the error. Returns the exit code for the kind of the error, or `exit_code`.
int complain(const Error& error);
int complain(const Error& error, int exit_code);

// Returns the error as {"kind", "message"}.
std::string error_json(const Error& error);

// `diagnostics` is the text that diagnostics_json() returned. The caller has already printed the
// faults of the configuration as text.
int complain_of_configuration(const std::string& diagnostics);

}  // namespace host::cli
