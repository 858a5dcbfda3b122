// How a verb that could not do its work ends: with a sentence on standard error and, where it was
// called with --json, {"error": {"kind", "message"}} on standard output too.
#pragma once

#include <string>

#include "base/result.h"

namespace host::cli {

// Before a verb runs; false at first.
void complain_in_json(bool json);

int exit_code_for(ErrorKind kind);

// Says why; returns the exit code that its kind means, or this one.
int complain(const Error& error);
int complain(const Error& error, int exit_code);

// `diagnostics`: an array, as diagnostics_json() gives it. What is wrong in words was printed.
int complain_of_configuration(const std::string& diagnostics);

}  // namespace host::cli
